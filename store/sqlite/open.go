package sqlite

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"example.com/tq"
	modernc "modernc.org/sqlite"
	zs "zombiezen.com/go/sqlite"
)

// Options adjusts a Store. The zero value is what almost everybody wants.
type Options struct {
	// Durability is "full" (the default: success is answered after the disk
	// has it) or "relaxed" (a power cut may lose the last moments).
	Durability string

	// Clock is the store's only clock, time.Now by default.
	Clock func() time.Time

	// Readers is how many reads may run at once; 4 by default.
	Readers int
}

// The durabilities.
const (
	Full    = "full"
	Relaxed = "relaxed"
)

const defaultReaders = 4

// The files beside the database, apart from SQLite's own -wal and -shm.
const (
	lockSuffix  = "-lock" // who may write: lock.go
	wakeSuffix  = "-wake" // tells other processes that something was committed: watch.go
	draftSuffix = "-new"  // a database being created
)

// Store is a tq.Store in one SQLite file. Several processes may open the same
// file at once.
type Store struct {
	path    string
	info    tq.StoreInfo
	readers *readers
	lanes   *lanes

	writer   *writer
	watchers *watchers
	waker    *waker
	closing  chan struct{}
	closeAll sync.Once
	closeErr error
}

var _ tq.Store = (*Store)(nil)

// Open opens the database file at path and creates it, with its folder, when
// there is none. It refuses with code invalid, and leaves alone, whatever is
// not a database of tq that this version knows, lies on a network file system
// or may be written by others.
func Open(path string, o Options) (*Store, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	path, err := locate(path)
	if err != nil {
		return nil, err
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	return o.open(path)
}

func (o *Options) fill() error {
	switch o.Durability {
	case "":
		o.Durability = Full
	case Full, Relaxed:
	default:
		return tq.Errorf(tq.CodeInvalid, "durability is %q, want %s or %s", o.Durability, Full, Relaxed).
			WithHint("leave it out for %s", Full)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Readers <= 0 {
		o.Readers = defaultReaders
	}
	return nil
}

func (o Options) open(path string) (*Store, error) {
	s := &Store{
		path: path, readers: newReaders(path, o.Readers), lanes: newLanes(),
		watchers: &watchers{all: make(map[*watcher]bool)}, waker: &waker{path: path + wakeSuffix},
		closing: make(chan struct{}),
	}
	if err := s.readInfo(o); err != nil {
		return nil, join(err, s.readers.close())
	}
	// One disk write less at each commit, with the same promise. Where there is
	// no fdatasync, fsync stays (docs/decisions/001-sqlite-driver.md).
	_, _ = modernc.Fdatasync(true)
	turns, err := openTurnLock(path + lockSuffix)
	if err != nil {
		return nil, join(cannotCreate(path, err), s.readers.close())
	}
	c, err := openWriter(path, o.Durability)
	if err != nil {
		return nil, join(join(fault("open "+path, err), s.readers.close()), turns.close())
	}
	s.writer = s.startWriter(c, turns, o.Durability)
	return s, nil
}

// writerPragmas are the same for creating, migrating and writing. Checkpoints
// are the writer's own (checkpoint.go).
const writerPragmas = `
	pragma journal_mode = wal;
	pragma synchronous = %s;
	pragma trusted_schema = off;
	pragma cell_size_check = on;
	pragma temp_store = memory;
	pragma cache_size = -32000;
	pragma wal_autocheckpoint = 0;
	pragma journal_size_limit = 67108864;`

func openWriter(path, durability string) (*conn, error) {
	level := "full"
	if durability == Relaxed {
		level = "normal"
	}
	return openConn(path, zs.OpenReadWrite, fmt.Sprintf(writerPragmas, level))
}

// newSecret answers what lease tokens are signed with: 256 random bits.
func newSecret() ([]byte, error) {
	b := make([]byte, 32)
	_, err := rand.Read(b)
	return b, err
}

// Info describes the store.
func (s *Store) Info() tq.StoreInfo { return s.info }

// readInfo reads what never changes; the store is usable from here on.
func (s *Store) readInfo(o Options) error {
	return s.read(context.Background(), func(c *conn) error {
		secret, err := c.metaBytes(metaSecret)
		if err != nil {
			return err
		}
		if len(secret) < 32 {
			return tq.Errorf(tq.CodeInvalid, "%s has no secret: it is not whole", s.path)
		}
		s.info = tq.StoreInfo{Engine: "sqlite", Place: s.path, Durability: o.Durability, Secret: secret, Now: o.Clock}
		return nil
	})
}

// now is the store's clock in milliseconds.
func (s *Store) now() int64 { return s.info.Now().UnixMilli() }

// Close ends the store: what was asked for before is done and answered, Watch
// returns.
func (s *Store) Close() error {
	s.closeAll.Do(func() {
		close(s.closing)
		s.closeErr = join(join(s.readers.close(), s.writer.close()), s.waker.close())
	})
	return s.closeErr
}
