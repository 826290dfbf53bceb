package bench

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// desk is a queue in memory that answers until the test ends.
func desk(t *testing.T) Target {
	t.Helper()
	store := memory.Open(memory.Options{})
	broker := tq.New(store, tq.Options{Actor: "bench"})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- broker.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("broker: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return Target{
		Client:  broker,
		As:      func(name string) tq.Client { return broker.As(name) },
		Written: func(context.Context) (int64, error) { return 0, nil },
		Hold: func(context.Context) (func() error, error) {
			return func() error { return nil }, nil
		},
	}
}

func scenario(t *testing.T, name string) Scenario {
	t.Helper()
	for _, s := range Scenarios() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %s", name)
	return Scenario{}
}

// few is a load that a test can wait for.
func few() Options {
	return Options{Tasks: 400, Callers: []int{1, 8}, For: 300 * time.Millisecond}
}

func TestEveryScenarioDeliversEveryTask(t *testing.T) {
	t.Parallel()
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			target := desk(t)
			var all []Measure
			err := Run(t.Context(), target, s, few(), func(m Measure) { all = append(all, m) })
			if err != nil {
				t.Fatal(err)
			}
			if len(all) == 0 {
				t.Fatal("nothing was measured")
			}
			for _, m := range all {
				if m.Tasks == 0 || m.Seconds <= 0 || m.Delivery.Tasks == 0 || !m.Delivery.OK() {
					t.Errorf("%s: %+v", m.Name, m)
				}
			}
			left(t, target.Client)
		})
	}
}

// left refuses tasks that a measure has left behind.
func left(t *testing.T, c tq.Client) {
	t.Helper()
	out, err := c.Tasks(t.Context(), tq.TasksIn{})
	if err != nil || len(out.Tasks) > 0 {
		t.Errorf("%d tasks are left: %v", len(out.Tasks), err)
	}
}

// forger is a queue with a fault.
type forger struct {
	tq.Client
	enqueue func(context.Context, tq.EnqueueIn) (tq.EnqueueOut, error)
	claim   func(context.Context, tq.ClaimIn) (tq.ClaimOut, error)
}

func (f forger) Enqueue(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
	if f.enqueue == nil {
		return f.Client.Enqueue(ctx, in)
	}
	return f.enqueue(ctx, in)
}

func (f forger) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	if f.claim == nil {
		return f.Client.Claim(ctx, in)
	}
	return f.claim(ctx, in)
}

// measuredWith runs one scenario over a queue that has been tampered with, and
// answers its last measure.
func measuredWith(t *testing.T, name string, tamper func(tq.Client) tq.Client) (Measure, error) {
	t.Helper()
	target := desk(t)
	target.Client = tamper(target.Client)
	target.As = nil
	o := few()
	o.Callers = []int{1}
	var last Measure
	err := Run(t.Context(), target, scenario(t, name), o, func(m Measure) {
		if !m.Delivery.OK() {
			last = m
		}
	})
	return last, err
}

func TestATaskThatComesTwiceIsCaught(t *testing.T) {
	t.Parallel()
	m, err := measuredWith(t, "drain", func(c tq.Client) tq.Client {
		return forger{Client: c, claim: func(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
			out, err := c.Claim(ctx, in)
			if len(out.Tasks) > 1 { // the second settle is answered as a repeat, so nobody complains
				out.Tasks = append(out.Tasks, out.Tasks[0])
			}
			return out, err
		}}
	})
	if m.Delivery.Unexplained == 0 || m.Delivery.Again == 0 {
		t.Errorf("delivery: %+v", m.Delivery)
	}
	if err == nil || !strings.Contains(err.Error(), "run again for no reason in the journal") {
		t.Errorf("error: %v", err)
	}
}

func TestATaskThatNeverComesIsCaught(t *testing.T) {
	t.Parallel()
	m, err := measuredWith(t, "drain", func(c tq.Client) tq.Client {
		return forger{Client: c, claim: func(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
			out, err := c.Claim(ctx, in)
			if n := len(out.Tasks); n > 1 {
				out.Tasks = out.Tasks[:n-1]
			}
			return out, err
		}}
	})
	if m.Delivery.Lost == 0 {
		t.Errorf("delivery: %+v", m.Delivery)
	}
	if err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("error: %v", err)
	}
}

func TestATaskThatWasAnsweredAndNotStoredIsCaught(t *testing.T) {
	t.Parallel()
	m, err := measuredWith(t, "enqueue", func(c tq.Client) tq.Client {
		return forger{Client: c, enqueue: func(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
			all := len(in.Tasks)
			in.Tasks = in.Tasks[:max(1, all-1)]
			out, err := c.Enqueue(ctx, in)
			for i := len(out.Tasks); i < all; i++ {
				out.Tasks = append(out.Tasks, tq.Enqueued{ID: 1<<40 + int64(i)})
			}
			return out, err
		}}
	})
	if m.Delivery.Lost == 0 || err == nil {
		t.Errorf("delivery: %+v, error: %v", m.Delivery, err)
	}
}

func TestTwoTasksUnderOneIDAreCaught(t *testing.T) {
	t.Parallel()
	m, err := measuredWith(t, "enqueue", func(c tq.Client) tq.Client {
		first := tq.Enqueued{}
		return forger{Client: c, enqueue: func(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
			out, err := c.Enqueue(ctx, in)
			if first.ID == 0 && len(out.Tasks) == 1 {
				first = out.Tasks[0]
			}
			out.Tasks[0] = first
			return out, err
		}}
	})
	if m.Delivery.Twins == 0 || err == nil {
		t.Errorf("delivery: %+v, error: %v", m.Delivery, err)
	}
}

func TestTheJournalExplainsWhoRanAgain(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{"recover": "lease expired", "retry": "attempt failed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got Measure
			if err := Run(t.Context(), desk(t), scenario(t, name), few(), func(m Measure) { got = m }); err != nil {
				t.Fatal(err)
			}
			if d := got.Delivery; d.Again == 0 || d.Why[why] != d.Again {
				t.Errorf("%d ran again, why: %v", d.Again, d.Why)
			}
		})
	}
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]Options{
		"tasks": {Tasks: MaxTasks + 1}, "callers": {Callers: []int{0}}, "payload": {Payload: tq.MaxPayload + 1}, "for": {For: -1},
	} {
		err := Run(t.Context(), desk(t), scenario(t, "enqueue"), o, func(Measure) { t.Errorf("%s: something was measured", field) })
		if tq.CodeOf(err) != tq.CodeInvalid || !strings.HasPrefix(err.Error(), field+":") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestASnapshotNeedsADatabaseThatCanBeHeld(t *testing.T) {
	t.Parallel()
	target := desk(t)
	target.Hold = nil
	err := Run(t.Context(), target, scenario(t, "snapshot"), few(), func(Measure) {})
	if tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("error: %v", err)
	}
}
