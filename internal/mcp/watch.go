package mcp

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
)

// Subscriptions: somebody follows the journal, as long as anybody wants to
// know, and tells which resources changed. What changes often is told once.

// coalesce is the least time between two reports of the same resource.
const coalesce = 250 * time.Millisecond

type watch struct {
	*Server
	mu     sync.Mutex
	wants  map[string]map[*sdk.ServerSession]bool // URI → who wants to know
	wanted chan struct{}                          // holds one wake-up
}

func newWatch(s *Server) *watch {
	return &watch{Server: s, wants: map[string]map[*sdk.ServerSession]bool{}, wanted: make(chan struct{}, 1)}
}

// subscribe lets those in that may read the resource.
func (w *watch) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	c := w.callOf(ctx, req.Extra)
	if !c.caller.may(tq.CanRead) {
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	if _, err := w.resource(c, req.Params.URI); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wants[req.Params.URI] == nil {
		w.wants[req.Params.URI] = map[*sdk.ServerSession]bool{}
	}
	w.wants[req.Params.URI][req.Session] = true
	w.wake()
	return nil
}

func (w *watch) wake() {
	select {
	case w.wanted <- struct{}{}:
	default:
	}
}

func (w *watch) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.wants[req.Params.URI], req.Session)
	if len(w.wants[req.Params.URI]) == 0 {
		delete(w.wants, req.Params.URI)
	}
	return nil
}

// anybody forgets sessions that have ended, and reports whether some are left.
func (w *watch) anybody() bool {
	alive := map[*sdk.ServerSession]bool{}
	for ss := range w.sdk.Sessions() {
		alive[ss] = true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri, who := range w.wants {
		for ss := range who {
			if !alive[ss] {
				delete(who, ss)
			}
		}
		if len(who) == 0 {
			delete(w.wants, uri)
		}
	}
	return len(w.wants) > 0
}

// Run follows the journal whenever somebody wants to know, until ctx ends.
func (w *watch) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.wanted:
		}
		if err := w.follow(ctx); err != nil && ctx.Err() == nil {
			w.Log.Warn("follow the journal for subscribers of resources", "error", err.Error())
			if !sleep(ctx, time.Second) {
				return nil
			}
			w.wake()
		}
	}
}

func (w *watch) follow(ctx context.Context) error {
	last, err := w.Journal.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err != nil {
		return fmt.Errorf("read the end of the journal: %w", err)
	}
	after := seqOf(last.Facts, 0)
	for w.anybody() {
		out, err := w.Journal.Facts(ctx, tq.FactsIn{After: after, Limit: tq.MaxPage, Wait: tq.Duration(20 * time.Second)})
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		after = seqOf(out.Facts, after)
		w.tell(ctx, out.Facts)
		if len(out.Facts) > 0 && !sleep(ctx, coalesce) {
			return nil
		}
	}
	return nil
}

func seqOf(facts []tq.Fact, otherwise int64) int64 {
	if len(facts) == 0 {
		return otherwise
	}
	return facts[len(facts)-1].Seq
}

// tell reports each resource that the facts are about, once.
func (w *watch) tell(ctx context.Context, facts []tq.Fact) {
	changed := map[string]bool{}
	for i := range facts {
		f := &facts[i]
		changed[queuesURI] = true
		changed[queueURI+f.Queue] = true
		changed[taskURI+strconv.FormatInt(f.TaskID, 10)] = true
	}
	for uri := range changed {
		w.mu.Lock()
		wanted := len(w.wants[uri]) > 0
		w.mu.Unlock()
		if wanted {
			_ = w.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}) // a session that has ended
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
