package storetest

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"example.com/tq"
)

// The orders of Lockstep: each draws what to ask, asks both stores, and
// remembers what later orders may refer to.

func (d *duo) enqueue() {
	tasks := make([]tq.NewTask, pick(d, "rows", 1, 1, 1, 2, 3))
	for i := range tasks {
		n, err := d.newTask(i).Normal()
		if err != nil {
			d.rt.Fatalf("draw a task: %v", err)
		}
		tasks[i] = n
	}
	var ids []int64
	d.both("enqueue "+text(tasks), func(s tq.Store) any {
		out, err := s.Enqueue(ctx(), tasks, "producer")
		if err == nil {
			ids = nil
			for _, e := range out {
				ids = append(ids, e.ID)
			}
		}
		return reply{Value: out, Err: refusal(err)}
	})
	d.last = max(d.last, slices.Max(append(ids, 0)))
}

func (d *duo) newTask(row int) tq.NewTask {
	n := tq.NewTask{
		Queue:          pick(d, "queue", "a", "a", "b", "c"),
		Type:           pick(d, "type", "x", "x", "y"),
		Project:        pick(d, "project", "", "", "p"),
		Payload:        []byte(pick(d, "payload", "", "1", `{"a":1}`)),
		Priority:       pick(d, "priority", 0, 0, 0, 1, -1),
		Delay:          tq.Duration(pick(d, "delay", 0, 0, 0, 0, time.Second, 5*time.Second)),
		MaxAttempts:    pick(d, "max attempts", 1, 1, 2, 2, 3),
		Timeout:        tq.Duration(pick(d, "timeout", 0, 0, 0, 4*time.Second)),
		IdempotencyKey: pick(d, "key", "", "", "", "k", "l"),
		KeyUntil:       pick(d, "key until", tq.KeyUntilDeleted, tq.KeyUntilTerminal),
		OnMismatch:     pick(d, "on mismatch", tq.MismatchExisting, tq.MismatchExisting, tq.MismatchError),
		OnDepFailure:   pick(d, "on dep failure", tq.DepBlock, tq.DepBlock, tq.DepCancel, tq.DepRun),
	}
	if n.Delay == 0 && pick(d, "run at", false, false, false, true) {
		n.RunAt = tq.At(d.clock.Now().Add(pick(d, "when", -time.Hour, 0, time.Second, 2500*time.Millisecond)))
	}
	if pick(d, "backoff", false, false, true) {
		n.Backoff = &tq.Backoff{Base: tq.Duration(time.Second), Cap: tq.Duration(3 * time.Second)}
	}
	if d.last > 0 && pick(d, "parent", false, false, false, true) {
		n.Parent = d.anID()
	}
	for range pick(d, "deps", 0, 0, 0, 1, 2) {
		n.Deps = append(n.Deps, d.aRef(row))
	}
	return n
}

func (d *duo) aRef(row int) tq.Ref {
	switch kind := rapid.IntRange(0, 9).Draw(d.rt, "ref"); {
	case kind == 0:
		return "key:k"
	case kind <= 3 && row > 0:
		return tq.Ref(fmt.Sprintf("$%d", row-1))
	case kind == 4:
		return tq.Ref(fmt.Sprintf("$%d", row))
	}
	return tq.ID(max(1, d.last-rapid.Int64Range(-1, 5).Draw(d.rt, "back")))
}

func (d *duo) claim() {
	q := tq.ClaimQuery{
		Queues:  pick(d, "queues", nil, nil, nil, []string{"a"}, []string{"b", "a"}, []string{"nowhere"}),
		Types:   pick(d, "types", nil, nil, []string{"x"}, []string{"y", "x"}),
		Project: pick(d, "project", "", "", "", "p"),
		Max:     pick(d, "max", 1, 1, 2, 3, 5),
		Lease:   pick(d, "lease", time.Second, 2*time.Second, 3*time.Second, 10*time.Second),
		Worker:  d.aWorker(),
		ClaimID: pick(d, "claim id", "", "", "", "c1", "c2"),
		Owner:   pick(d, "owner", "alice", "bob"),
		After:   pick(d, "after", "", "", "a", "b", "zz"),
	}
	if len(q.Types) == 0 {
		q.NotTypes = pick(d, "not types", nil, nil, []string{"y"})
	}
	var refs []tq.LeaseRef
	d.both("claim "+text(q), func(s tq.Store) any {
		out, err := s.Claim(ctx(), q)
		refs = nil
		for _, c := range out.Tasks {
			refs = append(refs, tq.LeaseRef{TaskID: c.Task.ID, Epoch: c.Task.Epoch})
		}
		return reply{Value: claimsView(out), Err: refusal(err)}
	})
	d.held = append(d.held, refs...)
}

