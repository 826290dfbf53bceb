package postgres

import (
	"context"
	"errors"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	selectSettled = `select u.id, u.epoch, f.lane, f.kind, f.hash, f.status, f.attempt, f.at, coalesce(f.detail, ''), coalesce(n.status, 0::smallint)
		from unnest($1::bigint[], $2::bigint[]) u(id, epoch)
		cross join lateral (select * from tq.facts f where f.task_id = u.id and f.epoch = u.epoch and f.settles limit 1) f
		left join lateral (select status from tq.facts n where n.task_id = f.task_id and n.rev = f.rev + 1 and n.epoch = f.epoch and n.kind = 7) n on true`

	selectExpiries = `select u.id, (select count(*) from tq.facts f where f.task_id = u.id and f.kind = 9 and f.rev > coalesce(
		(select max(r.rev) from tq.facts r where r.task_id = u.id and r.kind = 12), 0)) from unnest($1::bigint[]) u(id)`

	selectDependants = `select u.id, (select count(*) from tq.edges e where e.parent = u.id) from unnest($1::bigint[]) u(id)`
	// selectDeep: somebody waits for those who wait for these, as far as a cascade
	// goes at once.
	selectDeep = `select u.id from unnest($1::bigint[]) u(id) where exists (select 1 from
		(select e.child from tq.edges e where e.parent = u.id order by e.child limit $2::bigint) c join tq.edges d on d.parent = c.child)`

	blankBodies = `update tq.facts set body = null where task_id = any($1::bigint[]) and body is not null`

	// changeBite is how many changes share a transaction.
	changeBite = 500
)

// changing is a batch of changes on its way.
type changing struct {
	*work
	changes    []tq.Change
	settled    map[attempt]*ending
	dependants map[int64]int
	deep       map[int64]bool // those who wait for it are waited for in turn; of what may fall before another ends
	out        []tq.Changed
}

// Change applies one event to each of many tasks, row by row. Callers that come
// together share a transaction, see flush.go.
func (s *Store) Change(ctx context.Context, changes []tq.Change) ([]tq.Changed, error) {
	var out []tq.Changed
	for bite := range slices.Chunk(changes, changeBite) {
		p := &pending{rows: len(bite), changes: bite}
		if asks(&bite[0]) {
			p.group = string(bite[0].Event) // beside others it would have them written in parts
		}
		for i := range bite {
			p.bytes += len(bite[i].Body)
		}
		if err := s.changes.do(ctx, p); err != nil {
			return nil, err
		}
		out = append(out, p.changed...)
	}
	return out, nil
}

func (s *Store) changeAll(ctx context.Context, all []*pending) error {
	var changes []tq.Change
	for _, p := range all {
		changes = append(changes, p.changes...)
	}
	out, err := s.change(ctx, changes)
	for _, p := range all {
		if err != nil {
			break
		}
		p.changed, out = out[:len(p.changes):len(p.changes)], out[len(p.changes):]
	}
	return err
}

