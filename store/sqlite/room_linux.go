package sqlite

import "golang.org/x/sys/unix"

// room is how many bytes of dir's file system are free to us.
func room(dir string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}
