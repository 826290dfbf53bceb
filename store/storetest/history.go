package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.com/tq"
	"example.com/tq/test/tally"
)

// History lets 16 claimers at once claim, settle and extend the tasks of one
// store, with each other's and with stale tokens, while leases run out under
// them. It fails t unless what all of them were answered fits one order of
// events in which every attempt had one holder and one end (fence.go). With
// TQ_HISTORY_OPS=N in the environment they do N operations instead of ops.
func History(t *testing.T, open func(t testing.TB, clock *Clock) tq.Store, ops int) {
	t.Helper()
	ops = tally.Number(t, "TQ_HISTORY_OPS", ops)
	clock := NewClock(dawn())
	store := open(t, clock)
	told, err := linear(store, clock, ops, tally.Seed(t))
	if err != nil {
		t.Fatal(err)
	}
	c := told.counts()
	c.Seed = tally.Seed(t)
	c.Report(t)
	found, err := store.Check(ctx())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("%s, task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}

// Jumps is History while the clock jumps an hour forth and back, so many times.
// A campaign says TQ_JUMPS=N.
func Jumps(t *testing.T, open func(t testing.TB, clock *Clock) tq.Store, jumps int) {
	t.Helper()
	jumps = tally.Number(t, "TQ_JUMPS", jumps)
	clock, seed := NewClock(dawn()), tally.Seed(t)
	store := open(t, clock)
	jumped := new(atomic.Int64)
	told, err := linearWhile(store, func() {
		by := time.Hour
		if jumped.Add(1)%2 == 0 {
			by = -by
		}
		clock.Advance(by)
	}, jumps*claimers*5/2, seed)
	if err != nil {
		t.Fatal(err)
	}
	// A claim whose transaction had begun before the last jump may be committed
	// after the sweep that followed it: as I10 asks, expiry runs once more.
	for more := true; more; {
		swept, err := store.Sweep(ctx(), tq.Retention{})
		if err != nil {
			t.Fatal(err)
		}
		more = swept.More
	}
	if found, err := store.Check(ctx()); err != nil || len(found) > 0 {
		t.Errorf("check: %v, %v", found, err)
	}
	c := told.counts()
	c.Seed, c.Faults = seed, int(jumped.Load())
	c.Report(t)
	if c.Faults < jumps {
		t.Errorf("the clock jumped %d times, want %d", c.Faults, jumps)
	}
}

const (
	claimers     = 16
	historyLease = time.Second
	recent       = 24 // leases that are still played with
)

// linear runs a history of about ops operations and says where it cannot have
// happened.
func linear(store tq.Store, clock *Clock, ops int, seed uint64) (stories, error) {
	return linearWhile(store, func() { clock.Advance(historyLease / 4) }, ops, seed)
}

// linearWhile lets pass be what happens to the clock.
func linearWhile(store tq.Store, pass func(), ops int, seed uint64) (stories, error) {
	var moment atomic.Int64
	told := stories{}
	r := &recorder{
		store: store, tell: told.add,
		now:  func() int64 { return moment.Add(1) },
		pass: pass,
	}
	if err := r.playAll(claimers, ops, seed); err != nil {
		return told, err
	}
	return told, told.judge(store, r.now())
}

// recorder notes what was asked and answered, and when. Within one process its
// moments are counted, not measured, so no two are the same.
type recorder struct {
	store tq.Store
	tell  func(told)
	now   func() int64
	pass  func() // lets time pass, where it does not by itself

	strangers bool // others hold leases that only they know of, and locks
	refused   atomic.Int64

	mu   sync.Mutex
	held []tq.LeaseRef // the newest last
}

// told is one question about a task and its answer.
type told struct {
	ID     int64       `json:"id"`
	Call   int64       `json:"call"`
	Return int64       `json:"return"`
	What   tq.Event    `json:"what"`
	Epoch  int64       `json:"epoch"`
	Body   string      `json:"body,omitempty"`
	Answer fenceAnswer `json:"answer"`
}

func (r *recorder) note(id, call int64, asked fenceAsk, answer fenceAnswer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(told{id, call, r.now(), asked.what, asked.epoch, asked.body, answer})
}

// playAll lets claimers play at once until they have done about ops operations.
func (r *recorder) playAll(claimers, ops int, seed uint64) error {
	if err := r.enqueue(claimers); err != nil {
		return err
	}
	ended := make(chan error, claimers)
	for i := range claimers {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		go func() { ended <- r.play(rng, ops/claimers) }()
	}
	var err error
	for range claimers {
		err = errors.Join(err, <-ended)
	}
	return err
}

// play is one claimer.
func (r *recorder) play(rng *rand.Rand, ops int) error {
	for range ops {
		if rng.IntN(3) == 0 {
			runtime.Gosched()
		}
		var err error
		switch n := rng.IntN(100); {
		case n < 30:
			err = r.claim(1 + rng.IntN(3))
		case n < 75:
			err = r.settle(rng)
		case n < 95:
			err = r.extend(rng)
		default:
			r.pass()
			_, err = r.store.Sweep(ctx(), tq.Retention{})
		}
		if err != nil && !r.inVain(err, ops) {
			return err
		}
	}
	return nil
}

// inVain reports whether err says that nothing was changed, since somebody else
// was in the way. Many of ops must not end like that.
func (r *recorder) inVain(err error, ops int) bool {
	return r.strangers && tq.CodeOf(err) == tq.CodeUnavailable && r.refused.Add(1) <= int64(1+ops/20)
}

func (r *recorder) enqueue(n int) error {
	tasks := make([]tq.NewTask, n)
	for i := range tasks {
		task, err := tq.NewTask{Type: "t", MaxAttempts: tq.MaxAttempts}.Normal()
		if err != nil {
			return err
		}
		tasks[i] = task
	}
	_, err := r.store.Enqueue(ctx(), tasks, "producer")
	return err
}

func (r *recorder) claim(most int) error {
	call := r.now()
	out, err := r.store.Claim(ctx(), tq.ClaimQuery{Max: most, Lease: historyLease})
	if err != nil {
		return err
	}
	for _, c := range out.Tasks {
		ref := tq.LeaseRef{TaskID: c.Task.ID, Epoch: c.Task.Epoch}
		r.note(ref.TaskID, call, fenceAsk{what: tq.EventClaim, epoch: ref.Epoch}, taken)
		r.mu.Lock()
		r.held = append(r.held, ref)
		r.held = r.held[max(0, len(r.held)-recent):]
		r.mu.Unlock()
	}
	if len(out.Tasks) == 0 {
		return r.enqueue(most)
	}
	return nil
}

// lease is one of the newest; whoever claimed it, anybody may play it.
func (r *recorder) lease(rng *rand.Rand) (tq.LeaseRef, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.held) == 0 {
		return tq.LeaseRef{}, false
	}
	ref := r.held[rng.IntN(len(r.held))]
	if r.strangers && rng.IntN(3) == 0 {
		ref.Epoch++ // perhaps theirs by now
	}
	return ref, true
}

func (r *recorder) settle(rng *rand.Rand) error {
	ref, ok := r.lease(rng)
	if !ok {
		return nil
	}
	none := time.Duration(0)
	c := tq.Change{TaskID: ref.TaskID, Arg: tq.Arg{Epoch: ref.Epoch}}
	switch rng.IntN(4) {
	case 0:
		c.Event, c.Body = tq.EventComplete, []byte{'0' + byte(rng.IntN(2))}
	case 1:
		c.Event = tq.EventRelease
	default:
		c.Event, c.Arg.Delay = tq.EventFail, &none
	}
	c.Arg.Hash = tq.SettleHash(c.Event, c.Body, c.Arg)
	call := r.now()
	out, err := r.store.Change(ctx(), []tq.Change{c})
	if err != nil {
		return err
	}
	r.note(ref.TaskID, call, fenceAsk{what: c.Event, epoch: ref.Epoch, body: string(c.Body)}, answerOf(out[0]))
	return nil
}

func (r *recorder) extend(rng *rand.Rand) error {
	ref, ok := r.lease(rng)
	if !ok {
		return nil
	}
	call := r.now()
	out, err := r.store.Extend(ctx(), tq.Extension{Leases: []tq.LeaseRef{ref}, Lease: historyLease})
	if err != nil {
		return err
	}
	r.note(ref.TaskID, call, fenceAsk{what: tq.EventHeartbeat, epoch: ref.Epoch}, answerOf(out[0]))
	return nil
}

// stories are what was told about each task.
type stories map[int64][]porcupine.Operation

func (s stories) add(x told) {
	s[x.ID] = append(s[x.ID], porcupine.Operation{
		Input: fenceAsk{x.What, x.Epoch, x.Body}, Call: x.Call, Output: x.Answer, Return: x.Return,
	})
}

// expiries are what no claimer asked for: the journal says that they happened,
// and they may have at any time until end.
func (s stories) expiries(store tq.Store, end int64) error {
	after := int64(0)
	for {
		facts, err := store.Facts(ctx(), tq.FactQuery{After: after, Kinds: []tq.Kind{tq.FactLeaseExpired}, Limit: tq.MaxPage})
		if err != nil || len(facts) == 0 {
			return err
		}
		for _, f := range facts {
			s.add(told{ID: f.TaskID, Return: end, What: tq.EventExpire, Epoch: f.Epoch, Answer: taken})
			after = f.Seq
		}
	}
}

// counts is what was told, all of which was judged to fit.
func (s stories) counts() tally.Counts {
	var c tally.Counts
	for _, ops := range s {
		for _, op := range ops {
			asked, answer := op.Input.(fenceAsk), op.Output.(fenceAnswer)
			if asked.what == tq.EventExpire {
				c.Faults++ // a lease that ran out under its holder
				continue
			}
			c.Attempted++
			switch answer {
			case lost, settled:
				c.StaleRefused++
			default:
				c.Acknowledged++
				c.OK++
			}
			if asked.what == tq.EventClaim && asked.epoch > 1 {
				c.Duplicated++
			}
		}
	}
	return c
}

// judge asks, task by task, whether there is an order of events that explains
// all answers.
func (s stories) judge(store tq.Store, end int64) error {
	const patience = time.Minute
	if err := s.expiries(store, end); err != nil {
		return err
	}
	for id, ops := range s {
		switch porcupine.CheckOperationsTimeout(fenceModel(), ops, patience) {
		case porcupine.Illegal:
			return fmt.Errorf("what was answered about task %d cannot have happened:\n%s", id, story(ops))
		case porcupine.Unknown:
			return fmt.Errorf("task %d: no order of its %d operations found in %s", id, len(ops), patience)
		}
	}
	return nil
}

func story(ops []porcupine.Operation) string {
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var b strings.Builder
	for _, op := range ops {
		fmt.Fprintf(&b, "%6d–%-6d %v: %v\n", op.Call, op.Return, op.Input, op.Output)
	}
	return b.String()
}
