package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	_ "github.com/mattn/go-sqlite3"
	"maragu.dev/goqite"
)

// files numbers the database files of this process.
type files struct{ n atomic.Int64 }

func (f *files) next(folder string) string {
	return filepath.Join(folder, fmt.Sprintf("peer-%d.db", f.n.Add(1)))
}

// openSQLite opens a new file the way their README files do, with full
// durability: the fastest driver, a write-ahead log, one connection, since more
// only wait for each other.
func openSQLite(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", path+"?_journal=WAL&_timeout=10000&_fk=true&_txlock=immediate&_synchronous=FULL")
	if err == nil {
		db.SetMaxOpenConns(1)
		db.SetMaxIdleConns(1)
	}
	return db, err
}

// goqitePeer receives and deletes, with that many callers: its runner waits
// between polls.
type goqitePeer struct {
	db *sql.DB
	q  *goqite.Queue
}

func openGoqite(paths *files) opener {
	return func(ctx context.Context, place string) (peer, error) {
		db, err := openSQLite(paths.next(place))
		if err != nil {
			return nil, err
		}
		if _, err := db.ExecContext(ctx, goqiteSchema); err != nil {
			return nil, err
		}
		return &goqitePeer{db: db, q: goqite.New(goqite.NewOpts{DB: db, Name: "bench"})}, nil
	}
}

// goqiteSchema is schema_sqlite.sql of goqite 0.4.0, which users apply by hand.
const goqiteSchema = `
create table goqite (
  id text primary key default ('m_' || lower(hex(randomblob(16)))),
  created text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  updated text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  queue text not null,
  body blob not null,
  timeout text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  received integer not null default 0,
  priority integer not null default 0
) strict;
create trigger goqite_updated_timestamp after update on goqite begin
  update goqite set updated = strftime('%Y-%m-%dT%H:%M:%fZ') where id = old.id;
end;
create index goqite_queue_priority_created_idx on goqite (queue, priority desc, created);`

func (p *goqitePeer) put(ctx context.Context, first, n int) error {
	if n == 1 {
		body, err := json.Marshal(newPayload(first))
		if err != nil {
			return err
		}
		return p.q.Send(ctx, goqite.Message{Body: body})
	}
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for i := range n {
		body, err := json.Marshal(newPayload(first + i))
		if err == nil {
			err = p.q.SendTx(ctx, tx, goqite.Message{Body: body})
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func (p *goqitePeer) work(ctx context.Context, hands int, ran func(number int)) error {
	var workers sync.WaitGroup
	var failed atomic.Pointer[error]
	for range hands {
		workers.Go(func() {
			for ctx.Err() == nil {
				if err := p.cycle(context.WithoutCancel(ctx), ran); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	workers.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *goqitePeer) cycle(ctx context.Context, ran func(number int)) error {
	m, err := p.q.Receive(ctx)
	if err != nil || m == nil {
		return err
	}
	var body payload
	if err := json.Unmarshal(m.Body, &body); err != nil {
		return err
	}
	ran(body.N)
	return p.q.Delete(ctx, m.ID)
}

func (p *goqitePeer) close() error { return p.db.Close() }
