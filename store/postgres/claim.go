package postgres

import (
	"context"
	"fmt"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// claimBite is how many tasks claims may share a transaction for.
const claimBite = 500

const (
	selectPaused = `select queue from tq.paused order by queue`

	// selectHeads: the first row of each lane, in both halves of its line.
	selectHeads = `select h.lane, h.back, h.pos from unnest($1::int[], $2::bigint[]) u(lane, after)
		cross join lateral (values (0::smallint, u.after), (1::smallint, 0::bigint)) v(back, after)
		cross join lateral (select r.lane, r.back, r.pos from tq.ready r
			where r.lane = u.lane and r.back = v.back and r.pos > v.after order by r.lane, r.back, r.pos limit 1) h`

	// selectFirst: up to n rows of each line.
	selectFirst = `select r.lane, r.back, r.pos from unnest($1::int[], $2::smallint[], $3::bigint[]) u(lane, back, after)
		cross join lateral (select r.lane, r.back, r.pos from tq.ready r
			where r.lane = u.lane and r.back = u.back and r.pos > u.after order by r.lane, r.back, r.pos limit $4::bigint) r`

	// selectClaims: what is held under each of the ids, in the order in which it
	// was granted (see grantShare); task 0 for a claim that holds nothing any more.
	selectClaims = `select g.claim_id, coalesce(t.id, 0) from tq.grants g
		left join lateral (select f.task_id id, f.seq from tq.facts f
			where f.seq > coalesce(g.low, g.id * 1024) and f.seq < coalesce(g.high, (g.id + 1) * 1024)) c on true
		left join lateral (select x.id from (
			select f.task_id id, f.grant_id, f.status from tq.facts f where f.task_id = c.id order by f.rev desc limit 1) x
			where x.grant_id = g.id and x.status = 3) t on true
		left join lateral (select f.seq from tq.facts f where f.task_id = t.id and f.kind = 3 order by f.rev desc limit 1) o on true
		where g.claim_id = any($1::text[]) order by g.claim_id, o.seq % 1024`

	// freeClaimID takes the name from an earlier claim that holds nothing any
	// more. Of two claims with one id at once the unique index stops the second,
	// which then reads what the first got.
	freeClaimID = `update tq.grants g set claim_id = null where g.claim_id = $1 and not exists (
		select 1 from tq.facts c cross join lateral (
			select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
		where c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and x.grant_id = g.id and x.status = 3)`
)

// claiming are claims on their way: those of callers that ask for the same kind
// of tasks at the same time, see flush.go. Each gets leases of its own.
type claiming struct {
	*work
	q      *tq.ClaimQuery // the first of them: which tasks are wanted is the same for all
	parts  []*claimPart
	lanes  []*lane // that they may take from
	paused []string
	heads  []headRow
	moves  map[int32]int64 // cursors, after the commit
	due    []promotion
}

// claimPart is the claim of one caller.
type claimPart struct {
	q     *tq.ClaimQuery
	known bool    // an earlier claim had the same id
	again []int64 // and holds these still
	out   tq.Claims
	past  []int64 // tasks in out that have been claimed before
}

// Claim leases up to q.Max tasks. Callers that want the same and come together
// share a transaction.
func (s *Store) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	p := &claimPart{q: &q}
	if err := s.claims.do(ctx, &pending{rows: q.Max, claim: p, group: groupOf(&q), name: q.ClaimID}); err != nil {
		return tq.Claims{}, err
	}
	return p.out, s.fillClaims(context.WithoutCancel(ctx), p)
}

// groupOf is the same for claims that want the same tasks.
func groupOf(q *tq.ClaimQuery) string {
	return fmt.Sprintf("%q %q %q %q %p", q.Queues, q.Types, q.NotTypes, q.Project, q.Only)
}

func (s *Store) claimParts(ctx context.Context, all []*pending) error {
	var c *claiming
	err := s.write(ctx, func(w *work, b *pgx.Batch) {
		c = &claiming{work: w, moves: map[int32]int64{}}
		for _, p := range all {
			*p.claim = claimPart{q: p.claim.q}
			c.parts = append(c.parts, p.claim)
		}
		c.q = c.parts[0].q
		c.ahead(b)
	}, func(*work) error { return c.run() })
	if err != nil {
		return err
	}
	for lane, pos := range c.moves {
		s.cursors.advance(lane, pos)
	}
	return nil
}

// fillClaims reads the tasks again that have a past: an earlier error, a time
// they were put off until. The lease is granted; if this read fails the same
// claim id answers the same.
func (s *Store) fillClaims(ctx context.Context, c *claimPart) error {
	if len(c.past) == 0 {
		return nil
	}
	page, err := s.Tasks(ctx, tq.TaskQuery{IDs: c.past, Limit: len(c.past), Payload: true})
	if err != nil {
		return err
	}
	for i := range c.out.Tasks {
		for _, t := range page.Tasks {
			if t.ID == c.out.Tasks[i].Task.ID && t.Epoch == c.out.Tasks[i].Task.Epoch {
				c.out.Tasks[i].Task = t
			}
		}
	}
	return nil
}

