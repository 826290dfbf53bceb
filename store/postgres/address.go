package postgres

import (
	"context"
	"strconv"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What stands in the address beside what every client of PostgreSQL knows, and
// the pool of connections that comes of it.

// The parameters of ours.
const (
	paramSchema = "schema"
	paramConns  = "conns"
	paramNotify = "notify"
	paramPooler = "pooler"
)

// poolers are the words of paramPooler.
const (
	poolerAuto        = "auto" // the default: look
	poolerNone        = "none"
	poolerSession     = "session"
	poolerTransaction = "transaction"
)

const (
	mostConns = 1_000
	pingAfter = 10 * time.Second
)

// take moves our own parameters out of those that are sent to the server, and
// answers what is said of a pooler.
func (o *Options) take(params map[string]string) (pooler string, err error) {
	own := map[string]string{}
	for _, name := range []string{paramSchema, paramConns, paramNotify, paramPooler} {
		own[name] = params[name]
		delete(params, name)
	}
	if own[paramSchema] != "" {
		o.Schema = own[paramSchema]
	}
	if text := own[paramConns]; text != "" {
		if o.Conns, err = strconv.Atoi(text); err != nil || o.Conns < 2 || o.Conns > mostConns {
			return "", tq.Errorf(tq.CodeInvalid, "conns: %q in the address is not a number from 2 to %d", text, mostConns)
		}
	}
	switch own[paramNotify] {
	case "", "on":
	case "off":
		o.NoNotify = true
	default:
		return "", tq.Errorf(tq.CodeInvalid, "notify: %q in the address is neither on nor off", own[paramNotify])
	}
	switch pooler = own[paramPooler]; pooler {
	case "":
		return poolerAuto, nil
	case poolerAuto, poolerNone, poolerSession, poolerTransaction:
		return pooler, nil
	}
	return "", tq.Errorf(tq.CodeInvalid, "pooler: %q in the address is not auto, none, session or transaction", pooler)
}

// connect makes the pool. It asks over the first connection whether a pooler
// stands in between, and begins anew when one does.
func (o *Options) connect(ctx context.Context, config *pgxpool.Config, pooler string) (*pgxpool.Pool, error) {
	if pooler == poolerTransaction {
		o.Pooled = true
	}
	o.configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fault("connect", err)
	}
	if o.Pooled || pooler != poolerAuto {
		return pool, nil
	}
	if o.Pooled, err = pooled(ctx, pool); err != nil || !o.Pooled {
		if err != nil {
			pool.Close()
		}
		return pool, fault("connect", err)
	}
	pool.Close()
	o.configure(config)
	pool, err = pgxpool.NewWithConfig(ctx, config)
	return pool, fault("connect", err)
}

func (o *Options) configure(c *pgxpool.Config) {
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "tq"
	}
	c.MaxConns = int32(min(o.Conns, mostConns))
	c.MinConns = 1
	c.MaxConnIdleTime = 5 * time.Minute
	c.ConnConfig.ConnectTimeout = openTimeout
	c.ConnConfig.DialFunc = dialer(openTimeout).DialContext
	// A connection that was lost while it rested is found out by the transaction
	// itself, which is then run on another one; asking first would double what an
	// idle fleet asks of its server.
	c.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > pingAfter }
	c.ConnConfig.AfterConnect = prepareSession(c.ConnConfig.RuntimeParams)
	if o.Pooled {
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
}

// pooled reports whether something stands between us and the server that hands
// its connections around: the process that answers is not the one that greeted.
func pooled(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	var pid uint32
	err = conn.QueryRow(ctx, `select pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&pid)
	return pid != conn.Conn().PgConn().PID(), err
}
