package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// How the server and our schema are kept. What is looked at here is what has
// slowed or stopped queues on PostgreSQL: old snapshots that keep dead rows
// alive, autovacuum that does not come, settings that lose what was answered,
// a full NOTIFY queue, too few connections.

const (
	// The oldest snapshot that anybody holds, in this database or another.
	selectSnapshots = `select coalesce(max(age(backend_xmin)), 0)::bigint,
			coalesce(extract(epoch from clock_timestamp() - min(xact_start) filter (where state like 'idle in transaction%')), 0)::float8,
			coalesce(extract(epoch from clock_timestamp() - min(xact_start) filter (where backend_xmin is not null)), 0)::float8,
			greatest((select coalesce(max(age(xmin)), 0) from pg_replication_slots),
				(select coalesce(max(age(transaction)), 0) from pg_prepared_xacts))::bigint
		from pg_stat_activity where pid <> pg_backend_pid()`
	selectDeadRows = `select coalesce(sum(n_live_tup), 0)::bigint, coalesce(sum(n_dead_tup), 0)::bigint,
			coalesce(sum(pg_total_relation_size(relid)), 0)::bigint
		from pg_stat_user_tables where schemaname = $1`
	selectSettings = `select current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
			current_setting('autovacuum'), current_setting('max_connections')::int,
			(select count(*) from pg_stat_activity where backend_type = 'client backend')::int,
			pg_notification_queue_usage(), (select max(age(datfrozenxid)) from pg_database)::bigint,
			(extract(epoch from clock_timestamp()) * 1000)::bigint, current_setting('server_version')`
	selectHousekeeping = `select (select count(*) from (select 1 from tq.inbox limit 10001) i)::bigint,
			(select count(*) from (select 1 from tq.deltas limit 100001) d)::bigint`
)

// moreConns says what to do when the server has too few connections.
const moreConns = "raise max_connections, use a pooler, or conns=N in the addresses of workers"

// The marks beyond which something is said.
const (
	oldSnapshot   = 10 * time.Minute
	idleTooLong   = time.Minute
	manyXids      = 5_000_000
	fewXidsLeft   = 1_500_000_000
	manyDead      = 200_000
	clockApart    = time.Second
	inboxFull     = 10_000
	deltasFull    = 100_000
	queueHalfFull = 0.5
)

// Examine says how the server and the schema are kept.
func (s *Store) Examine(ctx context.Context) ([]tq.Finding, error) {
	var found []tq.Finding
	err := s.read(ctx, func(tx pgx.Tx) error {
		found = nil
		for _, look := range []func(context.Context, pgx.Tx) ([]tq.Finding, error){
			s.settings, s.snapshots, s.deadRows, s.waiting,
		} {
			some, err := look(ctx, tx)
			if err != nil {
				return err
			}
			found = append(found, some...)
		}
		return nil
	})
	return found, err
}

type settings struct {
	fsync, fullPages, synchronous, autovacuum, version string
	most, open                                         int
	queue                                              float64
	xidAge, now                                        int64
}

func (s *Store) settings(ctx context.Context, tx pgx.Tx) ([]tq.Finding, error) {
	var x settings
	before := time.Now()
	err := tx.QueryRow(ctx, selectSettings).Scan(&x.fsync, &x.fullPages, &x.synchronous, &x.autovacuum, &x.most, &x.open,
		&x.queue, &x.xidAge, &x.now, &x.version)
	if err != nil {
		return nil, err
	}
	apart := max(before.Sub(time.UnixMilli(x.now)), time.Until(time.UnixMilli(x.now)))
	return []tq.Finding{
		tq.Well("version", "PostgreSQL "+x.version),
		s.pooler(),
		unless(x.fsync == "on", tq.Well("fsync", x.fsync), tq.LevelBad, "turn it on: a crash of the machine may destroy the database"),
		unless(x.fullPages == "on", tq.Well("full_page_writes", x.fullPages), tq.LevelBad, "turn it on, unless the file system never tears a page"),
		s.durability(x.synchronous),
		unless(x.autovacuum == "on", tq.Well("autovacuum", x.autovacuum), tq.LevelBad, "turn it on: dead rows pile up without it"),
		unless(x.open*10 < x.most*9, tq.Well("connections", fmt.Sprintf("%d of %d", x.open, x.most)), tq.LevelNote, moreConns),
		unless(x.queue < queueHalfFull, tq.Well("notify queue", fmt.Sprintf("%.0f %% full", 100*x.queue)), tq.LevelBad,
			"some session listens and sits in a transaction: end it, or every NOTIFY fails when the queue is full"),
		unless(x.xidAge < fewXidsLeft, tq.Well("transaction ids", fmt.Sprintf("%d used since the last freeze", x.xidAge)), tq.LevelBad,
			"vacuum (freeze) soon: the server stops before they wrap around"),
		unless(apart < clockApart, tq.Well("clock", fmt.Sprintf("the server's is %s from this machine's", max(0, apart).Round(time.Millisecond))),
			tq.LevelNote, "only the server's counts for tasks; set the other one right for the logs"),
	}, nil
}

