package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"
)

// Candidates for lists. Queue, type and project mean lanes, and each index that
// is walked begins with the lane; ended tasks are found through their facts,
// live ones in the narrow table they wait in, as long as that is short.

const (
	idsAll    = `select id from tq.tasks where id < $1 order by id desc limit $2::bigint`
	idsKey    = `select id from tq.tasks where id < $1 and key = $3 order by id desc limit $2::bigint`
	idsParent = `select id from tq.tasks where id < $1 and parent = $3 order by id desc limit $2::bigint`
	idsLanes  = `select t.id from unnest($3::int[]) u(lane) cross join lateral (
		select t.id from tq.tasks t where t.lane = u.lane and t.id < $1 order by t.lane, t.id desc limit $2::bigint) t
		order by 1 desc limit $2::bigint`
	// A task that was rescued meanwhile is left out when it is looked at.
	idsEnded = `select distinct t.id from unnest($3::int[]) u(lane) cross join lateral (
		select f.task_id id from tq.facts f where f.status >= 4 and f.status = $4 and f.lane = u.lane and f.task_id < $1
		order by f.status, f.lane, f.task_id desc limit $2::bigint) t
		order by 1 desc limit $2::bigint`

	// Dead tasks by what they died of, and those of which that is not known yet.
	idsCause = `(select t.id from unnest($3::int[]) u(lane) cross join lateral (
			select d.id from tq.dead d where d.cause = $4 and d.cause is not null and d.lane = u.lane and d.id < $1
			order by d.cause, d.lane, d.id desc limit $2::bigint) t)
		union all (select id from tq.dead where cause is null and id < $1 order by id desc limit $2::bigint)
		order by 1 desc limit $2::bigint`

	someBlocked = `select id from tq.blocked where lane = any($1::int[]) limit $2::bigint`
	someHeld    = `select c.task_id from tq.grants g join tq.facts c
		on c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and c.grant_id = g.id
		where c.lane = any($1::int[]) limit $2::bigint`
	someWaiting = `(select id from tq.ready where lane = any($1::int[]) limit $2::bigint)
		union all (select id from tq.delayed where lane = any($1::int[]) limit $2::bigint)
		union all (select id from tq.inbox limit $2::bigint) limit $2::bigint`
)

// confined reports whether the query is held to some lanes.
func (l *listing) confined() bool {
	return l.q.Queue != "" || l.q.Type != "" || l.q.Project != "" || l.q.Only != nil
}

func (l *listing) inLanes() []int32 {
	var ids []int32
	for _, n := range l.lanes.all(func(n *lane) bool {
		return l.q.Only.Sees(n.name.queue, n.name.typ) && (l.q.Queue == "" || l.q.Queue == n.name.queue) && (l.q.Type == "" || l.q.Type == n.name.typ) &&
			(l.q.Project == "" || l.q.Project == n.name.project)
	}) {
		ids = append(ids, n.id)
	}
	return ids
}

// walk is every task of the lanes.
func (l *listing) walk() fetch {
	if !l.confined() {
		return l.query(idsAll)
	}
	return l.query(idsLanes, l.inLanes())
}

// query fetches with a statement whose first parameters are before and the
// limit.
func (l *listing) query(statement string, args ...any) fetch {
	return func(before int64, n int) ([]int64, error) {
		rows, err := l.tx.Query(l.ctx, l.texts.of(statement), slices.Concat([]any{before, n}, args)...)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[int64])
	}
}

// collected is the stream of what a narrow table holds, or a walk if that is
// too much.
func (l *listing) collected(statement string, args ...any) (fetch, error) {
	rows, err := l.tx.Query(l.ctx, l.texts.of(statement), args...)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if len(ids) > maxWalk {
		return l.walk(), err
	}
	return listed(ids), err
}
