package tq

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// A settler reports how attempts ended, those of one verb: at once when it is
// idle, and all that has gathered meanwhile in one call when it was not. What
// the store refuses is narrowed down to the row that is to blame, so that it
// holds back no other.

const (
	settleTimeout = 30 * time.Second // of one call; a repeat is answered as the first time (S20)
	puzzledTries  = 3                // of a batch that fails for no known reason, before it is split
	aloneTries    = 8                // of a row that does so by itself, before it is given up
	rowOverhead   = 200              // bytes around a row's own, about
)

// settling is one verdict on its way to the store.
type settling struct {
	attempt *attempt
	verdict
	tries int  // failed for no known reason
	alone bool // sent by itself, lest it hold back others
	plain bool // its text has been replaced by one of ours
}

func (s *settling) size() int { return len(s.result) + len(s.text) + rowOverhead }

type settler struct {
	client  Client
	verb    Event
	settled func(*attempt) // tells the hands
	other   func(settling) // hands on what has become another verb
	log     *slog.Logger
	trouble *trouble

	mu      sync.Mutex
	pending []settling
	wake    chan struct{} // holds one wake-up
}

func newSettler(client Client, verb Event, log *slog.Logger) *settler {
	return &settler{
		client: client, verb: verb, log: log,
		trouble: newTrouble(log, string(verb)+" tasks"), wake: make(chan struct{}, 1),
	}
}

