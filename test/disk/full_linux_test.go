package disk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/test/tally"
	"github.com/jackc/pgx/v5"
)

// Full disks: callers are told so, what was answered before is there, and as
// soon as there is room again all goes on.

func TestAFullDiskIsLeftBehindOnSQLite(t *testing.T) {
	t.Parallel()
	d := newSmallDisk(t, strconv.Itoa(32+8*tally.Number(t, "TQ_FILLS", 1))+"m")
	f := newFiller(t, filepath.Join(d.dir, "tq.db"))
	cycles := tally.Number(t, "TQ_FILLS", 1)
	for range cycles {
		d.leave(1 << 20)
		f.fill("the disk is full")
		d.free()
		f.goesOn()
	}
	f.standsWhatWasKept(cycles)
}

// A server whose tables cannot grow refuses, and goes on without a restart. One
// whose log cannot grow gives up, and comes back when it is started with room.
func TestAFullDiskIsLeftBehindOnPostgres(t *testing.T) {
	t.Parallel()
	d := newSmallDisk(t, "256m")
	c, err := pgtest.StartIn(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	f := newFiller(t, c.URL())
	const rest = 4 << 20 // a quarter of a segment of the log
	newSegment(t, c)
	d.leave(rest)
	f.fill("the server's disk is full")
	d.free()
	f.goesOn()

	newSegment(t, c)
	d.leave(rest)
	f.fill("the server's disk is full")
	newSegment(t, c) // for which there is no room
	for began := time.Now(); !c.Gone() && time.Since(began) < time.Minute; {
		if err := f.enqueue(); err != nil {
			f.unavailable(err)
		}
	}
	f.unavailable(f.enqueue())
	d.free()
	if err := errors.Join(c.Crash(), c.Launch()); err != nil {
		t.Fatal(err)
	}
	f.goesOn()
	f.standsWhatWasKept(2)
}

// smallDisk is a tmpfs, so that a write fails as soon as it finds no room.
type smallDisk struct {
	t   *testing.T
	dir string
}

func newSmallDisk(t *testing.T, size string) smallDisk {
	t.Helper()
	needRoot(t)
	d := smallDisk{t, filepath.Join(folder(t), "small")}
	mount(t, d.dir, "-t", "tmpfs", "-o", "mode=755,size="+size, "tmpfs")
	return d
}

func (d smallDisk) ballast() string { return filepath.Join(d.dir, "ballast") }

// leave takes all room but that much. What the store has to tidy after the last
// time may be written between the look and the taking: then it looks again.
func (d smallDisk) leave(bytes int64) {
	d.t.Helper()
	f, err := os.Create(d.ballast())
	if err != nil {
		d.t.Fatal(err)
	}
	for range 100 {
		if err = d.takeAllBut(f, bytes); !errors.Is(err, syscall.ENOSPC) {
			break
		}
	}
	if err := errors.Join(err, f.Close()); err != nil {
		d.t.Fatalf("take room: %v", err)
	}
}

func (d smallDisk) takeAllBut(f *os.File, bytes int64) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &fs); err != nil {
		return err
	}
	return syscall.Fallocate(int(f.Fd()), 0, 0, int64(fs.Bavail)*fs.Bsize-bytes)
}

func (d smallDisk) free() {
	d.t.Helper()
	if err := os.Remove(d.ballast()); err != nil {
		d.t.Fatal(err)
	}
}

// newSegment has the server begin a new segment of its log, or give up for want
// of room.
func newSegment(t *testing.T, c *pgtest.Cluster) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, c.URL())
	if err != nil {
		t.Errorf("connect: %v", err)
		return
	}
	_, err = conn.Exec(ctx, "select pg_switch_wal(), pg_logical_emit_message(true, '', 'the first record')")
	t.Logf("a new segment of the log: %v", err)
	_ = conn.Close(ctx) // the server may be gone
}

// filler is a store and what it answered.
type filler struct {
	t     *testing.T
	store tq.Store

	mu   sync.Mutex
	keys map[int64]string
	all  int
	told int // that there is no room
}

func newFiller(t *testing.T, db string) *filler {
	t.Helper()
	s, err := store.Open(db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &filler{t: t, store: s, keys: map[int64]string{}}
}

// enqueue makes one large task that does not pack.
func (f *filler) enqueue() error {
	f.mu.Lock()
	f.all++
	key := fmt.Sprint("key-", f.all)
	f.mu.Unlock()
	body := make([]byte, 48<<10)
	_, _ = rand.NewChaCha8([32]byte{byte(len(key))}).Read(body) // never fails
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	n, err := tq.NewTask{Type: "t", IdempotencyKey: key, Payload: text}.Normal()
	if err != nil {
		return err
	}
	out, err := f.store.Enqueue(f.ctx(), []tq.NewTask{n}, "filler")
	if err == nil {
		f.mu.Lock()
		f.keys[out[0].ID] = key
		f.mu.Unlock()
	}
	return err
}

// fill enqueues from several callers until each was refused three times, always
// in these words and with a hint.
func (f *filler) fill(words string) {
	f.t.Helper()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for refusals := 0; refusals < 3; {
				err := f.enqueue()
				if err == nil {
					continue
				}
				refusals++
				f.unavailable(err)
				if !strings.Contains(err.Error(), words) {
					f.t.Errorf("a refusal for want of room: %v, want it to say %q", err, words)
				}
			}
		})
	}
	group.Wait()
}

// unavailable fails the test unless err is one to try again after, and says what
// to do.
func (f *filler) unavailable(err error) {
	f.t.Helper()
	f.mu.Lock()
	f.told++
	f.mu.Unlock()
	var e *tq.Error
	if !errors.As(err, &e) || e.Code != tq.CodeUnavailable && e.Code != tq.CodeOutcomeUnknown || e.Hint == "" {
		f.t.Errorf("on a full disk: %v (%s), want unavailable and a hint", err, tq.CodeOf(err))
	}
}

// goesOn enqueues and settles again, at once.
func (f *filler) goesOn() {
	f.t.Helper()
	w := &writer{store: f.store, start: fmt.Sprint("after-", f.all), quiet: true}
	for range 5 {
		if err := errors.Join(f.enqueue(), w.finish(f.ctx())); err != nil {
			f.t.Errorf("when there is room again: %v", err)
		}
	}
}

func (f *filler) standsWhatWasKept(cycles int) {
	f.t.Helper()
	keys, n := keysOf(f.t, f.store), tally.Counts{Faults: cycles, Attempted: f.all, Acknowledged: len(f.keys)}
	for id, key := range f.keys {
		if keys[id] != key {
			f.t.Errorf("task %d with key %s was acknowledged, found %q", id, key, keys[id])
			n.Lost++
		}
		delete(keys, id)
	}
	for _, key := range keys {
		if strings.HasPrefix(key, "key-") {
			n.Recovered++
		}
	}
	sound(f.t, f.store)
	n.OK, n.Indeterminate = n.Acknowledged-n.Lost, f.told
	n.Report(f.t)
}

func (f *filler) ctx() context.Context { return context.WithoutCancel(f.t.Context()) }
