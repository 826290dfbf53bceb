//go:build unix

package sh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// conduct runs the plan to its end, or stops it when ctx ends.
func (x *Executor) conduct(ctx context.Context, p plan, io streams) (report, error) {
	if len(x.Supervisor) == 0 {
		f, err := startGroup(p, io)
		if err != nil {
			return report{}, err
		}
		return f.see(ctx.Done(), p.Grace), nil
	}
	s, err := startSupervisor(ctx, x.Supervisor, p.base, io)
	if err != nil {
		return report{}, err
	}
	defer s.close()
	defer context.AfterFunc(ctx, func() { s.stop(p.Grace) })()
	return s.run(ctx, p)
}

// supervisor is the worker's side of one supervising process.
type supervisor struct {
	cmd     *exec.Cmd
	control *os.File // held open while the command may run
	answers *os.File
}

func startSupervisor(ctx context.Context, argv, env []string, io streams) (*supervisor, error) {
	theirControl, control, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe to the supervisor: %w", err)
	}
	defer func() { _ = theirControl.Close() }()
	answers, theirAnswers, err := os.Pipe()
	if err != nil {
		_ = control.Close()
		return nil, fmt.Errorf("open a pipe to the supervisor: %w", err)
	}
	defer func() { _ = theirAnswers.Close() }()

	// It outlives ctx, by the grace.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	cmd.Env = env // a command can read its parent's
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.in, io.out, io.err
	cmd.ExtraFiles = []*os.File{theirControl, theirAnswers} // controlFD, answerFD
	if io.hold != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, io.hold) // holdFD
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	s := &supervisor{cmd: cmd, control: control, answers: answers}
	if err := cmd.Start(); err != nil {
		s.close()
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	return s, nil
}

// stop has the command ended, and sets a term for hearing that it is.
func (s *supervisor) stop(grace time.Duration) {
	_ = s.control.Close() // its end is the message
	_ = s.answers.SetReadDeadline(time.Now().Add(grace + 2*stubborn))
}

func (s *supervisor) close() {
	_ = s.control.Close()
	_ = s.answers.Close()
}

// run hands over the plan and waits for the report.
func (s *supervisor) run(ctx context.Context, p plan) (report, error) {
	// A supervisor that is not there to read it is not there to answer either.
	_ = json.NewEncoder(s.control).Encode(p)
	var begin started
	var end report
	dec := json.NewDecoder(s.answers)
	err := dec.Decode(&begin)
	if err == nil && begin.Error == "" {
		err = dec.Decode(&end)
	}
	if err != nil {
		s.kill(begin.Group)
	}
	exit := s.cmd.Wait()
	stopped := ctx.Err() != nil
	switch {
	case begin.Error != "":
		return report{}, errors.New(begin.Error)
	case err == nil:
		return end, nil
	case stopped:
		undead := errors.Is(err, os.ErrDeadlineExceeded)
		return report{Stopped: true, Undead: undead}, nil //nolint:nilerr // a report is due though none came: ctx says why
	}
	return report{}, fmt.Errorf("the command's supervisor ended without a report: %s", state(s.cmd, exit))
}

// kill ends what the supervisor has left undone: itself and the group.
func (s *supervisor) kill(group int) {
	_ = s.cmd.Process.Kill() // it may have ended by now
	if group > 0 {
		tell(-group, syscall.SIGKILL)
	}
}

func state(cmd *exec.Cmd, err error) string {
	if cmd.ProcessState != nil {
		return cmd.ProcessState.String()
	}
	return err.Error()
}
