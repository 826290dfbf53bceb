package postgres

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"example.com/tq"
)

// The backstop of wake-ups: each second somebody looks whether anything has
// changed, and whether callers' transactions have left tasks in the inbox. One
// process of a fleet is enough: who looks tells the others what it saw, in the
// same statement, and they put their own looks off. There is no leader; a
// process that hears nothing looks by itself.

const (
	lookEvery  = time.Second
	lookPrefix = "look "

	// selectPulse changes with every fact, also one that commits behind others
	// of higher seqs. (The numbers that are drawn would not do: an idle claim
	// draws one too, and a fleet would keep itself awake.)
	selectPulse = `select coalesce((select sum(seq)::bigint from (select seq from tq.facts order by seq desc limit 64) f), 0) pulse,
		exists (select 1 from tq.inbox) inbox`
	tellPulse = `select p.pulse, p.inbox from (` + selectPulse + `) p, lateral pg_notify($1, $2 || p.pulse)`
)

// ear is what one Watch has heard.
type ear struct {
	news func(tq.News)

	mu    sync.Mutex
	pulse int64
	at    time.Time // of the last look, ours or another's
}

// heard notes a look, and passes on that something has changed.
func (e *ear) heard(pulse int64) {
	e.mu.Lock()
	changed := pulse != e.pulse
	e.pulse, e.at = pulse, time.Now()
	e.mu.Unlock()
	if changed {
		e.news(tq.News{Other: true})
	}
}

// told is heard of another process.
func (e *ear) told(pulse string) {
	if n, err := strconv.ParseInt(pulse, 10, 64); err == nil {
		e.heard(n)
	}
}

// rest is how long the next look has time.
func (e *ear) rest() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return lookEvery*4/5 - time.Since(e.at)
}

func (s *Store) look(ctx context.Context, e *ear) {
	for ctx.Err() == nil {
		if rest := e.rest(); rest > 0 {
			pause(ctx, rest+rand.N(lookEvery/5))
			continue // another process may have looked meanwhile
		}
		if s.lookOnce(ctx, e) != nil {
			pause(ctx, lookEvery)
		}
	}
}

func (s *Store) lookOnce(ctx context.Context, e *ear) error {
	statement, args := selectPulse, []any(nil)
	if s.hears() {
		statement, args = tellPulse, []any{s.channel(), lookPrefix}
	}
	var pulse int64
	var inbox bool
	err := s.pool.QueryRow(ctx, s.texts.of(statement), args...).Scan(&pulse, &inbox)
	if err == nil && inbox {
		err = s.Wake(ctx)
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	e.heard(pulse)
	return nil
}
