package postgres

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Migrations: numbered files, forward only, each in a transaction of its own
// together with its row in tq.versions, under an advisory lock. DDL is
// transactional here, so a migration cut short at any statement leaves nothing
// and the next start does it again.

//go:embed migrations/*.sql
var migrations embed.FS

const (
	lockMigrations = `select pg_advisory_xact_lock(hashtextextended('tq migrations ' || $1, 0))`
	hasSchema      = `select to_regnamespace($1) is not null, to_regclass($1 || '.versions') is not null`
	createVersions = `create table tq.versions (version int primary key, at timestamptz not null default clock_timestamp())`
	insertVersion  = `insert into tq.versions (version) values ($1)`
	selectVersion  = `select coalesce(max(version), 0) from tq.versions`
	selectSecret   = `select value from tq.meta where name = 'secret'`
	insertSecret   = `insert into tq.meta (name, value) values ('secret', $1) on conflict do nothing`
)

func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for {
		done, err := s.migrateOne(ctx, names)
		if done || err != nil {
			return fault("migrate", err)
		}
	}
}

// migrateOne runs the next migration, if there is one.
func (s *Store) migrateOne(ctx context.Context, names []string) (done bool, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockMigrations, s.o.Schema); err != nil {
			return err
		}
		version, err := s.version(ctx, tx)
		if err != nil {
			return err
		}
		if version > len(names) {
			return tq.Errorf(tq.CodeInvalid, "the schema %s is of version %d, newer than this tq knows (%d)", s.o.Schema, version, len(names)).
				WithHint("use a newer tq")
		}
		if done = version == len(names); done {
			return nil
		}
		text, err := migrations.ReadFile(names[version])
		if err != nil {
			return err
		}
		if err := s.runScript(ctx, tx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", names[version], err)
		}
		_, err = tx.Exec(ctx, s.texts.of(insertVersion), version+1)
		return err
	})
	return done, err
}

// version is that of the schema; a missing schema is made.
func (s *Store) version(ctx context.Context, tx pgx.Tx) (int, error) {
	var schema, versions bool
	if err := tx.QueryRow(ctx, hasSchema, s.o.Schema).Scan(&schema, &versions); err != nil {
		return 0, err
	}
	switch {
	case schema && !versions && !s.empty(ctx, tx):
		return 0, tq.Errorf(tq.CodeInvalid, "the schema %s holds tables that are not tq's", s.o.Schema).
			WithHint("name another one: ?schema=NAME in the address")
	case !schema:
		if _, err := tx.Exec(ctx, "create schema "+s.o.Schema); err != nil {
			return 0, err
		}
	}
	if !versions {
		_, err := tx.Exec(ctx, s.texts.of(createVersions))
		return 0, err
	}
	var version int
	err := tx.QueryRow(ctx, s.texts.of(selectVersion)).Scan(&version)
	return version, err
}

func (s *Store) empty(ctx context.Context, tx pgx.Tx) bool {
	var n int
	err := tx.QueryRow(ctx, `select count(*) from pg_class where relnamespace = to_regnamespace($1)`, s.o.Schema).Scan(&n)
	return err == nil && n == 0
}

// runScript runs a migration with its tables in our schema. The simple protocol
// takes many statements at once.
func (s *Store) runScript(ctx context.Context, tx pgx.Tx, text string) error {
	script := "set local search_path to " + s.o.Schema + ", pg_catalog, pg_temp;\n" + strings.TrimSpace(text)
	_, err := tx.Conn().PgConn().Exec(ctx, script).ReadAll()
	return err
}

// secret reads what signs lease tokens, and makes it in a new store, with the
// mark that is to be there already when it is first written.
func (s *Store) secret(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	if _, err := s.pool.Exec(ctx, s.texts.of(insertSecret), fresh); err != nil {
		return nil, err
	}
	if _, err := s.pool.Exec(ctx, s.texts.of(insertSweepAt)); err != nil {
		return nil, err
	}
	var secret []byte
	err := s.pool.QueryRow(ctx, s.texts.of(selectSecret)).Scan(&secret)
	return secret, err
}
