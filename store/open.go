// Package store opens databases by their address, with every engine of this
// build. Libraries import the one engine they use instead.
package store

import (
	"context"
	"strings"

	"example.com/tq"
	"example.com/tq/store/postgres"
	"example.com/tq/store/sqlite"
)

// Options for every engine; the zero value works.
type Options struct {
	// Durability is "full" (the default: success is answered after the disk has
	// it) or "relaxed" (a power cut may lose the last moments).
	Durability string
}

// Open opens the store at url: a path is an SQLite file, made if it is missing,
// postgres:// names a database on a server, in which the tables are made.
func Open(url string, o Options) (tq.Store, error) {
	scheme, _, ok := strings.Cut(url, "://")
	if !ok {
		return openFile(url, o)
	}
	// The address may carry a password, so it is not repeated here.
	switch scheme {
	case "postgres", "postgresql":
		return openServer(url, o)
	case "http", "https":
		return nil, tq.Errorf(tq.CodeInvalid, "a hub is no database").
			WithHint("ask it with client.New, or name a file or postgres://user@host/database")
	}
	return nil, tq.Errorf(tq.CodeInvalid, "%s:// is not an address of a database", scheme).
		WithHint("want the path of a file, or postgres://user@host/database")
}

// Restore puts the copy of a store at from in the place that url names, where
// nothing may be. Only files can be restored like that. Report hears how many
// bytes of how many are written; it may be nil.
func Restore(ctx context.Context, from, url string, report func(done, of int64)) error {
	if strings.Contains(url, "://") {
		return tq.Errorf(tq.CodeInvalid, "a copy of a file is restored to a file").
			WithHint("name one that is not there: --db FILE")
	}
	return sqlite.Restore(ctx, from, url, report)
}

func openFile(path string, o Options) (tq.Store, error) {
	s, err := sqlite.Open(path, sqlite.Options{Durability: o.Durability})
	if err != nil {
		return nil, err // not a nil *sqlite.Store in an interface that is not nil
	}
	return s, nil
}

func openServer(address string, o Options) (tq.Store, error) {
	s, err := postgres.Open(address, postgres.Options{Durability: o.Durability})
	if err != nil {
		return nil, err
	}
	return s, nil
}
