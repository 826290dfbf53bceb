package disk

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// disk is an ext4 in an image file on a btrfs. What it has been told to write
// stands in the image; what still waits in memory does not. A clone of the image,
// made in an instant by btrfs, is therefore what a power cut leaves behind.
type disk struct {
	t     *testing.T
	outer string // where the btrfs is mounted
	dir   string // where the ext4 is mounted
}

const (
	outerSize = 3 << 30 // sparse: only what is written takes room
	innerSize = 1 << 30
)

func newDisk(t *testing.T) *disk {
	t.Helper()
	needRoot(t)
	base := folder(t)
	d := &disk{t: t, outer: filepath.Join(base, "outer"), dir: filepath.Join(base, "disk")}
	image := filepath.Join(base, "btrfs.img")
	sparse(t, image, outerSize)
	run(t, "mkfs.btrfs", "-q", image)
	mountImage(t, image, d.outer)
	sparse(t, d.image(), innerSize)
	run(t, "mkfs.ext4", "-q", "-F", d.image())
	mountImage(t, d.image(), d.dir)
	return d
}

func (d *disk) image() string { return filepath.Join(d.outer, "disk.img") }

// settle writes out all that waits in memory.
func (d *disk) settle() {
	d.t.Helper()
	f, err := os.Open(d.dir)
	if err == nil {
		err = errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
	}
	if err != nil {
		d.t.Fatalf("sync %s: %v", d.dir, err)
	}
}

// cut clones what the disk holds at this moment. Mount it to see it.
func (d *disk) cut() (image string) {
	d.t.Helper()
	from, err := os.Open(d.image())
	if err != nil {
		d.t.Fatal(err)
	}
	to, err := os.CreateTemp(d.outer, "cut-")
	if err == nil {
		err = unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
	}
	if err := errors.Join(err, from.Close()); err != nil {
		d.t.Fatalf("clone the image: %v", err)
	}
	if err := to.Close(); err != nil {
		d.t.Fatal(err)
	}
	return to.Name()
}

// found mounts what a cut left behind while use runs, and throws it away.
func (d *disk) found(image string, use func(dir string)) {
	d.t.Helper()
	dir := d.dir + "-found"
	unmount := mountImage(d.t, image, dir)
	use(dir)
	unmount()
	if err := os.Remove(image); err != nil {
		d.t.Error(err)
	}
}

// folder is one in memory where there is room for it: what a cut leaves is decided
// by the image alone, and memory is faster.
func folder(t *testing.T) string {
	t.Helper()
	const shared, room = "/dev/shm", outerSize + 1<<30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shared, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(shared, "tq-disk-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // the database's own user passes through
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("this test mounts file systems of its own: run it as root")
	}
}

func sparse(t *testing.T, path string, size int64) {
	t.Helper()
	err := os.WriteFile(path, nil, 0o600)
	if err == nil {
		err = os.Truncate(path, size)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mountImage mounts the file system in a file, through a loop device that is
// given back with it.
func mountImage(t *testing.T, image, dir string) (unmount func()) {
	t.Helper()
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Fatalf("this test mounts an image through a loop device, and there is none (%v): run `modprobe loop`, or a machine that has them", err)
	}
	return mount(t, dir, "-o", "loop", image)
}

// mount mounts something at dir until the test ends, or unmount is called.
func mount(t *testing.T, dir string, args ...string) (unmount func()) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "mount", append(args, dir)...)
	mounted := true
	unmount = func() {
		if !mounted {
			return
		}
		mounted = false
		run(t, "umount", dir)
	}
	t.Cleanup(unmount)
	return unmount
}

// run runs a program of the system and says how to get one that is missing.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Fatalf("no %s here: run `apt-get install btrfs-progs e2fsprogs mount`", name)
	case err != nil:
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
