package disk

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/tq/store"
	"example.com/tq/test/tally"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A disk that fails: a file system of ours hands everything on to a folder, and
// fails the nth write or sync when it is told to. The writer stays the same
// process throughout: it is told that the disk failed, and goes on.

func TestAFailingDiskLosesNothingAndIsLeftBehind(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("mounts a file system and takes seconds")
	}
	seed := tally.Seed(t)
	d := newFaultyDisk(t)
	a := newAnswered()
	began, stop := a.startOne(t, map[string]string{writerRole: "full", writerDB: filepath.Join(d.dir, "tq.db"), writerGoesOn: "1"}, 50)
	<-began
	n := tally.Counts{Seed: seed}
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range failures() {
		for nth := range tally.Number(t, "TQ_IO_FAULTS", 4) {
			took := d.failOnce(a, fault{failure: kind, nth: 1 + nth + rng.IntN(3)})
			n.Faults, n.Longest = n.Faults+1, max(n.Longest, took)
		}
	}
	stop()
	for _, f := range a.failures {
		t.Errorf("the writer met an error: %s", f)
		n.Unexpected++
	}
	n.Indeterminate = a.refused
	d.verify(a, &n)
	n.Report(t)
}

// failure is a way in which a disk fails.
type failure struct {
	name  string
	sync  bool // a sync does, else a write
	short bool // half of what was to be written is
	errno syscall.Errno
}

func failures() []failure {
	return []failure{
		{name: "a write fails", errno: syscall.EIO},
		{name: "a write is cut short", short: true, errno: syscall.EIO},
		{name: "a write finds no room", errno: syscall.ENOSPC},
		{name: "a sync fails", sync: true, errno: syscall.EIO},
	}
}

// fault is one failure, of the nth write or sync from now.
type fault struct {
	failure
	nth int
	hit chan struct{}
}

// faultyDisk is a folder behind a file system of ours.
type faultyDisk struct {
	t         *testing.T
	dir, base string

	mu   sync.Mutex
	next *fault
}

func newFaultyDisk(t *testing.T) *faultyDisk {
	t.Helper()
	needRoot(t)
	d := &faultyDisk{t: t, dir: t.TempDir(), base: t.TempDir()}
	var st syscall.Stat_t
	if err := syscall.Stat(d.base, &st); err != nil {
		t.Fatal(err)
	}
	root := &fs.LoopbackRoot{Path: d.base, Dev: st.Dev}
	root.RootNode = &faultyNode{LoopbackNode: &fs.LoopbackNode{RootData: root}, disk: d}
	server, err := fs.Mount(d.dir, root.RootNode, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "faulty"}})
	if err != nil {
		t.Fatalf("mount a file system of our own: %v\nhint: run as root where /dev/fuse is", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// failOnce waits until the fault has been met and the writer has been answered
// again, and returns how long that took.
func (d *faultyDisk) failOnce(a *answered, f fault) time.Duration {
	d.t.Helper()
	f.hit = make(chan struct{})
	d.mu.Lock()
	d.next = &f
	d.mu.Unlock()
	patience := time.After(time.Minute)
	select {
	case <-f.hit:
	case <-patience:
		d.t.Fatalf("%s: nothing was written in a minute", f.name)
	}
	began := time.Now()
	select {
	case <-a.more(1):
	case <-patience:
		d.t.Fatalf("%s, the %dth: the writer did not go on", f.name, f.nth)
	}
	took := time.Since(began)
	select {
	case <-a.more(20):
	case <-patience:
		d.t.Fatalf("%s, the %dth: the writer did not go on for long", f.name, f.nth)
	}
	return took
}

// due reports what a write or sync now has to meet.
func (d *faultyDisk) due(sync bool) *fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.next
	if f == nil || f.sync != sync {
		return nil
	}
	if f.nth--; f.nth > 0 {
		return nil
	}
	d.next = nil
	close(f.hit)
	return f
}

// verify looks below, at what the folder holds.
func (d *faultyDisk) verify(a *answered, n *tally.Counts) {
	d.t.Helper()
	s, err := store.Open(filepath.Join(d.base, "tq.db"), store.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	r := &cutter{t: d.t}
	r.compare(s, a.until())
	sound(d.t, s)
	r.goesOn(s)
	if err := s.Close(); err != nil {
		d.t.Error(err)
	}
	n.Acknowledged, n.OK, n.Lost, n.Recovered = r.found+r.lost, r.found, r.lost, r.extra
	n.Attempted = n.Acknowledged + n.Indeterminate
}

// faultyNode is a file or folder of the disk.
type faultyNode struct {
	*fs.LoopbackNode
	disk *faultyDisk
}

// WrapChild makes what is inside one too.
func (n *faultyNode) WrapChild(_ context.Context, inside fs.InodeEmbedder) fs.InodeEmbedder {
	if plain, ok := inside.(*fs.LoopbackNode); ok {
		return &faultyNode{LoopbackNode: plain, disk: n.disk}
	}
	return inside
}

func (n *faultyNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	h, flags, errno := n.LoopbackNode.Open(ctx, flags)
	return n.wrap(h, n.EmbeddedInode().Path(nil)), flags, errno
}

// Create makes a file.
func (n *faultyNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	node, h, flags, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	return node, n.wrap(h, name), flags, errno
}

// wrap leaves mapped memory alone, which never reaches a disk.
func (n *faultyNode) wrap(h fs.FileHandle, name string) fs.FileHandle {
	file, ok := h.(*fs.LoopbackFile)
	if !ok || strings.HasSuffix(name, "-shm") {
		return h
	}
	return &faultyFile{LoopbackFile: file, disk: n.disk}
}

type faultyFile struct {
	*fs.LoopbackFile
	disk *faultyDisk
}

// PassthroughFd keeps the kernel from going past us.
func (f *faultyFile) PassthroughFd() (int, bool) { return 0, false }

func (f *faultyFile) Write(ctx context.Context, data []byte, at int64) (uint32, syscall.Errno) {
	x := f.disk.due(false)
	switch {
	case x == nil:
		return f.LoopbackFile.Write(ctx, data, at)
	case x.short:
		return f.LoopbackFile.Write(ctx, data[:len(data)/2], at)
	}
	return 0, x.errno
}

func (f *faultyFile) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	if x := f.disk.due(true); x != nil {
		return x.errno
	}
	return f.LoopbackFile.Fsync(ctx, flags)
}
