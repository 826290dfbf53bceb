package postgres

import (
	"fmt"
	"sync"

	"example.com/tq"
)

// presence remembers which registry rows this process has written of late. Who
// claims and heartbeats many times a second would else lock the same row each
// time, and all claims of one worker would queue up behind each other's commit.
type presence struct {
	mu   sync.Mutex
	rows map[string]present // by worker
}

type present struct {
	said string // what the worker said of itself
	at   int64
}

// mostPresent is how many workers are remembered; beyond it all are forgotten,
// which costs a write each.
const mostPresent = 10_000

func newPresence() *presence { return &presence{rows: map[string]present{}} }

// due reports whether the row of a worker is to be written, and notes that it
// is. What was noted by a transaction that failed is noted too early: by at most
// every, in milliseconds.
func (p *presence) due(info *tq.WorkerInfo, owner string, now, every int64) bool {
	said := fmt.Sprint(*info, owner)
	p.mu.Lock()
	defer p.mu.Unlock()
	last, known := p.rows[info.ID]
	if known && last.said == said && now >= last.at && now-last.at < every {
		return false
	}
	if len(p.rows) >= mostPresent {
		clear(p.rows)
	}
	p.rows[info.ID] = present{said, now}
	return true
}

func (p *presence) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.rows, id)
}
