package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"example.com/tq"
)

// Target is the queue that is measured. Only Client is required.
type Target struct {
	Client tq.Client
	As     func(worker string) tq.Client // the same queue, asked by a worker; nil: Client

	// Written answers how many bytes the database has taken so far, of its
	// file or of its log; nil when nobody knows.
	Written func(context.Context) (int64, error)

	// Hold keeps a snapshot of the database open until it is released, as a
	// forgotten transaction of a stranger does; nil when that cannot be done.
	Hold func(context.Context) (release func() error, err error)

	// Keep leaves the tasks of the measures where they are.
	Keep bool
}

// Options of a scenario; the zero value works.
type Options struct {
	Tasks   int           // of one measure at most; default 20,000, for backlog 200,000
	Callers []int         // how many at once; default 1, 16 and 100
	Payload int           // bytes of each; default 200
	For     time.Duration // about how long one measure takes at most, and its filling; default 1.5 s, for snapshot 10 s

	Progress func(text string) // is told now and then how far it is; may be nil
}

// The defaults and limits of Options.
const (
	DefaultTasks   = 20_000
	DefaultPayload = 200
	DefaultFor     = 1500 * time.Millisecond

	MaxTasks   = 10_000_000
	MaxCallers = 1_000
)

// Scenario is one way to load a queue.
type Scenario struct {
	Name  string
	About string // what it does, in half a sentence
	Long  bool   // not among those that are run when none is named
	run   func(context.Context, *session) error
}

// Scenarios lists all of them, in the order they are run.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "enqueue", About: "tasks go in, one with each call, then a thousand", run: enqueue},
		{Name: "drain", About: "tasks come out: one at a time, by the hundred, by a worker that claims ahead", run: drain},
		{Name: "steady", About: "two producers and a worker at once", run: steady},
		{Name: "pickup", About: "an idle worker begins a task, counted from the answer of its enqueue", run: pickup},
		{Name: "recover", About: "a worker dies with tasks in hand, counted from the end of its lease", run: recoverLost},
		{Name: "priority", About: "eight priorities mixed, claimed by one caller", run: priorities},
		{Name: "retry", About: "one task in a hundred fails and is run again", run: retries},
		{Name: "fanin", About: "tasks that each wait for 99 others", run: fanIn},
		{Name: "snapshot", About: "producers and a worker while a snapshot is held open; see --for", Long: true, run: snapshot},
		{Name: "backlog", About: "a drain from a small backlog, then from a large one; see --tasks", Long: true, run: backlog},
	}
}

// Run measures one scenario and hands over each measure as it is made. It
// returns an Error of code invalid for options out of range, and one of code
// internal when a task was lost, or was run again and the journal does not say
// why.
func Run(ctx context.Context, t Target, s Scenario, o Options, measured func(Measure)) error {
	if err := o.check(); err != nil {
		return err
	}
	if t.As == nil {
		t.As = func(string) tq.Client { return t.Client }
	}
	x := &session{Target: t, o: o.filled(), scenario: s.Name, measured: measured}
	if err := s.run(ctx, x); err != nil {
		return err
	}
	return errors.Join(x.broken...)
}

func (o *Options) check() error {
	switch {
	case o.Tasks < 0 || o.Tasks > MaxTasks:
		return tq.Errorf(tq.CodeInvalid, "tasks: is %d, want 1 to %d", o.Tasks, MaxTasks)
	case o.Payload < 0 || o.Payload > tq.MaxPayload:
		return tq.Errorf(tq.CodeInvalid, "payload: is %d bytes, the limit is %d", o.Payload, tq.MaxPayload)
	case o.For < 0:
		return tq.Errorf(tq.CodeInvalid, "for: is %s, want more than 0", o.For)
	}
	for _, n := range o.Callers {
		if n < 1 || n > MaxCallers {
			return tq.Errorf(tq.CodeInvalid, "callers: is %d, want 1 to %d", n, MaxCallers)
		}
	}
	return nil
}

func (o Options) filled() Options {
	if len(o.Callers) == 0 {
		o.Callers = []int{1, 16, 100}
	}
	if o.Payload == 0 {
		o.Payload = DefaultPayload
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

// session is one scenario at work.
type session struct {
	Target
	o        Options
	scenario string
	measured func(Measure)
	broken   []error
}

// tasks is how many a measure may use; usual unless the caller says.
func (x *session) tasks(usual int) int {
	if x.o.Tasks > 0 {
		return x.o.Tasks
	}
	return usual
}

// span is how long a measure may take.
func (x *session) span(usual time.Duration) time.Duration {
	if x.o.For > 0 {
		return x.o.For
	}
	return usual
}

// most is the largest number of callers asked for.
func (x *session) most() int {
	n := 1
	for _, c := range x.o.Callers {
		n = max(n, c)
	}
	return n
}

// trial runs one measure in a queue of its own, accounts for its tasks and
// takes them away.
func (x *session) trial(ctx context.Context, name string, do func(context.Context, *trial) error) error {
	t := &trial{session: x, queue: "bench-" + strings.ToLower(rand.Text()), ledger: newLedger()}
	t.m = Measure{Scenario: x.scenario, Name: name}
	err := do(ctx, t)
	if err == nil {
		t.finish()
	}
	if !x.Keep {
		_, purged := x.Client.Purge(context.WithoutCancel(ctx), tq.QueueIn{Queue: t.queue})
		err = errors.Join(err, purged)
	}
	return err
}

// finish hands the measure over.
func (t *trial) finish() {
	d := t.m.Delivery
	if !d.OK() {
		t.broken = append(t.broken, tq.Errorf(tq.CodeInternal, "%s, %s: %s", t.scenario, t.m.Name, d).
			WithHint("look at its tasks: tq list --queue %s", t.queue))
	}
	t.measured(t.m)
}