func (s *Store) pooler() tq.Finding {
	switch {
	case s.o.Pooled:
		return tq.Well("pooler", "in transaction mode: other processes are heard of by a look each second").
			Worse(tq.LevelNote, "name the server itself in the address of workers, so that they hear of new tasks at once")
	case s.o.NoNotify:
		return tq.Well("notify", "off: other processes are heard of by a look each second")
	}
	return tq.Well("pooler", "none")
}

func (s *Store) durability(usual string) tq.Finding {
	f := tq.Well("durability", s.o.Durability+", the server's own synchronous_commit is "+usual)
	if s.o.Durability == Relaxed {
		return f.Worse(tq.LevelNote, "leave --durability out: a crash of the server may lose the last moments")
	}
	return unless(usual != "off", f, tq.LevelNote, "tasks that are enqueued in transactions of others have the durability of these")
}

// unless is f when all is well, and else f at that level with a hint.
func unless(well bool, f tq.Finding, level tq.Level, hint string) tq.Finding {
	if well {
		return f
	}
	return f.Worse(level, hint)
}

func (s *Store) snapshots(ctx context.Context, tx pgx.Tx) ([]tq.Finding, error) {
	var age, elsewhere int64
	var idle, oldest float64
	if err := tx.QueryRow(ctx, selectSnapshots).Scan(&age, &idle, &oldest, &elsewhere); err != nil {
		return nil, err
	}
	return []tq.Finding{
		unless(oldest < oldSnapshot.Seconds() && age < manyXids,
			tq.Well("oldest snapshot", fmt.Sprintf("%s, %d transactions ago", seconds(oldest), age)), tq.LevelBad,
			"end that transaction (pg_stat_activity names it): no dead row goes away while it is open; claims keep their pace, lists do not"),
		unless(idle < idleTooLong.Seconds(), tq.Well("idle in transaction", seconds(idle)), tq.LevelNote,
			"set idle_in_transaction_session_timeout for the programs beside tq"),
		unless(elsewhere < manyXids, tq.Well("slots and prepared transactions", strconv.FormatInt(elsewhere, 10)+" transactions behind"),
			tq.LevelBad, "drop the replication slot, or finish the prepared transaction, that nobody uses"),
	}, nil
}

func seconds(s float64) string {
	return time.Duration(max(0, s) * float64(time.Second)).Round(time.Second).String()
}

func (s *Store) deadRows(ctx context.Context, tx pgx.Tx) ([]tq.Finding, error) {
	var live, dead, size int64
	if err := tx.QueryRow(ctx, selectDeadRows, s.o.Schema).Scan(&live, &dead, &size); err != nil {
		return nil, err
	}
	return []tq.Finding{
		unless(dead < manyDead || dead < live, tq.Well("dead rows", fmt.Sprintf("%d beside %d live ones", dead, live)), tq.LevelNote,
			"autovacuum does not keep up: look for an old snapshot, or lower autovacuum_vacuum_cost_delay"),
		tq.Well("size", fmt.Sprintf("%d MiB in schema %s", size>>20, s.o.Schema)),
	}, nil
}

func (s *Store) waiting(ctx context.Context, tx pgx.Tx) ([]tq.Finding, error) {
	var inbox, deltas int64
	if err := tx.QueryRow(ctx, s.texts.of(selectHousekeeping)).Scan(&inbox, &deltas); err != nil {
		return nil, err
	}
	return []tq.Finding{
		unless(inbox <= inboxFull && deltas <= deltasFull,
			tq.Well("housekeeping", fmt.Sprintf("%d tasks to take in, %d counts to fold", inbox, deltas)), tq.LevelNote,
			"no worker or hub is running that would sweep"),
	}, nil
}
