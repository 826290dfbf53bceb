package postgres

import (
	"cmp"
	"maps"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Leases: one grant for the tasks of a claim that have the same timeout, one of
// its own for a task that was extended apart from its claim.

// grant leases what was taken: one lease for all tasks without a timeout, and
// one for each timeout. The facts of a lease share its batch, so the tasks of
// one are granted together.
func (c *claiming) grant(taken []takenRow) error {
	byTimeout := map[int64][]*takenRow{}
	for i := range taken {
		t := &taken[i]
		byTimeout[t.row.asked.timeout] = append(byTimeout[t.row.asked.timeout], t)
	}
	c.batch, c.ordinal = taken[0].batch, 0
	if err := c.draw(len(byTimeout)); err != nil {
		return err
	}
	if c.q.ClaimID != "" {
		c.before = append(c.before, func(b *pgx.Batch) { b.Queue(c.texts.of(freeClaimID), c.q.ClaimID) })
	}
	c.inOrder(taken)
	for part, timeout := range slices.Sorted(maps.Keys(byTimeout)) {
		g := c.newGrant(part, timeout)
		for i := range taken {
			if t := &taken[i]; t.row.asked.timeout == timeout {
				if err := c.grantOne(t, g); err != nil {
					return err
				}
			}
		}
	}
	for _, t := range taken {
		c.out.Tasks = append(c.out.Tasks, tq.Claimed{Task: t.task, Lease: msDuration(max(0, t.row.until-c.now))})
	}
	c.dueAt(c.now + sweepBeat.Milliseconds())
	return nil
}

// inOrder sorts what was taken as it is to be answered: each queue in its
// order, the queues in turn.
func (c *claiming) inOrder(taken []takenRow) {
	byPlace := map[headRow]int{}
	rows := make([]headRow, len(taken))
	for i, t := range taken {
		rows[i], byPlace[t.headRow] = t.headRow, i
	}
	queues := c.byQueue(rows)
	sorted := make([]takenRow, 0, len(taken))
	for turn := 0; len(sorted) < len(taken); turn++ {
		for _, g := range queues {
			if turn < len(g.rows) {
				sorted = append(sorted, taken[byPlace[g.rows[turn]]])
			}
		}
	}
	copy(taken, sorted)
}

func (c *claiming) grantOne(t *takenRow, g *grantLine) error {
	r := t.row
	step, err := tq.Next(r.state, tq.EventClaim, tq.Arg{})
	if err != nil {
		return errLost
	}
	if r.due {
		c.unpromoted = append(c.unpromoted, r.id)
	}
	c.keep(r)
	r.due = false
	r.grant, r.until, r.lease, r.limit = g.id, g.until, g.lease, g.deadline
	c.apply(r, step, act{actor: claimer(c.q), detail: tq.FactDetail{Until: tq.FromMilli(g.until)}})
	c.fill(t, g)
	return nil
}

// fill completes the task as its holder sees it. One that has a past is read
// again after the commit, see fillClaims.
func (c *claiming) fill(t *takenRow, g *grantLine) {
	r, n := t.row, t.row.lane.name
	task := &t.task
	task.ID, task.Queue, task.Type, task.Project, task.Priority = r.id, n.queue, n.typ, n.project, int(n.prio)
	task.Status, task.Attempt, task.MaxAttempts, task.Epoch = r.state.Status, r.state.Attempt, r.state.MaxAttempts, r.state.Epoch
	task.RunAt, task.StartedAt = tq.FromMilli(r.runAt), tq.FromMilli(c.now)
	task.Timeout, task.Backoff, task.IdempotencyKey = tq.Duration(msDuration(r.asked.timeout)), r.state.Backoff, r.asked.key
	task.OnDepFailure = r.asked.onDep
	until := tq.FromMilli(g.until)
	task.Lease = &tq.Lease{
		Worker: g.worker, Owner: g.owner, Until: until,
		SecondsLeft: tq.Duration(msDuration(g.until - c.now)),
	}
	if r.rev > firstClaim {
		c.past = append(c.past, r.id)
	}
}

// firstClaim is the rev of the claimed fact of a task that has no past.
const firstClaim = 2

// newGrant makes the lease of a claim, see addGrant.
func (c *claiming) newGrant(part int, timeout int64) *grantLine {
	g := grantLine{worker: holder(c.q), owner: c.q.Owner, claimID: c.q.ClaimID, part: part, lease: c.q.Lease.Milliseconds()}
	if timeout > 0 {
		g.deadline = c.now + timeout
	}
	return c.addGrant(g)
}

// addGrant begins a batch for a lease, so that the facts that follow are its
// own. A number must have been drawn for it.
func (w *work) addGrant(g grantLine) *grantLine {
	if w.ordinal > 0 {
		w.nextBatch()
		w.ordinal = 0
	}
	g.id = w.batch
	g.until = bound(w.now+g.lease, g.deadline)
	w.grants = append(w.grants, g)
	return &w.grants[len(w.grants)-1]
}

func bound(until, deadline int64) int64 {
	if deadline > 0 {
		return min(until, deadline)
	}
	return until
}

// holder is who a lease is held by: the incarnation, so that a worker that comes
// back under its old name holds nothing of the one before.
func holder(q *tq.ClaimQuery) string { return cmp.Or(q.Worker.ID, q.Worker.Name, q.Owner) }

// claimer is who claimed, as the fact names it: the label if there is one.
func claimer(q *tq.ClaimQuery) string { return cmp.Or(q.Worker.Name, q.Worker.ID, q.Owner) }
