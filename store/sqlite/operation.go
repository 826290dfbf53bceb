package sqlite

import (
	"context"
	"sync"
)

// operation is what one caller wants done.
type operation struct {
	ctx     context.Context
	size    int
	do      func(n *turn) error
	carries bool // belongs to a move: its mark does not keep it out
	err     error
	done    chan struct{}

	mu    sync.Mutex
	taken bool // it is being run
	left  bool // its caller has gone
}

// leave gives the operation up unless it is being run.
func (o *operation) leave() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left = !o.taken
	return o.left
}

// take begins the operation unless its caller has gone.
func (o *operation) take() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken = !o.left && o.ctx.Err() == nil
	return o.taken
}

func (o *operation) answer(err error) {
	o.err = err
	close(o.done)
}
