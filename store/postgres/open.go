package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options adjusts a Store; the zero value works. What an address names itself,
// as schema, conns, notify or pooler, wins.
type Options struct {
	// Schema holds all tables; "tq" by default.
	Schema string

	// Durability is "full" (the default: success is answered after the WAL is
	// on disk) or "relaxed" (synchronous_commit off: a crash of the server may
	// lose the last moments).
	Durability string

	// Conns is the most connections this process opens; 8 by default.
	Conns int

	// NoNotify turns LISTEN and NOTIFY off; wake-ups of other processes are
	// then found by a look each second.
	NoNotify bool

	// Pooled says that a pooler in transaction mode stands in between. No
	// statement is prepared by name then, and NoNotify is implied. Open finds
	// out by itself; it is wrong only about a pooler in session mode, which may
	// be told by pooler=session in the address.
	Pooled bool

	// Clock replaces the server's clock, for tests.
	Clock func() time.Time
}

// The durabilities.
const (
	Full    = "full"
	Relaxed = "relaxed"
)

const (
	defaultSchema = "tq"
	defaultConns  = 8
	openTimeout   = 15 * time.Second
)

// schemaName is what may stand in a statement unquoted.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// Store is a tq.Store in a PostgreSQL schema. It is safe for concurrent use.
type Store struct {
	o       Options
	pool    *pgxpool.Pool
	info    tq.StoreInfo
	texts   *texts
	lanes   *lanes
	cursors *cursors
	news    *watchers
	swept   *sweptMark
	oid     int64 // tells its locks from those of other stores

	enqueues, changes, claims *flusher

	self     string // names this process in wake-ups
	presence *presence
}

var _ tq.Store = (*Store)(nil)

// Open connects to the database that address names (a postgres:// URL or a
// connection string) and brings its schema up to date. It refuses with code
// invalid a server, database or schema that it must not use, and with
// unavailable one it cannot reach.
func Open(address string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, tq.Errorf(tq.CodeInvalid, "the address of the database cannot be read").
			WithHint("write it as postgres://user@host:5432/database")
	}
	asked, err := o.take(config.ConnConfig.RuntimeParams)
	if err != nil {
		return nil, err
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), openTimeout)
	defer stop()
	pool, err := o.connect(ctx, config, asked)
	if err != nil {
		return nil, err
	}
	s := &Store{o: o, pool: pool, texts: newTexts(o.Schema), lanes: newLanes(), cursors: newCursors(), news: newWatchers(), swept: &sweptMark{}, self: rand.Text(), presence: newPresence()}
	s.enqueues = &flusher{most: tq.MaxBatch, flush: s.enqueueParts}
	s.claims = &flusher{most: claimBite, flush: s.claimParts}
	s.changes = &flusher{most: changeBite, flush: s.changeAll}
	if err := s.prepare(ctx, config); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

func (o *Options) fill() error {
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if !schemaName.MatchString(o.Schema) {
		return tq.Errorf(tq.CodeInvalid, "schema: %q is not a name of small letters, digits and _", o.Schema)
	}
	switch o.Durability {
	case "":
		o.Durability = Full
	case Full, Relaxed:
	default:
		return tq.Errorf(tq.CodeInvalid, "durability is %q, want %s or %s", o.Durability, Full, Relaxed).
			WithHint("leave it out for %s", Full)
	}
	if o.Conns <= 0 {
		o.Conns = defaultConns
	}
	return nil
}

// prepare checks the server, migrates, and reads what never changes.
func (s *Store) prepare(ctx context.Context, config *pgxpool.Config) error {
	if err := s.checkServer(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := s.pool.QueryRow(ctx, s.texts.of(selectStore)).Scan(&s.oid); err != nil {
		return fault("read the schema", err)
	}
	secret, err := s.secret(ctx)
	if err != nil {
		return fault("read the secret", err)
	}
	s.info = tq.StoreInfo{
		Engine: "postgres", Place: place(config), Durability: s.o.Durability,
		Secret: secret, Now: s.o.Clock,
	}
	if s.info.Now == nil {
		s.info.Now = time.Now
	}
	return nil
}

// place names the database without secrets.
func place(c *pgxpool.Config) string {
	u := url.URL{Scheme: "postgres", Host: c.ConnConfig.Host, Path: "/" + c.ConnConfig.Database}
	return u.String()
}

const selectServer = `select current_setting('server_version_num')::int,
	current_setting('fsync'), pg_is_in_recovery(), current_setting('server_encoding')`

const oldestServer = 140000

func (s *Store) checkServer(ctx context.Context) error {
	var version int
	var fsync, encoding string
	var replica bool
	err := s.pool.QueryRow(ctx, selectServer).Scan(&version, &fsync, &replica, &encoding)
	switch {
	case err != nil:
		return fault("connect", err)
	case version < oldestServer:
		return tq.Errorf(tq.CodeInvalid, "the server is PostgreSQL %d, tq wants 14 or later", version/10000)
	case encoding != "UTF8":
		return tq.Errorf(tq.CodeInvalid, "the database is encoded in %s, tq wants UTF8", encoding).
			WithHint("create one: createdb -E UTF8 -T template0 tq")
	case replica:
		return tq.Errorf(tq.CodeUnavailable, "the server is a read-only replica").
			WithHint("add target_session_attrs=read-write to the address")
	case fsync != "on" && s.o.Durability == Full:
		return tq.Errorf(tq.CodeInvalid, "the server runs with fsync=off: what it acknowledges may be lost").
			WithHint("turn fsync on, or accept it with --durability relaxed")
	}
	return nil
}

// Info describes the store. Now is the process's clock, good enough to say how
// long something has been waiting; every decision uses the server's.
func (s *Store) Info() tq.StoreInfo { return s.info }

// Close ends every Watch and closes the connections.
func (s *Store) Close() error {
	s.news.close()
	s.pool.Close()
	return nil
}

// texts answers statements with their schema. They are written for the schema
// "tq"; for another one, that qualifier is replaced once.
type texts struct {
	schema    string
	qualified sync.Map
}

func newTexts(schema string) *texts { return &texts{schema: schema} }

func (t *texts) of(statement string) string {
	if t.schema == defaultSchema {
		return statement
	}
	if known, ok := t.qualified.Load(statement); ok {
		return known.(string)
	}
	text := strings.ReplaceAll(statement, defaultSchema+".", t.schema+".")
	t.qualified.Store(statement, text)
	return text
}

var errClosed = errors.New("the store is closed")
