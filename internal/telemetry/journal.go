package telemetry

import (
	"context"
	"time"

	"example.com/tq"
)

// Follow counts what the journal tells from now on, until ctx ends: attempts by
// outcome, leases that ran out, facts by kind. So everything counts that any
// process does on the store, once for each hub that looks.
func (m *Metrics) Follow(ctx context.Context, c tq.Client) error {
	after := int64(-1)
	for ctx.Err() == nil {
		next, err := m.read(ctx, c, after)
		switch {
		case err == nil:
			after = next
		case ctx.Err() == nil && !pause(ctx, 5*time.Second):
			return nil
		}
	}
	return nil
}

// read counts the next facts behind after and answers the last of them. It
// begins behind the newest there is.
func (m *Metrics) read(ctx context.Context, c tq.Client, after int64) (int64, error) {
	if after < 0 {
		newest, err := c.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
		if err != nil || len(newest.Facts) == 0 {
			return 0, err
		}
		return newest.Facts[0].Seq, nil
	}
	out, err := c.Facts(ctx, tq.FactsIn{After: after, Limit: tq.MaxPage, Wait: tq.Duration(tq.MaxWait)})
	if err != nil {
		return after, err
	}
	for i := range out.Facts {
		m.count(&out.Facts[i])
		after = out.Facts[i].Seq
	}
	n := len(out.Facts)
	if n > 0 {
		m.lag.Set(max(0, time.Since(out.Facts[n-1].At.Time).Seconds()))
	}
	switch {
	case n == tq.MaxPage:
		return after, nil
	case n == 0 && pause(ctx, time.Second), n > 0 && pause(ctx, gather): // a hub that is stopping does not wait
		return after, nil
	}
	return after, ctx.Err()
}

// gather is how long facts may come together before they are counted: whoever
// scrapes comes every some seconds, and a page of many costs little more than
// one fact.
const gather = 250 * time.Millisecond

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (m *Metrics) count(f *tq.Fact) {
	m.facts.WithLabelValues(string(f.Kind)).Inc()
	switch f.Kind {
	case tq.FactCompleted, tq.FactFailed, tq.FactReleased:
		m.attempts.WithLabelValues(outcome(f)).Inc()
	case tq.FactCancelled:
		if f.Settles {
			m.attempts.WithLabelValues("cancelled").Inc()
		}
	case tq.FactLeaseExpired:
		m.attempts.WithLabelValues("lease_expired").Inc()
		m.expired.Inc()
	}
}

func outcome(f *tq.Fact) string {
	switch f.Kind {
	case tq.FactCompleted:
		return "completed"
	case tq.FactReleased:
		return "released"
	}
	return "failed"
}
