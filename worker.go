package tq

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Worker claims tasks and runs them with the executors of their types. Client
// and one handler are all it needs; the zero value of every other field works.
// Fields and handlers are read when Run begins.
//
// Inside one Run, each part has one duty: the claimer asks for as many tasks as
// hands are free, the hands run them, the heartbeat keeps their leases, a
// settler for each verb reports how they ended.
type Worker struct {
	Client Client // a Broker in process, or a remote hub

	Name    string // a label for people; default host:pid
	Host    string // default: what the machine calls itself
	Version string // of the program, for people

	Queues  []string // none: every queue
	Types   []string // some of those that have a handler; none: all of them
	Project string   // "": any

	Concurrency int           // attempts at a time, up to 10,000; default: the processors Go may use
	Lease       time.Duration // 1 s to 1 h, extended while an attempt runs; default WorkerLease

	Grace     time.Duration // how long a stop lets running attempts go on; default 30 s, 10 min if it runs agents; negative: not at all
	KillGrace time.Duration // how long it then waits for executors whose ctx has ended; default 12 s

	Once       bool // run exactly one task, then stop
	UntilEmpty bool // stop when nothing is claimable

	Log *slog.Logger // default slog.Default()

	mu        sync.Mutex
	executors map[string]Executor
	wrong     error              // the first handler that cannot be registered
	hurry     context.CancelFunc // of the Run that goes on
}

// ErrTasksReleased is what Run returns when attempts were still running at the
// end of a stop: their tasks were given back, for another worker to run again.
var ErrTasksReleased = errors.New("worker stopped with tasks released")

const (
	maxConcurrency   = 10_000
	defaultGrace     = 30 * time.Second
	agentGrace       = 10 * time.Minute
	defaultKillGrace = 12 * time.Second // executors take up to 10 s between TERM and KILL
)

// Handle registers x for the tasks of one type. A type has one executor; a
// second one makes Run fail.
func (w *Worker) Handle(kind string, x Executor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.refuse(kind, x); err != nil {
		w.wrong = errors.Join(w.wrong, err)
		return
	}
	if w.executors == nil {
		w.executors = map[string]Executor{}
	}
	w.executors[kind] = x
}

func (w *Worker) refuse(kind string, x Executor) error {
	if err := checkName("type", kind, MaxTypeName); err != nil {
		return err
	}
	if x == nil {
		return invalidField("executor", "required", "of type %s is nil", quote(kind))
	}
	if _, twice := w.executors[kind]; twice {
		return invalidField("type", "duplicate", "%s has two executors", quote(kind))
	}
	return nil
}

// Run works until ctx ends, or until what Once or UntilEmpty ask for is done.
// When ctx ends it claims nothing more, gives back what has not begun, and lets
// running attempts go on for Grace, their leases kept; then it ends the context
// of their executors, waits for KillGrace at most, and releases the tasks that
// are left. It returns nil when every attempt was settled, ErrTasksReleased when
// some were given back, an Error of code invalid when the Worker's fields do not
// fit together, and what the queue said when it refuses this worker's claims.
// One Run goes on at a time.
func (w *Worker) Run(ctx context.Context) error {
	p, err := w.plan()
	if err != nil {
		return err
	}
	hurried, hurry := context.WithCancel(context.WithoutCancel(ctx))
	defer hurry()
	if err := w.begin(hurry); err != nil {
		return err
	}
	defer w.end()
	return newShift(p).run(ctx, hurried)
}

// Hurry makes a stop skip its Grace, as a second signal does. Without a Run it
// does nothing.
func (w *Worker) Hurry() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hurry != nil {
		w.hurry()
	}
}

func (w *Worker) begin(hurry context.CancelFunc) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hurry != nil {
		return Errorf(CodeInvalidState, "this worker is already running")
	}
	w.hurry = hurry
	return nil
}

func (w *Worker) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hurry = nil
}

// plan is what one Run works by: the Worker's fields, checked, with their
// defaults filled in.
type plan struct {
	client     Client
	info       WorkerInfo
	project    string
	lease      time.Duration
	grace      time.Duration
	killGrace  time.Duration
	once       bool
	untilEmpty bool
	executors  map[string]Executor
	log        *slog.Logger
}

func (w *Worker) plan() (plan, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := plan{
		client: w.Client, project: w.Project, once: w.Once, untilEmpty: w.UntilEmpty,
		lease:     orDefault(w.Lease, WorkerLease),
		killGrace: max(0, orDefault(w.KillGrace, defaultKillGrace)),
		executors: maps.Clone(w.executors),
		log:       w.Log,
	}
	if p.log == nil {
		p.log = slog.Default()
	}
	types, err := w.types()
	if err != nil {
		return p, err
	}
	slots, err := w.slots()
	if err != nil {
		return p, err
	}
	if err := checkDuration("lease", Duration(p.lease), MinLease, MaxLease); err != nil {
		return p, err
	}
	p.info = w.info(types, slots)
	p.grace = max(0, orDefault(w.Grace, defaultGrace))
	if p.agents() {
		p.grace = max(0, orDefault(w.Grace, agentGrace))
	}
	return p, nil
}

// agents reports whether this worker runs agents, which run long.
func (p *plan) agents() bool { return slices.Contains(p.info.Types, TypeAgent) }

func orDefault(d, zero time.Duration) time.Duration {
	if d == 0 {
		return zero
	}
	return d
}

// types lists what to claim: all that have a handler, or those asked for.
func (w *Worker) types() ([]string, error) {
	switch {
	case w.Client == nil:
		return nil, invalidField("client", "required", "is required")
	case w.wrong != nil:
		return nil, fmt.Errorf("register handlers: %w", w.wrong)
	case len(w.executors) == 0:
		return nil, invalidField("types", "required", "have no handler").
			WithHint("register one first, with tq.Handle or Worker.Handle")
	case len(w.Types) == 0:
		return slices.Sorted(maps.Keys(w.executors)), nil
	}
	for _, kind := range w.Types {
		if _, ok := w.executors[kind]; !ok {
			return nil, invalidField("types", "unknown_value", "name %s, which has no handler", quote(kind))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(w.Types))), nil
}

func (w *Worker) slots() (int, error) {
	if err := checkRange("concurrency", w.Concurrency, 0, maxConcurrency); err != nil {
		return 0, err
	}
	switch {
	case w.Once:
		return 1, nil
	case w.Concurrency == 0:
		return runtime.GOMAXPROCS(0), nil
	}
	return w.Concurrency, nil
}

// info is what the registry will know. The id is fresh at each Run, so that a
// worker that comes back under its old name is never taken for the one before.
func (w *Worker) info(types []string, slots int) WorkerInfo {
	info := WorkerInfo{
		ID: rand.Text(), Name: w.Name, Host: w.Host, Version: w.Version,
		Types: types, Queues: w.Queues, Slots: slots,
	}
	if info.Host == "" {
		info.Host = hostname()
	}
	if info.Name == "" {
		info.Name = fmt.Sprintf("%s:%d", info.Host, os.Getpid())
	}
	return info
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
