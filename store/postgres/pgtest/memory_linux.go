package pgtest

import "syscall"

// memory is a folder that lives in memory and has room for a cluster, or "",
// the usual place for temporary files.
func memory() string {
	const (
		shared = "/dev/shm"
		room   = 2 << 30
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shared, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return shared
}
