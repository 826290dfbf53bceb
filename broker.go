package tq

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Broker answers Client over a Store, in this process: it holds requests to the
// limits, opens tokens, lets claims wait, and keeps the sweep going. It is safe
// for concurrent use.
type Broker struct {
	*desk
	actor string
	only  *Rights // nil: every right
}

var _ Client = (*Broker)(nil)

// desk is what all views of one Broker share.
type desk struct {
	store Store
	info  StoreInfo
	log   *slog.Logger
	room  *room
	sweep *sweeper
	bulks *bulkDesk
	roll  roll
	gauge *gauge

	doorman doorman

	mu   sync.Mutex
	last string // the queue that was served last
}

// Options of a Broker; the zero value works.
type Options struct {
	Retention Retention    // how long ended tasks and facts are kept
	Depth     Depth        // how many open tasks queues may hold; default no limit
	Actor     string       // who acts, in facts; default "local"
	Log       *slog.Logger // default: discard
}

// New returns a Broker over store. Without Run, calls are answered, but a call
// that waits notices commits only once a second, nothing expires unless a claim
// finds nothing else, and bulk operations wait.
func New(store Store, o Options) *Broker {
	if o.Actor == "" {
		o.Actor = "local"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	info := store.Info()
	d := &desk{store: store, info: info, log: o.Log, room: newRoom(), bulks: newBulkDesk()}
	d.roll.known = map[string]bool{}
	d.gauge = newGauge(o.Depth, info.Now)
	d.sweep = &sweeper{store: store, keep: o.Retention, now: info.Now, kick: make(chan struct{}, 1)}
	d.sweep.clock.now = info.Now
	d.sweep.skip = func(by time.Duration, jumps int64) {
		d.log.Warn("the clock of the store jumped", "by", by.Round(time.Millisecond).String(), "jumps", jumps)
	}
	d.sweep.warn = func(msg string, err error) { d.log.Warn(msg, "error", err) }
	return &Broker{desk: d, actor: o.Actor}
}

// As returns the same Broker acting for somebody else.
func (b *Broker) As(actor string) *Broker { return &Broker{desk: b.desk, actor: actor, only: b.only} }

// Run watches the store and sweeps until ctx ends; then every waiting call is
// answered with what there is. It may be run again.
func (b *Broker) Run(ctx context.Context) error {
	b.room.open()
	defer b.room.close()
	return runAll(ctx, b.sweep.Run, b.bulks.Run, func(ctx context.Context) error {
		return b.store.Watch(ctx, func(n News) {
			b.room.news(n)
			b.sweep.news(n)
		})
	})
}

// Enqueue implements Client.
func (b *Broker) Enqueue(ctx context.Context, in EnqueueIn) (EnqueueOut, error) {
	if err := b.may(CanEnqueue); err != nil {
		return EnqueueOut{}, err
	}
	if err := checkCount("tasks", len(in.Tasks)); err != nil {
		return EnqueueOut{}, err
	}
	if err := checkLabel("enqueue_id", in.EnqueueID, MaxKey); err != nil {
		return EnqueueOut{}, err
	}
	tasks, size := make([]NewTask, len(in.Tasks)), 0
	for i, n := range in.Tasks {
		normal, err := n.Normal()
		if err != nil {
			return EnqueueOut{}, inRow(err, i)
		}
		if err := b.mayTouch(normal.Queue, normal.Type); err != nil {
			return EnqueueOut{}, inRow(err, i)
		}
		tasks[i] = normal
		size += len(normal.Payload)
	}
	if size > MaxBatchBytes {
		return EnqueueOut{}, tooLarge("tasks", size, MaxBatchBytes).WithHint("send them in several batches")
	}
	if err := b.mayWaitFor(ctx, tasks); err != nil {
		return EnqueueOut{}, err
	}
	if err := b.roll.admit(ctx, b.store, tasks); err != nil {
		return EnqueueOut{}, err
	}
	done, err := b.gauge.admit(ctx, b.store, tasks, b.only)
	if err != nil {
		return EnqueueOut{}, err
	}
	defer done()
	keyedBy(in.EnqueueID, tasks)
	out, err := b.store.Enqueue(ctx, tasks, b.actor)
	return EnqueueOut{Tasks: out}, advised(err)
}
