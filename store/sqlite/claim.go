package sqlite

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/tq"
)

// Claim leases up to q.Max tasks.
func (s *Store) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	var out tq.Claims
	err := s.write(ctx, 0, func(n *turn) error {
		out = tq.Claims{}
		return n.claim(&q, &out)
	})
	return out, err
}

func (n *turn) claim(q *tq.ClaimQuery, out *tq.Claims) error {
	if err := n.forgive(); err != nil {
		return err
	}
	if err := n.saw(q.Worker, q.Owner); err != nil {
		return err
	}
	out.Paused = n.pausedOf(q.Queues)
	if q.ClaimID != "" {
		if err := n.replay(q, out); err != nil || len(out.Tasks) > 0 {
			return err
		}
	}
	picked, err := n.pick(q)
	if err != nil {
		return err
	}
	if len(picked) == 0 {
		expired, err := n.expire(expireBite)
		if err != nil {
			return err
		}
		if expired > 0 {
			picked, err = n.pick(q)
		}
		if err != nil {
			return err
		}
	}
	if len(picked) == 0 {
		out.NextDue, err = n.nextOf(q)
		return err
	}
	return n.hold(picked, q, out)
}

// pausedOf names the paused ones among the queues, all if none are named.
func (n *turn) pausedOf(queues []string) []string {
	var paused []string
	for queue := range n.cache.paused {
		if len(queues) == 0 || slices.Contains(queues, queue) {
			paused = append(paused, queue)
		}
	}
	slices.Sort(paused)
	return paused
}

// pick is a ready task that was chosen.
type pick struct {
	spot
	lane *lane
}

// hold leases what was picked. Tasks with the same timeout share a grant.
func (n *turn) hold(picked []pick, q *tq.ClaimQuery, out *tq.Claims) error {
	grants := make([]*grant, 0, 1)
	out.Tasks = make([]tq.Claimed, 0, len(picked))
	for i := range picked {
		row, err := n.claimRow(picked[i].id)
		if err != nil {
			return err
		}
		g := n.grantFor(&grants, row.Timeout.Std(), q)
		claimed, err := n.holdOne(&picked[i], row, g, q)
		if isRefusal(err) {
			continue // no row that the rules forbid to run stands in the way of others
		}
		if err != nil {
			return err
		}
		out.Tasks = append(out.Tasks, claimed)
	}
	n.putOff(n.now + sweepBeat)
	for _, g := range grants {
		if g.held == 0 {
			continue
		}
		if err := n.insertGrant(g); err != nil {
			return err
		}
	}
	return nil
}

// grantFor answers the grant of this claim for tasks with that timeout.
func (n *turn) grantFor(grants *[]*grant, timeout time.Duration, q *tq.ClaimQuery) *grant {
	deadline := int64(0)
	if timeout > 0 {
		deadline = n.now + timeout.Milliseconds()
	}
	for _, g := range *grants {
		if g.deadline == deadline {
			return g
		}
	}
	g := &grant{id: n.seq(), worker: holder(q), owner: q.Owner, claimID: q.ClaimID, deadline: deadline}
	g.last(n.now, q.Lease.Milliseconds())
	*grants = append(*grants, g)
	return g
}

// holder is who a lease is held by.
func holder(q *tq.ClaimQuery) string { return cmp.Or(q.Worker.ID, q.Worker.Name, q.Owner) }

// claimer is who claimed, as the fact names it: the label if there is one.
func claimer(q *tq.ClaimQuery) string { return cmp.Or(q.Worker.Name, q.Worker.ID, q.Owner) }

func (n *turn) holdOne(p *pick, row *tq.Task, g *grant, q *tq.ClaimQuery) (tq.Claimed, error) {
	t := &subject{
		id: p.id, lane: p.lane.id, prio: p.prio, rev: p.rev, place: p.pos, due: p.readyAt, grant: g.id,
		state: tq.State{
			Status: tq.Pending, Epoch: p.epoch, Attempt: int(p.attempt), Releases: int(p.releases),
			MaxAttempts: row.MaxAttempts,
		},
	}
	until := tq.FromMilli(g.until)
	_, err := n.happen(t, tq.EventClaim, tq.Arg{}, act{actor: claimer(q), detail: tq.FactDetail{Until: until}})
	if err != nil {
		return tq.Claimed{}, err
	}
	g.held++
	if p.epoch > 0 {
		return n.view(p.id, g)
	}
	row.Queue, row.Type, row.Project = p.lane.queue, p.lane.typ, p.lane.project
	row.Status, row.Attempt, row.Epoch = t.state.Status, t.state.Attempt, t.state.Epoch
	row.RunAt, row.StartedAt = tq.FromMilli(t.due), tq.FromMilli(n.now)
	row.Lease = n.leaseOf(g)
	return tq.Claimed{Task: *row, Lease: row.Lease.SecondsLeft.Std()}, nil
}

func (n *turn) leaseOf(g *grant) *tq.Lease {
	left := msDuration(max(0, g.until-n.now))
	return &tq.Lease{Worker: g.worker, Owner: g.owner, Until: tq.FromMilli(g.until), SecondsLeft: tq.Duration(left)}
}

// view is a held task as readers see it, for one that has a past.
func (n *turn) view(id int64, g *grant) (tq.Claimed, error) {
	r := taskReader{c: n.c, lanes: n.s.lanes, now: time.UnixMilli(n.now), payload: true}
	t, err := r.task(id)
	if err != nil || t == nil {
		return tq.Claimed{}, cmp.Or(err, notFound(id))
	}
	t.Lease = n.leaseOf(g)
	return tq.Claimed{Task: *t, Lease: t.Lease.SecondsLeft.Std()}, nil
}

const selectClaimRow = `select max_attempts, prio, created_at, timeout, parent, key, on_dep, tags, backoff, payload, trace
	from tasks where id = ?`

// claimRow reads what a task was asked for with.
func (n *turn) claimRow(id int64) (*tq.Task, error) {
	q := n.c.sql(selectClaimRow).int(id)
	if !q.next() {
		return nil, cmp.Or(q.end(), notFound(id))
	}
	t := &tq.Task{
		ID: id, MaxAttempts: int(q.colInt(0)), Priority: int(-q.colInt(1)), CreatedAt: tq.FromMilli(q.colInt(2)),
		Timeout: tq.Duration(msDuration(q.colInt(3))), Parent: q.colInt(4), OnDepFailure: policyOf(q.colInt(6)),
		Payload: q.colBytes(9), Traceparent: q.colText(10),
	}
	if !q.colNull(5) {
		t.IdempotencyKey = q.colText(5)
	}
	tags, backoff := q.colText(7), q.colText(8)
	if err := q.end(); err != nil {
		return nil, err
	}
	if err := readJSON(tags, &t.Tags); err != nil {
		return nil, err
	}
	return t, readJSON(backoff, &t.Backoff)
}
