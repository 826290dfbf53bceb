package tq

import (
	"sync/atomic"
	"time"
)

// presence is what the registry hears of this worker, and when it last did.
type presence struct {
	info     WorkerInfo
	start    time.Time
	draining atomic.Bool
	spoke    atomic.Int64 // since start
}

// speak is the worker's description for a call that is sent now.
func (p *presence) speak() WorkerInfo {
	p.spoke.Store(int64(time.Since(p.start)))
	info := p.info
	info.Draining = p.draining.Load()
	return info
}

// silence is how long ago the last such call was sent.
func (p *presence) silence() time.Duration {
	return time.Since(p.start) - time.Duration(p.spoke.Load())
}