func (d *duo) aWorker() tq.WorkerInfo {
	return pick(d, "worker",
		tq.WorkerInfo{}, tq.WorkerInfo{Name: "by hand"},
		tq.WorkerInfo{ID: "w1", Name: "one", Slots: 2, Types: []string{"x"}},
		tq.WorkerInfo{ID: "w2", Queues: []string{"a"}, Draining: true},
	)
}

// aLease is mostly one of the newest, and at times its epoch is wrong.
func (d *duo) aLease() tq.LeaseRef {
	if len(d.held) == 0 {
		return tq.LeaseRef{TaskID: d.anID(), Epoch: 1}
	}
	back := rapid.IntRange(0, min(len(d.held)-1, 6)).Draw(d.rt, "lease")
	ref := d.held[len(d.held)-1-back]
	ref.Epoch += pick(d, "stale", int64(0), 0, 0, 0, 0, 0, -1, 1)
	return ref
}

func (d *duo) settle() {
	changes := make([]tq.Change, pick(d, "rows", 1, 1, 1, 2, 3))
	for i := range changes {
		changes[i] = d.aSettle()
	}
	d.change(changes)
	d.settles = append(d.settles, changes...)
}

func (d *duo) aSettle() tq.Change {
	ref := d.aLease()
	c := tq.Change{TaskID: ref.TaskID, Actor: pick(d, "actor", "w1", "alice"), Arg: tq.Arg{Epoch: ref.Epoch}}
	c.Event = pick(d, "event", tq.EventComplete, tq.EventComplete, tq.EventFail, tq.EventFail, tq.EventRelease)
	if c.Event == tq.EventFail {
		c.Arg.GiveUp = pick(d, "give up", false, false, true)
		c.Arg.Jitter = tq.Jitter(ref.TaskID, ref.Epoch)
	}
	if c.Event == tq.EventRelease {
		c.Arg.Unburnt, c.Arg.Reason = pick(d, "unburnt", false, true), pick(d, "reason", "", "draining")
	}
	if c.Event != tq.EventComplete && pick(d, "with delay", false, false, true) {
		wait := pick(d, "wait", 0, 500*time.Millisecond, 3*time.Second)
		c.Arg.Delay = &wait
	}
	c.Body = []byte(pick(d, "body", "", "1", `"two"`))
	if c.Event == tq.EventRelease {
		c.Body = nil
	}
	c.Arg.Hash = tq.SettleHash(c.Event, c.Body, c.Arg)
	return c
}

// mixed is what callers send at once whose calls share a transaction: changes of
// all kinds in one batch, often of one task.
func (d *duo) mixed() {
	changes := make([]tq.Change, pick(d, "rows", 2, 2, 3, 5))
	for i := range changes {
		if pick(d, "a settle", false, true) {
			changes[i] = d.aSettle()
			d.settles = append(d.settles, changes[i])
			continue
		}
		c := tq.Change{TaskID: d.anID(), Actor: "admin"}
		c.Event = pick(d, "event", tq.EventCancel, tq.EventCancel, tq.EventRescue, tq.EventRescue, tq.EventRequeue, tq.EventDelete)
		c.Arg.Force = c.Event == tq.EventCancel && pick(d, "force", false, true)
		if i > 0 && pick(d, "the same task", false, true) {
			c.TaskID = changes[i-1].TaskID
		}
		changes[i] = c
	}
	d.change(changes)
}

