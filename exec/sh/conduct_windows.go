package sh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// conduct runs the plan to its end, or kills the shell when ctx ends. What the
// shell has started is not found here.
func (x *Executor) conduct(ctx context.Context, p plan, io streams) (report, error) {
	cmd := exec.CommandContext(ctx, p.Shell, p.args()[1:]...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.in, io.out, io.err
	if err := cmd.Start(); err != nil {
		return report{}, fmt.Errorf("start the command: %w", err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return report{}, nil
	case ctx.Err() != nil:
		return report{Stopped: true}, nil
	case errors.As(err, &exit):
		return report{Failure: exit.String()}, nil
	}
	return report{}, fmt.Errorf("wait for the command: %w", err)
}

// Supervise has no work on Windows: it says so and returns 2.
func Supervise(_ []string) int {
	fmt.Fprintln(os.Stderr, "tq: commands run without a supervisor on Windows")
	return 2
}