// add takes a verdict over. It never blocks.
func (s *settler) add(x settling) {
	s.mu.Lock()
	s.pending = append(s.pending, x)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run settles until ctx ends.
func (s *settler) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if batch := s.next(); len(batch) > 0 {
			s.deliver(ctx, batch, puzzledTries)
			continue
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// next takes what fits into one call: MaxBatch rows of MaxBatchBytes, and a row
// that has to go alone by itself.
func (s *settler) next() []settling {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, size := 0, 0
	for n < len(s.pending) && n < MaxBatch {
		x := &s.pending[n]
		size += x.size()
		if n > 0 && (x.alone || size > MaxBatchBytes) {
			break
		}
		n++
		if x.alone {
			break
		}
	}
	batch := s.pending[:n:n]
	s.pending = s.pending[n:]
	return batch
}

// deliver sends a batch until the store has answered for each of its rows. It
// outlasts an outage: the store may take a result even after its lease. When a
// batch has failed so many times for no known reason, it is split.
func (s *settler) deliver(ctx context.Context, batch []settling, puzzled int) {
	for tries := 1; ctx.Err() == nil; tries++ {
		out, err := s.send(ctx, batch)
		switch {
		case err == nil:
			s.trouble.over()
			s.answered(ctx, batch, out)
			return
		case refused(err), puzzling(err) && (tries >= puzzled || batch[0].alone):
			s.isolate(ctx, batch, err)
			return
		}
		sleep(ctx, s.trouble.note(err), nil)
	}
}

// isolate splits a batch that was refused as a whole, down to the row that is
// to blame.
func (s *settler) isolate(ctx context.Context, batch []settling, err error) {
	if len(batch) == 1 {
		s.refusedRow(batch[0], asError(err))
		return
	}
	half := len(batch) / 2
	s.deliver(ctx, batch[:half], 1)
	s.deliver(ctx, batch[half:], 1)
}

func (s *settler) send(ctx context.Context, batch []settling) ([]Settlement, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	out, err := s.call(ctx, batch)
	if err == nil && len(out.Leases) != len(batch) {
		err = Errorf(CodeInternal, "%s of %d leases was answered with %d", s.verb, len(batch), len(out.Leases))
	}
	return out.Leases, err
}

func (s *settler) call(ctx context.Context, batch []settling) (SettleOut, error) {
	switch s.verb {
	case EventComplete:
		in := CompleteIn{Leases: make([]CompleteLease, len(batch))}
		for i, x := range batch {
			in.Leases[i] = CompleteLease{TaskID: x.attempt.task.ID, LeaseToken: x.attempt.token, Result: x.result}
		}
		return s.client.Complete(ctx, in)
	case EventFail:
		in := FailIn{Leases: make([]FailLease, len(batch))}
		for i, x := range batch {
			in.Leases[i] = x.failLease()
		}
		return s.client.Fail(ctx, in)
	}
	in := ReleaseIn{Leases: make([]ReleaseLease, len(batch))}
	for i, x := range batch {
		in.Leases[i] = x.releaseLease()
	}
	return s.client.Release(ctx, in)
}

func (s *settling) failLease() FailLease {
	l := FailLease{
		TaskID: s.attempt.task.ID, LeaseToken: s.attempt.token,
		Error: s.text, RetryDelay: (*Duration)(s.delay),
	}
	if s.giveUp {
		again := false
		l.Requeue = &again
	}
	return l
}

func (s *settling) releaseLease() ReleaseLease {
	l := ReleaseLease{
		TaskID: s.attempt.task.ID, LeaseToken: s.attempt.token,
		Unburnt: s.unburnt, Reason: s.whyReleased(), Scope: s.scope,
	}
	if s.delay != nil {
		l.Delay = Duration(*s.delay)
	}
	return l
}

// whyReleased is the word for it in the task's story.
func (s *settling) whyReleased() string {
	switch {
	case s.interrupted:
		return "interrupted"
	case s.reason != "":
		return s.reason
	case s.unburnt:
		return "not begun"
	}
	return ""
}

func (s *settler) answered(ctx context.Context, batch []settling, answers []Settlement) {
	for i, x := range batch {
		if e := answers[i].Error; e != nil {
			s.refusedRow(x, e)
			continue
		}
		s.tell(ctx, x, answers[i])
		s.settled(x.attempt)
	}
}

func (s *settler) tell(ctx context.Context, x settling, answer Settlement) {
	level := slog.LevelDebug
	if s.verb != EventComplete {
		level = slog.LevelInfo
	}
	task := x.attempt.task
	attrs := []any{"task", task.ID, "type", task.Type, "attempt", task.Attempt, "status", string(answer.Status)}
	if x.text != "" {
		attrs = append(attrs, "error", quote(x.text))
	}
	if x.reason != "" {
		attrs = append(attrs, "reason", x.reason)
	}
	s.log.Log(ctx, level, string(s.verb), attrs...)
}

// refusedRow decides what becomes of a row that the store turned down.
func (s *settler) refusedRow(x settling, e *Error) {
	switch {
	case refused(e):
		s.replace(x, e)
	case errors.Is(e, ErrUnavailable):
		s.later(x)
	case e.Code == CodeInternal && x.tries < aloneTries:
		x.tries++
		x.alone = true
		s.later(x)
	case e.Code == CodeInternal:
		s.replace(x, e)
	default:
		s.forget(x, e)
	}
}

// later sends a row again after a while.
func (s *settler) later(x settling) {
	time.AfterFunc(s.trouble.wait(x.tries+1, nil), func() { s.add(x) })
}

// replace settles with a plain failure what the store will not take: a result
// it refuses fails the attempt, a text it refuses is left out.
func (s *settler) replace(x settling, e *Error) {
	if x.plain || x.event == EventRelease {
		s.forget(x, e)
		return
	}
	what := "result"
	if x.event == EventFail {
		what = "error text"
	}
	s.other(settling{attempt: x.attempt, plain: true, verdict: verdict{
		event: EventFail, giveUp: x.giveUp,
		text: CleanText("the "+what+" was refused: "+e.Message, MaxDetail),
	}})
}

// forget gives a row up: the lease is lost, or will run out.
func (s *settler) forget(x settling, e *Error) {
	s.log.Warn("not settled", "verb", string(s.verb), "task", x.attempt.task.ID, "type", x.attempt.task.Type, "error", e, "reason", e.Reason)
	s.settled(x.attempt)
}