// repeatSettle sends a settle again, as it was or with another body.
func (d *duo) repeatSettle() {
	if len(d.settles) == 0 {
		return
	}
	c := d.settles[len(d.settles)-1-rapid.IntRange(0, min(len(d.settles)-1, 5)).Draw(d.rt, "settle")]
	if pick(d, "another body", false, false, true) {
		c.Body = []byte(`"another"`)
		c.Arg.Hash = tq.SettleHash(c.Event, c.Body, c.Arg)
	}
	d.change([]tq.Change{c})
}

func (d *duo) change(changes []tq.Change) {
	d.both("change "+changesText(changes), func(s tq.Store) any {
		out, err := s.Change(ctx(), changes)
		return reply{Value: changedViews(out), Err: refusal(err)}
	})
}

func (d *duo) extend() {
	x := tq.Extension{
		Lease:  pick(d, "lease", 0, time.Second, 3*time.Second, 10*time.Second),
		Worker: d.aWorker(),
		Actor:  pick(d, "actor", "w1", "alice"),
	}
	for range pick(d, "leases", 0, 1, 1, 2, 4) {
		ref := d.aLease()
		if slices.ContainsFunc(x.Leases, func(r tq.LeaseRef) bool { return r.TaskID == ref.TaskID }) {
			continue
		}
		if pick(d, "note", false, false, true) {
			ref.Progress = &tq.Progress{Fraction: pick(d, "fraction", 0.25, 1), Note: pick(d, "text", "", "half way")}
		}
		x.Leases = append(x.Leases, ref)
	}
	d.both("extend "+text(x), func(s tq.Store) any {
		out, err := s.Extend(ctx(), x)
		return reply{Value: changedViews(out), Err: refusal(err)}
	})
}

// administer applies one event to one or two tasks, mostly such as it is meant
// for.
func (d *duo) administer(ev tq.Event, arg tq.Arg, statuses ...tq.Status) {
	changes := make([]tq.Change, pick(d, "ids", 1, 1, 2))
	for i := range changes {
		changes[i] = tq.Change{TaskID: d.idOf(statuses), Event: ev, Arg: arg, Actor: "admin"}
	}
	d.change(changes)
}

// idOf is a task that stands in one of the statuses, or at times any.
func (d *duo) idOf(statuses []tq.Status) int64 {
	page, err := d.model.Tasks(ctx(), tq.TaskQuery{Limit: tq.MaxPage})
	if err != nil {
		d.rt.Fatalf("list the tasks of the model: %v", err)
	}
	fit := slices.DeleteFunc(page.Tasks, func(t tq.Task) bool { return !slices.Contains(statuses, t.Status) })
	if len(fit) == 0 || pick(d, "any", false, false, false, true) {
		return d.anID()
	}
	return fit[rapid.IntRange(0, len(fit)-1).Draw(d.rt, "task")].ID
}

func (d *duo) cancel() {
	arg := tq.Arg{Force: pick(d, "force", false, true), Reason: pick(d, "reason", "", "no need")}
	d.administer(tq.EventCancel, arg, tq.Running, tq.Pending, tq.Blocked)
}

func (d *duo) rescue() {
	arg := tq.Arg{}
	if pick(d, "if epoch", false, false, false, true) {
		e := pick(d, "epoch", int64(1), 2, 3)
		arg.IfEpoch = &e
	}
	d.administer(tq.EventRescue, arg, tq.Dead, tq.Cancelled)
}

func (d *duo) requeue() { d.administer(tq.EventRequeue, tq.Arg{}, tq.Pending, tq.Dead) }

func (d *duo) remove() {
	d.administer(tq.EventDelete, tq.Arg{}, tq.Completed, tq.Dead, tq.Cancelled)
}

func (d *duo) pause() {
	paused := pick(d, "paused", true, false, false)
	c := tq.QueueChange{Queue: pick(d, "queue", "a", "b"), Pause: &paused, Actor: "admin"}
	d.both(fmt.Sprintf("pause %s: %v", c.Queue, paused), func(s tq.Store) any {
		out, err := s.SetQueue(ctx(), c)
		return reply{Value: out, Err: refusal(err)}
	})
}

