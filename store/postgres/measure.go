package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// What a measurement asks of an engine beside its tasks.

// Version names the engine and its version.
func (s *Store) Version(ctx context.Context) (string, error) {
	text := ""
	err := s.pool.QueryRow(ctx, `select current_setting('server_version')`).Scan(&text)
	return "PostgreSQL " + text, fault("read the version", err)
}

// Written answers how many bytes of log the whole server has written since its
// data was made; what others write meanwhile counts too.
func (s *Store) Written(ctx context.Context) (size int64, err error) {
	err = s.pool.QueryRow(ctx, `select (pg_current_wal_insert_lsn() - '0/0')::bigint`).Scan(&size)
	return size, fault("read the length of the log", err)
}

// Hold keeps a snapshot open on a connection of its own until it is released:
// what a forgotten transaction does to a database.
func (s *Store) Hold(ctx context.Context) (release func() error, err error) {
	c, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, fault("hold a snapshot", err)
	}
	closeIt := func() error { return c.Close(context.WithoutCancel(ctx)) }
	_, err = c.Exec(ctx, `begin isolation level repeatable read; select txid_current()`)
	if err != nil {
		_ = closeIt() // it has nothing to lose
		return nil, fault("hold a snapshot", err)
	}
	return closeIt, nil
}