func (s *Store) change(ctx context.Context, changes []tq.Change) ([]tq.Changed, error) {
	ids := make([]int64, len(changes))
	for i, c := range changes {
		ids[i] = c.TaskID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var c *changing
	err := s.write(ctx, func(w *work, b *pgx.Batch) {
		c = &changing{work: w, changes: changes, out: make([]tq.Changed, len(changes))}
		w.dueAhead(b)
		w.loadAhead(b, ids)
	}, func(w *work) error {
		if w.anyDue {
			if err := w.promoteDue(); err != nil {
				return err
			}
			w.forget(ids) // they may stand elsewhere now
		}
		if err := w.load(ids); err != nil {
			return err
		}
		return c.run(ids)
	})
	if err != nil {
		return nil, err
	}
	return c.out, nil
}

func (c *changing) run(ids []int64) error {
	if err := c.arrive(ids); err != nil {
		return err
	}
	if err := c.holdEnded(c.reviving()); err != nil {
		return err
	}
	for first := 0; first < len(c.changes); {
		part := c.changes[first:c.partEnd(first)]
		if err := c.lookUp(part); err != nil {
			return err
		}
		if first == 0 {
			if err := c.hold(ids); err != nil {
				return err
			}
		}
		if err := c.runPart(first, part); err != nil {
			return err
		}
		if first += len(part); first < len(c.changes) {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// reviving are the ended tasks that are to be revived or deleted.
func (c *changing) reviving() []int64 {
	var ids []int64
	for _, x := range c.changes {
		r := c.find(x.TaskID)
		if r == nil || !r.state.Status.Terminal() {
			continue
		}
		if x.Event == tq.EventDelete || x.Event == tq.EventRescue || x.Event == tq.EventRequeue {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// hold takes the locks that pin asks about. What is blocked is locked and read
// again: its count may be changing.
func (c *changing) hold(ids []int64) error {
	var rows []*row
	var blocked []int64
	for _, id := range ids {
		r := c.find(id)
		if r == nil {
			continue
		}
		rows = append(rows, r)
		if r.state.Status == tq.Blocked {
			blocked = append(blocked, id)
		}
	}
	c.shareGrants(rows)
	return c.lockBlocked(blocked)
}

func (c *changing) one(x *tq.Change) tq.Changed {
	r := c.find(x.TaskID)
	switch {
	case r == nil:
		return c.buried(x)
	case !x.Only.Sees(r.lane.name.queue, r.lane.name.typ):
		return tq.Changed{Err: notFound(x.TaskID)}
	}
	state := c.state(r, x)
	step, err := tq.Next(state, x.Event, x.Arg)
	switch {
	case err != nil:
		return tq.Changed{State: r.state, Err: err}
	case step.Replayed:
		return c.settled[attempt{r.id, x.Arg.Epoch}].answer
	case len(step.Facts) == 0:
		return c.changed(r, nil)
	}
	a := act{actor: x.Actor, hash: x.Arg.Hash, body: x.Body}
	a.detail.Late, a.detail.Force = step.Late, x.Arg.Force && state.Status == tq.Running
	was := r.state.Status
	if was.Terminal() && !step.State.Status.Terminal() {
		c.revive(r, state.OpenDeps)
	}
	r.deleted = x.Event == tq.EventDelete
	c.apply(r, step, a)
	if r.deleted {
		c.erase(r)
	}
	c.remember(r, x, step)
	changed := c.changed(r, step.Facts)
	changed.Late = step.Late
	return changed
}

// buried answers a settle that is repeated after its task was deleted.
func (c *changing) buried(x *tq.Change) tq.Changed {
	e := c.settled[attempt{x.TaskID, x.Arg.Epoch}]
	if e == nil || !x.Event.Settles() {
		return tq.Changed{Err: notFound(x.TaskID)}
	}
	if name := c.lanes.get(e.lane).name; !x.Only.Sees(name.queue, name.typ) {
		return tq.Changed{Err: notFound(x.TaskID)}
	}
	_, err := tq.Next(tq.State{Deleted: true, Settled: &e.Settled}, x.Event, x.Arg)
	switch {
	case errors.Is(err, tq.ErrNotFound):
		return tq.Changed{Err: notFound(x.TaskID)}
	case err != nil:
		return tq.Changed{Err: err}
	}
	return e.answer
}

func notFound(id int64) error {
	e := tq.Errorf(tq.CodeNotFound, "no task %d", id)
	e.TaskID = id
	return e.WithHint("see what there is: tq list")
}

// state is what the rules look at when x is to happen to r.
func (c *changing) state(r *row, x *tq.Change) tq.State {
	s := r.state
	switch x.Event {
	case tq.EventComplete, tq.EventFail, tq.EventRelease:
		if e := c.settled[attempt{r.id, x.Arg.Epoch}]; e != nil {
			s.Settled = &e.Settled
		} else if r.requeued && s.Status == tq.Pending && s.Epoch == x.Arg.Epoch && s.Attempt > 0 {
			s.Expired = true
		}
	case tq.EventRescue, tq.EventRequeue:
		if s.Status.Terminal() {
			s.OpenDeps = len(c.openDeps(r))
			if holder := c.holders[r.keyName()]; holder != r.id {
				s.KeyTwin = holder
			}
		}
	case tq.EventDelete:
		s.Dependants = c.dependants[r.id]
	}
	return s
}

// remember keeps how an attempt ended here, for later rows of the same batch.
func (c *changing) remember(r *row, x *tq.Change, step tq.Step) {
	for _, f := range step.Facts {
		if f.Settles {
			c.settled[attempt{r.id, r.state.Epoch}] = &ending{
				Settled: tq.Settled{Kind: f.Kind, Hash: x.Arg.Hash, Late: step.Late},
				lane:    r.lane.id,
				answer:  tq.Changed{State: r.state, Replayed: true, Late: step.Late, RunAt: runAtOf(r)},
			}
		}
	}
}

func runAtOf(r *row) tq.Time {
	if r.state.Status == tq.Pending {
		return tq.FromMilli(r.runAt)
	}
	return tq.Time{}
}

func (w *work) changed(r *row, facts []tq.StepFact) tq.Changed {
	c := tq.Changed{State: r.state, Facts: facts, RunAt: runAtOf(r)}
	if r.state.Status == tq.Running {
		c.Until, c.Left = tq.FromMilli(r.until), msDuration(max(0, r.until-w.now))
	}
	return c
}

// openDeps are the deps that a rescued task would have to wait for. One that
// was deleted holds nothing back.
func (w *work) openDeps(r *row) []edgeLine {
	var open []edgeLine
	for _, id := range r.asked.deps {
		p := w.find(id)
		if p == nil {
			continue
		}
		if effect := tq.DepEffect(p.state.Status, r.asked.onDep); effect != tq.Satisfied {
			open = append(open, edgeLine{id, r.id, policyCode(r.asked.onDep), stuckFlag(effect)})
		}
	}
	return open
}

// revive gives a rescued task its key and its edges back, and tells those who
// wait for it that they are not stuck any more.
func (c *changing) revive(r *row, open int) {
	if name := r.keyName(); name.key != "" && c.holders[name] == 0 {
		c.taken = append(c.taken, keyLine{name.queue, name.key, r.id})
		c.holders[name] = r.id
	}
	if open > 0 {
		for _, e := range c.openDeps(r) {
			c.edges = append(c.edges, e)
			r.stuck += int(e.stuck)
		}
	}
	c.told = append(c.told, r.id)
}

// erase takes the rest of a deleted task out; its facts stay, without bodies.
func (c *changing) erase(r *row) {
	if r.asked.key != "" {
		c.freeKey(r)
	}
	c.others = append(c.others, func(b *pgx.Batch) { b.Queue(c.texts.of(blankBodies), []int64{r.id}) })
}