// ahead looks for earlier claims of the same ids, for what is paused, for what
// came due, and at the heads of the lines.
func (c *claiming) ahead(b *pgx.Batch) {
	b.Queue(c.texts.of(selectPaused)).Query(func(rows pgx.Rows) (err error) {
		c.paused, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	c.earlierAhead(b)
	c.promoteAhead(b)
	c.headsAhead(b)
}

// earlierAhead looks for what is held under the claim ids already.
func (c *claiming) earlierAhead(b *pgx.Batch) {
	var ids []string
	byID := map[string]*claimPart{}
	for _, p := range c.parts {
		if p.q.ClaimID != "" {
			ids = append(ids, p.q.ClaimID)
			byID[p.q.ClaimID] = p
		}
	}
	if len(ids) == 0 {
		return
	}
	b.Queue(c.texts.of(selectClaims), ids).Query(func(rows pgx.Rows) error {
		var claim string
		var task int64
		_, err := pgx.ForEachRow(rows, []any{&claim, &task}, func() error {
			p := byID[claim]
			if p.known = true; task != 0 {
				p.again = append(p.again, task)
			}
			return nil
		})
		return err
	})
}

func (c *claiming) headsAhead(b *pgx.Batch) {
	c.lanes = c.Store.lanes.all(func(l *lane) bool { return wanted(c.q, l.name) })
	var ids []int32
	var after []int64
	for _, l := range c.lanes {
		ids, after = append(ids, l.id), append(after, c.cursors.of(l.id))
	}
	b.Queue(c.texts.of(selectHeads), ids, after).Query(func(rows pgx.Rows) (err error) {
		c.heads, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (headRow, error) {
			var h headRow
			return h, r.Scan(&h.lane, &h.back, &h.pos)
		})
		return err
	})
}

// wanted reports whether q asks for tasks of that name.
func wanted(q *tq.ClaimQuery, n laneName) bool {
	return q.Only.Sees(n.queue, n.typ) &&
		(len(q.Queues) == 0 || slices.Contains(q.Queues, n.queue)) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, n.typ)) &&
		(len(q.Types) > 0 || !slices.Contains(q.NotTypes, n.typ)) &&
		(q.Project == "" || q.Project == n.project)
}

func (c *claiming) run() error {
	for _, p := range c.parts {
		for _, queue := range c.paused {
			if len(c.q.Queues) == 0 || slices.Contains(c.q.Queues, queue) {
				p.out.Paused = append(p.out.Paused, queue)
			}
		}
		c.seen(p.q.Worker, p.q.Owner)
	}
	if err := c.forgive(); err != nil {
		return err
	}
	for _, p := range c.parts {
		if err := c.repeat(p); err != nil {
			return err
		}
	}
	if err := c.promoted(); err != nil {
		return err
	}
	if err := c.take(); err != nil || len(c.hungry()) == 0 {
		return err
	}
	if err := c.moveInbox(); err != nil {
		return err
	}
	if err := c.expire(expireBite); err != nil {
		return err
	}
	if err := c.lookAgain(); err != nil {
		return err
	}
	if err := c.take(); err != nil {
		return err
	}
	return c.nextDue()
}

// hungry are the claims that have got nothing so far.
func (c *claiming) hungry() []*claimPart {
	var parts []*claimPart
	for _, p := range c.parts {
		if len(p.out.Tasks) == 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// lookAgain reads the heads once more: leases may have been ended just now, and
// another process may have added lanes.
func (c *claiming) lookAgain() error {
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.Store.lanes.load(c.ctx, c.Store, c.conn); err != nil {
		return err
	}
	b := new(pgx.Batch)
	c.headsAhead(b)
	return c.conn.SendBatch(c.ctx, b).Close()
}

const selectNextDue = `select min(d.run_at) from unnest($1::int[]) u(lane)
	join lateral (select run_at from tq.delayed d where d.lane = u.lane order by run_at limit 1) d on true`

// nextDue tells who got nothing when the next of the tasks asked for comes due.
func (c *claiming) nextDue() error {
	hungry := c.hungry()
	if len(hungry) == 0 {
		return nil
	}
	var lanes []int32
	for _, l := range c.lanes {
		if !slices.Contains(c.paused, l.name.queue) {
			lanes = append(lanes, l.id)
		}
	}
	var at *int64
	if err := c.conn.QueryRow(c.ctx, c.texts.of(selectNextDue), lanes).Scan(&at); err != nil || at == nil {
		return err
	}
	for _, p := range hungry {
		p.out.NextDue = msDuration(max(1, *at-c.now))
	}
	return nil
}

// repeat answers what is still held of a claim that was made before.
func (c *claiming) repeat(p *claimPart) error {
	if err := c.load(p.again); err != nil {
		return err
	}
	for _, id := range p.again {
		r := c.find(id)
		if r == nil {
			continue
		}
		p.out.Tasks = append(p.out.Tasks, tq.Claimed{
			Task: tq.Task{ID: id, Epoch: r.state.Epoch}, Lease: msDuration(max(0, r.until-c.now)),
		})
	}
	p.past = p.again
	return nil
}

// take picks what stands first, removes it from its lines and grants it to those
// who have nothing yet.
func (c *claiming) take() error {
	hungry := c.hungry()
	want := 0
	for _, p := range hungry {
		want += p.q.Max
	}
	lines, err := c.choose(want)
	if err != nil || len(lines) == 0 {
		return err
	}
	if err := c.cursors.freshen(c.ctx, c.work); err != nil {
		return err
	}
	taken, err := c.remove(lines)
	if err != nil || len(taken) == 0 {
		return err
	}
	return c.grant(taken, hungry)
}
