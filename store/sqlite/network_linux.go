package sqlite

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// networkFS answers the name of the network file system that dir lies on, or
// "" for a local one (or one we cannot tell).
func networkFS(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return ""
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB"
	case unix.CIFS_SUPER_MAGIC:
		return "CIFS"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "AFS"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	case unix.CODA_SUPER_MAGIC:
		return "Coda"
	case unix.FUSE_SUPER_MAGIC:
		return remoteFuse(dir)
	}
	return ""
}

// remoteFuse answers the kind of a FUSE mount when it is one that reaches over
// the network; encrypted folders and foreign disks are FUSE mounts as well.
func remoteFuse(dir string) string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	kind := mountKind(string(mounts), dir)
	for _, remote := range []string{"sshfs", "s3fs", "rclone", "gcsfuse", "glusterfs", "ceph", "davfs", "goofys", "juicefs", "smbnetfs", "curlftpfs"} {
		if strings.Contains(kind, remote) {
			return kind
		}
	}
	return ""
}

// mountKind finds the type of the deepest mount above dir in the text of
// /proc/self/mountinfo.
func mountKind(mounts, dir string) string {
	kind, deepest := "", -1
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		dash := indexOf(fields, "-")
		if len(fields) < 5 || dash < 0 || dash+1 >= len(fields) {
			continue
		}
		point := strings.ReplaceAll(fields[4], `\040`, " ")
		rel, err := filepath.Rel(point, dir)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") || len(point) <= deepest {
			continue
		}
		kind, deepest = fields[dash+1], len(point)
	}
	return kind
}

func indexOf(fields []string, word string) int {
	for i, f := range fields {
		if f == word {
			return i
		}
	}
	return -1
}

// mayWrite reports why the file may not be written.
func mayWrite(path string) error { return unix.Access(path, unix.W_OK) }