func (d *duo) purge() {
	queue := pick(d, "queue", "a", "b", "nowhere")
	d.both("purge "+queue, func(s tq.Store) any {
		var sum tq.QueueChanged
		c := tq.QueueChange{Queue: queue, Purge: true, Actor: "admin"}
		for {
			out, err := s.SetQueue(ctx(), c)
			sum.Deleted, sum.Kept, sum.Running = sum.Deleted+out.Deleted, sum.Kept+out.Kept, sum.Running+out.Running
			if err != nil || out.Next == 0 {
				return reply{Value: sum, Err: refusal(err)}
			}
			c.After = out.Next
		}
	})
}

func (d *duo) sweep() {
	keep := pick(d, "keep", tq.Retention{}, tq.Retention{},
		tq.Retention{Completed: 5 * time.Second, Cancelled: time.Second, Dead: -1},
		tq.Retention{Completed: -1, Cancelled: -1, Dead: 3 * time.Second, Facts: 20 * time.Second},
		tq.Retention{Completed: 5 * time.Second, Queues: map[string]tq.Keep{
			"a": {Completed: time.Second, Cancelled: -1, Dead: time.Second}, "b": {Completed: -1},
		}})
	if d.turnsBack {
		keep = tq.Retention{}
	}
	var due []time.Duration
	d.both("sweep "+text(keep), func(s tq.Store) any {
		out, err := s.Sweep(ctx(), keep)
		due = append(due, out.NextDue)
		return reply{Value: map[string]int{"expired": out.Expired, "deleted": out.Deleted}, Err: refusal(err)}
	})
	d.notLater("sweep", due)
}

// notLater holds the engine to the moment at which the model has something to
// do: it may look earlier, never later.
func (d *duo) notLater(what string, due []time.Duration) {
	const slack, retention = time.Millisecond, 24 * time.Hour
	if model, engine := due[0], due[1]; model > 0 && model < retention && (engine <= 0 || engine > model+slack) {
		d.rt.Fatalf("%s: the model has something to do in %s, the engine in %s", what, model, engine)
	}
}

func (d *duo) removeWorker() {
	id := pick(d, "worker", "w1", "w2", "nobody")
	d.both("remove worker "+id, func(s tq.Store) any { return refusal(s.RemoveWorker(ctx(), id, "admin")) })
}

// pass moves the clock. A gap of more than two seconds is an outage when leases
// are held; a clock that is turned back must do no harm.
func (d *duo) pass() {
	by := pick(d, "by", time.Millisecond, 100*time.Millisecond, 500*time.Millisecond, time.Second, time.Second,
		1500*time.Millisecond, 2*time.Second, 2001*time.Millisecond, 3*time.Second, 5*time.Second, 12*time.Second)
	if d.turnsBack && pick(d, "back", false, false, false, true) {
		by = -by
		d.makeReady()
	}
	d.rt.Logf("%s  the clock moves by %s", d.clock.Now().Sub(dawn()), by)
	d.clock.Advance(by)
}

// makeReady has what came due made ready before the clock is turned back. Any
// write does that, but one that is refused as a whole may have it undone, which
// nobody sees until the clock says that it is not due.
func (d *duo) makeReady() {
	const nobody = 1 << 40
	d.both("cancel nothing", func(s tq.Store) any {
		out, err := s.Change(ctx(), []tq.Change{{TaskID: nobody, Event: tq.EventCancel}})
		return reply{Value: refusal(out[0].Err), Err: refusal(err)}
	})
}

func (d *duo) list() {
	q := tq.TaskQuery{
		Queue:   pick(d, "queue", "", "", "a"),
		Status:  pick(d, "status", "", "blocked", "pending", "running", "completed", "dead", "cancelled"),
		Type:    pick(d, "type", "", "", "x"),
		Project: pick(d, "project", "", "", "p"),
		Key:     pick(d, "key", "", "", "k"),
		Search:  pick(d, "search", "", "", "a", "two"),
		Limit:   pick(d, "limit", 1, 3, 100),
	}
	if pick(d, "of a tree", false, false, true) {
		q.Parent = d.anID()
	}
	d.both("list "+text(q), func(s tq.Store) any {
		var ids []int64
		q := q
		for {
			page, err := s.Tasks(ctx(), q)
			for _, t := range page.Tasks {
				ids = append(ids, t.ID)
			}
			if err != nil || !page.More {
				return reply{Value: ids, Err: refusal(err)}
			}
			q.Before = page.Next
		}
	})
}
