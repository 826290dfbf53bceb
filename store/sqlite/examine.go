package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/tq"
)

// How the file and the disk below it are kept: what has slowed or damaged files
// of this kind. A file on a network file system is refused at Open already.

const (
	tallLog    = 256 << 20 // bytes of the write-ahead log
	longTurn   = time.Second
	littleRoom = 256 << 20
	clockAhead = time.Second
	mostlyFree = 0.5 // of the pages of a file that is worth shrinking
	smallFile  = 64 << 20

	selectPages = `select page_count, freelist_count, page_size from pragma_page_count, pragma_freelist_count, pragma_page_size`
	selectLast  = `select coalesce(max(at), 0) from (select at from facts order by seq desc limit 100)`
)

// Examine says how the file and its disk are kept.
func (s *Store) Examine(ctx context.Context) ([]tq.Finding, error) {
	version, err := s.Version(ctx)
	if err != nil {
		return nil, err
	}
	found := []tq.Finding{tq.Well("version", version), s.durability(), s.mode(), s.disk(), s.log()}
	for _, look := range []func(context.Context) (tq.Finding, error){s.pages, s.clock, s.turns} {
		f, err := look(ctx)
		if err != nil {
			return found, err
		}
		found = append(found, f)
	}
	return found, nil
}

func (s *Store) durability() tq.Finding {
	f := tq.Well("durability", s.info.Durability)
	if s.info.Durability == Relaxed {
		return f.Worse(tq.LevelNote, "leave --durability out: a power cut may lose the last moments")
	}
	return f
}

// mode: the file holds payloads, results and the secret that signs leases.
func (s *Store) mode() tq.Finding {
	info, err := os.Stat(s.path)
	if err != nil {
		return tq.Well("file", err.Error()).Worse(tq.LevelBad, "something has removed the file under a running process: stop it and restore the file")
	}
	f := tq.Well("file", fmt.Sprintf("%s, mode %s, %d MiB", s.path, info.Mode().Perm(), info.Size()>>20))
	if info.Mode().Perm()&0o077 != 0 {
		return f.Worse(tq.LevelNote, "others may read it: chmod 600 "+s.path)
	}
	return f
}

func (s *Store) disk() tq.Finding {
	dir := filepath.Dir(s.path)
	free, ok := room(dir)
	if !ok {
		return tq.Well("disk", "this system does not say how much is free")
	}
	f := tq.Well("disk", fmt.Sprintf("%d MiB free below %s, local", free>>20, dir))
	if free < littleRoom {
		return f.Worse(tq.LevelBad, "make room: enqueues are refused when it is full")
	}
	return f
}

// log: it grows while somebody reads without end.
func (s *Store) log() tq.Finding {
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		return tq.Well("write-ahead log", "none")
	}
	f := tq.Well("write-ahead log", fmt.Sprintf("%d MiB", info.Size()>>20))
	if info.Size() > tallLog {
		return f.Worse(tq.LevelNote, "some process has been reading for a long time (lsof names those that have it open): end it")
	}
	return f
}

func (s *Store) pages(ctx context.Context) (f tq.Finding, err error) {
	err = s.read(ctx, func(c *conn) error {
		q := c.sql(selectPages)
		if q.next() {
			all, free, size := q.colInt(0), q.colInt(1), q.colInt(2)
			f = tq.Well("pages", fmt.Sprintf("%d, %d of them free", all, free))
			if all*size > smallFile && float64(free) > mostlyFree*float64(all) {
				f = f.Worse(tq.LevelNote, "they are used again; to give them back, stop all workers and run: sqlite3 FILE vacuum")
			}
		}
		return q.end()
	})
	return f, err
}

// clock: facts from the future mean that it was turned back.
func (s *Store) clock(ctx context.Context) (f tq.Finding, err error) {
	err = s.read(ctx, func(c *conn) error {
		q := c.sql(selectLast)
		if q.next() {
			ahead := time.Duration(q.colInt(0)-s.now()) * time.Millisecond
			f = tq.Well("clock", "behind no fact of the journal")
			if ahead > clockAhead {
				f = tq.Well("clock", fmt.Sprintf("%s behind the newest facts", ahead.Round(time.Second))).
					Worse(tq.LevelBad, "set it right: leases and delays last longer by that")
			}
		}
		return q.end()
	})
	return f, err
}

// turns: how long a writer waits for the others.
func (s *Store) turns(ctx context.Context) (tq.Finding, error) {
	began := time.Now()
	err := s.write(ctx, 0, func(*turn) error { return nil })
	waited := time.Since(began)
	f := tq.Well("lock", fmt.Sprintf("had after %s", waited.Round(time.Millisecond)))
	if err != nil || waited > longTurn {
		if err != nil {
			f.Value = err.Error()
		}
		return f.Worse(tq.LevelBad, "a stopped or very busy process holds it (lsof "+s.path+lockSuffix+")"), nil
	}
	return f, nil
}
