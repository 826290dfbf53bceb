package postgres

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Leases: one grant for the tasks of a claim that have the same timeout, one of
// its own for a task that was extended apart from its claim. A grant whose tasks
// end together goes with them. Whether another one still holds something costs a
// look at each of its tasks, and is asked when it has run out.

const (
	// grantBite is how many grants that ran out a sweep looks at: while it does,
	// nobody else can note that leases run out in time.
	grantBite = 200

	// deleteSpent removes grants of which n tasks ended here, if that is all they
	// ever held.
	deleteSpent = `delete from tq.grants where id = any(array(
		select g.id from unnest($1::bigint[], $2::bigint[]) u(id, n) join tq.grants g on g.id = u.id
		where g.low is null and g.high - g.id * 1024 - 1 <= u.n for update of g skip locked))`
	// deleteGrants looks at those that ran out first, removes what holds nothing
	// any more, and answers how many it looked at. It leaves out those that another
	// sweep is at: in an order of its own each waited for the others, until the
	// server saw a deadlock.
	deleteGrants = `with old as materialized (
			select id, low, high from tq.grants where until < $1 order by until, id limit $2::bigint for update skip locked),
		gone as (delete from tq.grants where id = any(array(
			select g.id from old g where not exists (
				select 1 from tq.facts c cross join lateral (
					select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
				where c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and x.grant_id = g.id and x.status = 3))))
		select count(*) from old`
)

// grant leases what was taken: to each claim one lease for all its tasks without
// a timeout, and one for each timeout. The facts of a lease share its batch, so
// the tasks of one are granted together.
func (c *claiming) grant(taken []takenRow, to []*claimPart) error {
	c.inOrder(taken)
	shares := deal(taken, to)
	leases := 0
	for i := range shares {
		leases += len(shares[i].timeouts())
	}
	c.batch, c.ordinal, c.drawn = taken[0].batch, 0, nil // numbers drawn before are lower
	if err := c.draw(leases); err != nil {
		return err
	}
	for i := range shares {
		if err := c.grantShare(&shares[i]); err != nil {
			return err
		}
	}
	c.dueAt(c.now + sweepBeat.Milliseconds())
	return nil
}

// share is what one claim gets.
type share struct {
	*claimPart
	rows []*takenRow
}

// deal gives the rows out in turn, to each claim as many as it asked for.
func deal(taken []takenRow, to []*claimPart) []share {
	shares := make([]share, len(to))
	for i, p := range to {
		shares[i].claimPart = p
	}
	for next := 0; next < len(taken); {
		before := next
		for i := range shares {
			if s := &shares[i]; next < len(taken) && len(s.rows) < s.q.Max {
				s.rows = append(s.rows, &taken[next])
				next++
			}
		}
		if next == before {
			break
		}
	}
	return slices.DeleteFunc(shares, func(s share) bool { return len(s.rows) == 0 })
}

// timeouts are those of its tasks, each once, as they are answered: leases that
// run out together end in the order of their numbers.
func (s *share) timeouts() []int64 {
	var all []int64
	for _, t := range s.rows {
		if !slices.Contains(all, t.row.asked.timeout) {
			all = append(all, t.row.asked.timeout)
		}
	}
	return all
}

// grantShare numbers each claimed fact by its place in the answer, so that a
// repeated claim finds the order again, however many leases it was dealt.
func (c *claiming) grantShare(s *share) error {
	if s.known {
		c.before = append(c.before, func(b *pgx.Batch) { b.Queue(c.texts.of(freeClaimID), s.q.ClaimID) })
	}
	for part, timeout := range s.timeouts() {
		g := c.newGrant(s.q, part, timeout)
		for place, t := range s.rows {
			if t.row.asked.timeout != timeout {
				continue
			}
			c.ordinal = int64(place)
			if err := c.grantOne(t, g, s.claimPart); err != nil {
				return err
			}
		}
		g.high = c.lastSeq() + 1
	}
	for _, t := range s.rows {
		s.out.Tasks = append(s.out.Tasks, tq.Claimed{Task: t.task, Lease: msDuration(max(0, t.row.until-c.now))})
	}
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

func (c *claiming) grantOne(t *takenRow, g *grantLine, p *claimPart) error {
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
	c.apply(r, step, act{actor: claimer(p.q), detail: tq.FactDetail{Until: tq.FromMilli(g.until)}})
	c.fill(t, g)
	if r.rev > firstClaim {
		p.past = append(p.past, r.id)
	}
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
}

// firstClaim is the rev of the claimed fact of a task that has no past.
const firstClaim = 2

// newGrant makes the lease of a claim, see addGrant.
func (c *claiming) newGrant(q *tq.ClaimQuery, part int, timeout int64) *grantLine {
	g := grantLine{worker: holder(q), owner: q.Owner, claimID: q.ClaimID, part: part, lease: q.Lease.Milliseconds()}
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

// partApart numbers a lease among those of its claim. Those that the claim was
// dealt count from 0, so that of two claims with one id one is refused; what was
// moved apart since, from any of them and by anybody at the same time, takes its
// number from the lease's own, which nobody else has.
func partApart(grant int64) int {
	return tq.MaxClaim + int(grant%(math.MaxInt32-tq.MaxClaim))
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

// collectSpent queues the removal of grants whose tasks ended here.
func (w *work) collectSpent(b *pgx.Batch) {
	ended := map[int64]int64{}
	for _, r := range w.order {
		if r.was.grant != 0 && r.was.grant != r.grant {
			ended[r.was.grant]++
		}
	}
	ids := slices.Sorted(maps.Keys(ended))
	counts := make([]int64, len(ids))
	for i, id := range ids {
		counts[i] = ended[id]
	}
	w.some(b, len(ids), deleteSpent, ids, counts)
}
