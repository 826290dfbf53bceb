package sh

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// startFamily starts the command in a process whose only children are the
// command's: every orphan comes to us, so that all of them can be found, also
// those that left the group. It must be called from a locked thread that lives
// on, for the shell is killed when that thread ends.
func startFamily(p plan) (*family, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become the reaper of orphans: %w", err)
	}
	pid, err := syscall.ForkExec(p.Shell, p.args(), &syscall.ProcAttr{
		Dir:   p.Dir,
		Env:   p.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	ended, gone, orphan := make(chan string, 1), make(chan struct{}), make(chan struct{}, 1)
	r := &reaper{shell: pid, told: map[int]syscall.Signal{}}
	go r.reap(ended, gone, orphan)
	return &family{
		group: pid, ended: ended, gone: gone, orphan: orphan,
		done: make(chan struct{}), signal: r.signal,
	}, nil
}

// reaper buries the children of this process. Its lock is held while one is
// signalled or buried, so that no signal meets the next owner of a process id.
type reaper struct {
	shell int

	mu   sync.Mutex
	told map[int]syscall.Signal // what each was last sent: a second TERM means more to some
}

func (r *reaper) reap(ended chan<- string, gone chan<- struct{}, orphan chan<- struct{}) {
	for {
		pid, status, err := r.bury()
		switch {
		case errors.Is(err, syscall.ECHILD):
			close(gone)
			return
		case err != nil:
			continue
		}
		if pid == r.shell {
			ended <- failure(status)
		}
		select {
		case orphan <- struct{}{}: // its children are ours now
		default:
		}
	}
}

// bury waits for the end of any child, then takes its status and its number.
func (r *reaper) bury() (int, syscall.WaitStatus, error) {
	if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		return 0, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	if err != nil {
		return 0, 0, err
	}
	delete(r.told, pid)
	return pid, status, nil
}

// signal signals the group, and each child outside of it. Deeper descendants
// outside of the group become children when what stands above them ends.
func (r *reaper) signal(sig syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(-r.shell, sig)
	for _, pid := range strays(r.shell) {
		r.tell(pid, sig)
	}
}

func (r *reaper) tell(pid int, sig syscall.Signal) {
	if r.told[pid] == sig {
		return
	}
	r.told[pid] = sig
	tell(pid, sig)
}

// strays lists the children of this process that are not in group.
func strays(group int) []int {
	var found []int
	for _, p := range processes() {
		if p.parent == os.Getpid() && p.group != group {
			found = append(found, p.pid)
		}
	}
	return found
}

// alive reports whether a process group has members, the dead ones not counted
// that a slow or careless init has yet to bury.
func alive(group int) bool {
	if syscall.Kill(-group, 0) == syscall.ESRCH {
		return false
	}
	all := processes()
	return len(all) == 0 || slices.ContainsFunc(all, func(p process) bool {
		return p.group == group && p.state != 'Z'
	})
}

// process is a line of the process table.
type process struct {
	pid, parent, group int
	state              byte // 'Z' when it is dead and waits to be buried
}

// processes lists what /proc shows; nothing where it is not mounted.
func processes() []process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }() // read only
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it is gone
		}
		if p := parseStat(stat); p.state != 0 {
			p.pid = pid
			all = append(all, p)
		}
	}
	return all
}

// parseStat reads "42 (name) S parent group …", where the name may hold
// anything.
func parseStat(b []byte) process {
	var p process
	fields := string(b[bytes.LastIndexByte(b, ')')+1:])
	if _, err := fmt.Sscanf(fields, " %c %d %d", &p.state, &p.parent, &p.group); err != nil {
		return process{}
	}
	return p
}
