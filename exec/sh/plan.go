package sh

import (
	"os"
	"time"
)

// What a worker and a supervisor say to each other, as JSON over two pipes. The
// first also says that the worker lives: its end means stop. Both sides are one
// program, but may be of different ages while it is being upgraded, so fields
// are only ever added.

// plan is one command, all that is needed to run it. With Argv it is a program
// at Shell's path, without a shell.
type plan struct {
	Shell   string        `json:"shell"`
	Argv    []string      `json:"argv,omitempty"`
	Cmd     string        `json:"cmd"`
	Dir     string        `json:"dir,omitempty"`
	Env     []string      `json:"env"`
	Grace   time.Duration `json:"grace"`
	Scratch string        `json:"scratch"` // removed by the supervisor when nobody else will

	base []string // the supervisor's own environment
}

// args is what the plan starts, its name first.
func (p *plan) args() []string {
	if len(p.Argv) > 0 {
		return p.Argv
	}
	return []string{"sh", "-c", "--", p.Cmd} // -- keeps a command that begins with a dash from being an option
}

// streams are what a command reads and prints to. hold is kept open as long as
// anything of it may live.
type streams struct{ in, out, err, hold *os.File }

// started says that the command runs, and in which process group.
type started struct {
	Group int    `json:"group,omitempty"`
	Error string `json:"error,omitempty"` // it could not be started: why
}

// report says how the command ended.
type report struct {
	Failure    string `json:"failure,omitempty"`     // "exit status 1", "signal: killed"; "" is exit status 0
	Stopped    bool   `json:"stopped,omitempty"`     // we ended it
	LeftBehind bool   `json:"left_behind,omitempty"` // it had ended, but not all that it started
	Undead     bool   `json:"undead,omitempty"`      // something has outlived KILL
}

// undead and leftBehind say the same for people.
func (r report) undead() string {
	if r.Undead {
		return " (some of its processes did not end, not even on KILL)"
	}
	return ""
}

func (r report) leftBehind() string {
	if r.LeftBehind {
		return "\n[tq: stopped what the command had left running]\n"
	}
	return ""
}
