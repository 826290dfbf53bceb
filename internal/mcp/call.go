package mcp

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// Calls in flight. The SDK hands a tool neither the connection that asked nor
// what became of the answer; both matter to a claim: a task that was taken for
// somebody who has gone meanwhile must not stay with nobody. So each request is
// stamped on its way in, and what a tool takes is remembered under the stamp
// until its answer is on the wire.

// stamp is the header that carries the name of a call through the SDK. What a
// client sends under it is overwritten.
const stamp = "X-Tq-Call"

// afterglow is how long a delivered claim can still be taken back by the
// client's cancellation: the two may pass each other on the way.
const afterglow = time.Minute

// call is one request in flight.
type call struct {
	ctx    context.Context // ends when the client has gone or lost interest
	stop   context.CancelFunc
	caller Caller
	hold   func()  // begins to keep a slow answer alive; may be nil
	probe  func()  // writes something that means nothing; may be nil
	key    callKey // by which the client may cancel it

	mu   sync.Mutex
	undo []func() // takes back what the answer hands over
	sent bool     // the answer is on the wire
	over bool     // nobody hears an answer any more
}

// callKey is a session and the id of a request in it.
type callKey struct{ session, id string }

// landing is how long a connection is given to say that it is dead, before
// something of value is put on it: what is written to one that was closed at
// the other end comes back as a reset, but not at once.
const landing = 10 * time.Millisecond

// alive reports whether the client is still there, as far as can be known.
func (c *call) alive() bool {
	if c.probe == nil || c.ctx.Err() != nil {
		return c.ctx.Err() == nil
	}
	c.probe()
	return sleep(c.ctx, landing)
}

// take keeps undo until the answer is delivered. It reports false when nobody
// is there to hear it; then undo has been done.
func (c *call) take(undo func()) bool {
	there := c.alive()
	c.mu.Lock()
	gone := c.over || !there || c.ctx.Err() != nil
	if !gone {
		c.undo = append(c.undo, undo)
		c.sent = false
	}
	c.mu.Unlock()
	if gone {
		undo()
	}
	return !gone
}

// holds reports whether an answer is to be sent that hands something over.
func (c *call) holds() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.undo) > 0 && !c.sent
}

// wrote notes what became of an answer.
func (c *call) wrote(err error) {
	if err != nil {
		c.takeBack()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = len(c.undo) > 0
}

// takeBack does what is kept to be undone, once.
func (c *call) takeBack() {
	c.mu.Lock()
	all := c.undo
	c.undo = nil
	c.mu.Unlock()
	for _, undo := range all {
		undo()
	}
}

// end says that nothing more can be sent.
func (c *call) end() (handedOver bool) {
	c.stop()
	c.mu.Lock()
	c.over = true
	sent := c.sent
	c.mu.Unlock()
	if !sent {
		c.takeBack()
	}
	return sent
}

// calls are all calls in flight, and for a while those whose answers handed
// something over.
type calls struct {
	mu      sync.Mutex
	byStamp map[string]*call
	byKey   map[callKey]*call
	streams map[*call]bool // never end by themselves
	hungUp  bool
}

func newCalls() *calls {
	return &calls{byStamp: map[string]*call{}, byKey: map[callKey]*call{}, streams: map[*call]bool{}}
}

// untilHangUp ends a call when the server stops. The answer takes it out.
func (cs *calls) untilHangUp(c *call) func() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.hungUp {
		c.stop()
	}
	cs.streams[c] = true
	return func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.streams, c)
	}
}

// hangUp ends the streams, now and from now on, or lets them be again.
func (cs *calls) hangUp(now bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.hungUp = now
	for c := range cs.streams {
		if now {
			c.stop()
		}
	}
}

// begin registers a call and answers its stamp. ctx is that of the client.
func (cs *calls) begin(ctx context.Context, caller Caller, key callKey) (*call, string) {
	ctx, stop := context.WithCancel(ctx)
	c := &call{ctx: ctx, stop: stop, caller: caller, key: key}
	name := rand.Text()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.byStamp[name] = c
	if key != (callKey{}) {
		cs.byKey[key] = c
	}
	return c, name
}

func (cs *calls) find(stamp string) *call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.byStamp[stamp]
}

// end takes a call out, that of a delivered claim a while later.
func (cs *calls) end(c *call, stamp string) {
	handedOver := c.end()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.byStamp, stamp)
	if c.key == (callKey{}) {
		return
	}
	if !handedOver {
		cs.forget(c)
		return
	}
	time.AfterFunc(afterglow, func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		cs.forget(c)
	})
}

// forget wants cs.mu.
func (cs *calls) forget(c *call) {
	if cs.byKey[c.key] == c {
		delete(cs.byKey, c.key)
	}
}

// cancel ends a call whose client has lost interest. An answer that has gone
// out already is not used by a client that says so.
func (cs *calls) cancel(key callKey) {
	cs.mu.Lock()
	c := cs.byKey[key]
	cs.mu.Unlock()
	if c == nil {
		return
	}
	c.stop()
	c.takeBack()
}
