package memory

import (
	"slices"
	"time"

	tq "example.com/tq"
)

// task is one task: what was asked for, its state, and where it stands.
type task struct {
	id      int64
	asked   tq.NewTask
	created tq.Time
	first   tq.Time // its run_at as asked for
	deps    []int64
	state   tq.State // without what is looked up for one event

	runAt   tq.Time
	delayed bool           // pending, waits for runAt
	pos     int64          // its place in line: the seq of what made it ready
	readyAt tq.Time        // when it became ready
	open    map[int64]bool // blocked: the deps it waits for
	lease   *lease         // running

	result   []byte
	failure  string // the newest text of a failed attempt
	reason   string
	progress *tq.Progress
	started  tq.Time
	ended    tq.Time
}

// lease is the right of one holder to settle one task. Those with the same
// claim are extended together.
type lease struct {
	claim    int64
	place    int // in the claim's answer
	claimID  string
	worker   string
	owner    string
	length   time.Duration
	until    tq.Time
	deadline tq.Time // of the attempt; zero is none
}

// extend makes l last for d from now, never past its deadline.
func (l *lease) extend(now tq.Time, d time.Duration) {
	l.length = d
	l.until = l.bound(tq.At(now.Add(d)))
}

func (l *lease) bound(until tq.Time) tq.Time {
	if !l.deadline.IsZero() && until.After(l.deadline.Time) {
		return l.deadline
	}
	return until
}

func (l *lease) left(now tq.Time) time.Duration { return max(0, l.until.Sub(now.Time)) }

// timedOut reports whether the attempt's timeout is what ended the lease.
func (l *lease) timedOut() bool { return !l.deadline.IsZero() && !l.until.Before(l.deadline.Time) }

// record is one line of the journal and what is kept beside it.
type record struct {
	tq.Fact
	hash [16]byte
}

func (t *task) line() line { return line{t.asked.Queue, t.asked.Type, t.asked.Project} }

func (t *task) key() key { return key{t.asked.Queue, t.asked.IdempotencyKey} }

// ready reports whether t may be claimed at that time.
func (t *task) ready(now tq.Time) bool {
	return t.state.Status == tq.Pending && !(t.delayed && t.runAt.After(now.Time))
}

// act is what an event brings beside its rule: who, with what.
type act struct {
	actor  string
	hash   [16]byte
	body   []byte
	detail tq.FactDetail
}

// apply writes a step that Next decided for t: state, place and facts.
func (w *writer) apply(t *task, step tq.Step, a act) {
	was := t.state.Status
	t.state = step.State
	t.state.OpenDeps, t.state.Dependants, t.state.KeyTwin, t.state.Settled = 0, 0, 0, nil
	t.delayed = false
	if t.state.Status == tq.Pending {
		t.runAt = tq.At(w.now.Add(step.Delay))
		t.delayed = t.runAt.After(w.now.Time)
	}
	t.state.Scheduled = t.delayed
	for i, f := range step.Facts {
		w.record(t, f, i == len(step.Facts)-1, a)
	}
	w.place(t, step.OldPlace)
	if !t.state.Status.Terminal() {
		t.ended = tq.Time{}
	} else if !was.Terminal() {
		w.end(t)
	}
}

// place puts t where its state belongs.
func (w *writer) place(t *task, old bool) {
	if t.state.Status != tq.Running {
		t.lease = nil
	}
	if t.state.Status != tq.Blocked {
		t.open = nil
	}
	if t.state.Status != tq.Pending {
		return
	}
	if t.delayed {
		w.due(t.runAt)
		return
	}
	if !old {
		t.pos = w.seq
	}
	t.readyAt = w.now
	w.ready(t)
}

// end is what else happens when a task has ended.
func (w *writer) end(t *task) {
	t.ended = w.now
	w.news.Ended = true
	w.ended = append(w.ended, t.id)
	if t.asked.KeyUntil == tq.KeyUntilTerminal && w.keys[t.key()] == t.id {
		delete(w.keys, t.key())
	}
}

// record writes one fact of t; last says whether it is the last of its step.
func (w *writer) record(t *task, f tq.StepFact, last bool, a act) {
	r := &record{Fact: tq.Fact{
		Seq: w.next(), TaskID: t.id, Rev: w.rev(t.id) + 1,
		Queue: t.asked.Queue, Type: t.asked.Type, Project: t.asked.Project,
		Kind: f.Kind, Status: f.Status, Epoch: t.state.Epoch, Attempt: t.state.Attempt,
		Actor: a.actor, At: w.now, Settles: f.Settles,
	}}
	if f.Settles {
		r.hash = a.hash
	}
	r.Detail = f.Detail(a.detail, a.body)
	if last && t.state.Status == tq.Pending && t.delayed {
		r.Detail.RunAt = t.runAt
	}
	w.rollups.Fold(&tq.RollupFact{
		Queue: r.Queue, Type: r.Type, Kind: r.Kind, At: w.now.Milli(), Since: t.since(r.Kind).Milli(),
	}, w.now)
	w.journal = append(w.journal, r)
	w.history[t.id] = append(w.history[t.id], r)
	w.keep(t, f, a)
}

// keep notes on the task what reads show of its newest facts.
func (w *writer) keep(t *task, f tq.StepFact, a act) {
	switch f.Kind {
	case tq.FactClaimed:
		t.started, t.progress = w.now, nil
	case tq.FactHeartbeat:
		if a.detail.Note != "" || a.detail.Fraction != 0 {
			t.progress = &tq.Progress{At: w.now, Fraction: a.detail.Fraction, Note: a.detail.Note}
		}
	case tq.FactCompleted:
		t.result = a.body
	case tq.FactFailed:
		t.failure = string(a.body)
	case tq.FactLeaseExpired:
		if a.detail.Error != "" {
			t.failure = a.detail.Error
		}
	case tq.FactRescued:
		t.reason = ""
	case tq.FactDeadLettered, tq.FactCancelled:
		t.reason = f.Reason
	}
}

// rev is that of the last fact of a task.
func (s *Store) rev(id int64) int64 {
	facts := s.history[id]
	if len(facts) == 0 {
		return 0
	}
	return facts[len(facts)-1].Rev
}

// promote makes ready what has come due, in the order of run_at and id.
func (w *writer) promote() {
	var due []*task
	for _, t := range w.tasks {
		if t.state.Status == tq.Pending && t.delayed && !t.runAt.After(w.now.Time) {
			due = append(due, t)
		}
	}
	slices.SortStableFunc(due, func(a, b *task) int { return a.runAt.Compare(b.runAt.Time) })
	for _, t := range due {
		t.delayed = false
		t.state.Scheduled = false
		t.pos = w.next()
		t.readyAt = t.runAt
		w.ready(t)
	}
}
