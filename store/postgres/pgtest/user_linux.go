package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged is the user that runs the server when we are root.
func unprivileged() (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		id, err := strconv.ParseUint(u.Uid, 10, 32)
		group, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err == nil && err2 == nil {
			return uint32(id), uint32(group), true
		}
	}
	return 0, 0, false
}

// own gives a folder to the user that runs the server.
func own(dir string) error {
	uid, gid, ok := unprivileged()
	if !ok {
		return nil
	}
	return os.Chown(dir, int(uid), int(gid))
}

// asOther runs cmd as that user; it ends with us, also when we are killed.
func asOther(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT, Setpgid: true}
	if uid, gid, ok := unprivileged(); ok {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
}
