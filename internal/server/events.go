package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// GET /v1/facts as a stream: what a page would answer, and then what happens.

// eventsOf answers one route of an operation as a stream when the client asks
// for one, and as page otherwise.
func (s *Server) eventsOf(o *ops.Op, route string, page http.Handler) http.Handler {
	in := reader{op: o, route: route, inPath: ops.PathNames(route)}
	follow := map[string]func(http.ResponseWriter, *http.Request, *ops.Op, []byte) error{
		"facts": s.followFacts, "stats": s.followStats,
	}[o.Name]
	if follow == nil || s.All == nil {
		return page
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !wantsStream(r) {
			page.ServeHTTP(w, r)
			return
		}
		raw, err := in.read(w, r)
		if err == nil {
			err = s.placed(r, func() error { return follow(w, r, o, raw) })
		}
		if err != nil {
			s.refuse(w, r, err)
		}
	})
}

// placed runs a stream in one of the places for those who wait, until it ends,
// the client goes or the hub stops. An error is one before the stream began.
func (s *Server) placed(r *http.Request, fn func() error) error {
	if s.Place != nil {
		leave, err := s.Place(r.Context())
		if err != nil {
			return err
		}
		defer leave()
	}
	return fn()
}

// followFacts begins behind Last-Event-ID or after, else with the newest facts
// if last was asked for, else with the next fact.
func (s *Server) followFacts(w http.ResponseWriter, r *http.Request, o *ops.Op, raw []byte) error {
	in, fromEnd, err := followed(r, o, raw)
	if err != nil {
		return err
	}
	f := following{s: s, op: o, in: in, ctx: r.Context(), wants: s.wants(r.Context(), in)}
	first, err := f.page(tq.FactsIn{Last: true, Limit: 1}) // refuses whoever may not read
	if err != nil {
		return err
	}
	if fromEnd && !in.Last && len(first) > 0 {
		f.in.After = first[0].Seq
	}
	if f.out, err = openStream(w); err != nil {
		return nil // the client is gone
	}
	f.run()
	return nil
}

// followed reads what is to be followed, and whether the end of the journal is
// where to begin.
func followed(r *http.Request, o *ops.Op, raw []byte) (in tq.FactsIn, fromEnd bool, err error) {
	decoded, err := o.Decode(raw)
	if err != nil {
		return in, false, err
	}
	in, ok := decoded.(tq.FactsIn)
	if !ok {
		return in, false, tq.Errorf(tq.CodeInternal, "facts are asked for with %T", decoded)
	}
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		return in, !r.URL.Query().Has("after"), nil
	}
	in.Last = false
	if in.After, err = strconv.ParseInt(id, 10, 64); err != nil || in.After < 0 {
		return in, false, malformed("invalid_json", "Last-Event-ID is %s, want the id of an event", shortPath(id))
	}
	return in, false, nil
}

// wants is what one caller gets of all facts.
func (s *Server) wants(ctx context.Context, in tq.FactsIn) func(*tq.Fact) bool {
	var only *tq.Rights
	if token, ok := Caller(ctx); ok {
		only = &token.Rights
	}
	return func(f *tq.Fact) bool {
		return sees(only, f) &&
			(in.TaskID == 0 || in.TaskID == f.TaskID) &&
			(in.Queue == "" || in.Queue == f.Queue) &&
			(in.Type == "" || in.Type == f.Type) &&
			(len(in.Kinds) == 0 || slices.Contains(in.Kinds, f.Kind))
	}
}

// sees holds a fact against rights, as a store does for a page.
func sees(only *tq.Rights, f *tq.Fact) bool {
	switch {
	case f.TaskID != 0:
		return only.Sees(f.Queue, f.Type)
	case f.Queue != "":
		return only.SeesQueue(f.Queue)
	}
	return only.SeesAll()
}

// following is one client that follows the journal.
type following struct {
	s     *Server
	op    *ops.Op
	in    tq.FactsIn
	ctx   context.Context
	wants func(*tq.Fact) bool
	out   *stream
	sent  int64 // seq of the last fact that was sent, or passed over
	view  *view // counts to show as well; nil: none
}

// page asks as the route would, with the filters of this client.
func (f *following) page(in tq.FactsIn) ([]tq.Fact, error) {
	in.TaskID, in.Queue, in.Type, in.Kinds = f.in.TaskID, f.in.Queue, f.in.Type, f.in.Kinds
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	out, err := f.s.calling(f.ctx, f.op, raw)
	if err != nil {
		return nil, err
	}
	answer, _ := out.(tq.FactsOut) // it is what facts answers
	return answer.Facts, nil
}

// run sends what there is and then what comes, until the client goes, the hub
// stops, or the client is too slow.
func (f *following) run() {
	f.sent = f.in.After
	if f.in.Last && !f.newest() {
		return
	}
	end := time.NewTimer(streamTime)
	defer end.Stop()
	for {
		x, from, err := f.s.feed.join(f.ctx, f.wants)
		if err != nil {
			return
		}
		caughtUp := f.catchUp(from)
		again := caughtUp && isClosed(x.late) // more came meanwhile than it may be behind
		if caughtUp && !again {
			f.live(x, end.C)
		}
		f.s.feed.leave(x)
		if !again {
			return
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (f *following) newest() bool {
	facts, err := f.page(tq.FactsIn{Last: true, Limit: f.in.Limit})
	return err == nil && f.send(facts)
}

// catchUp sends what was written up to a seq, and perhaps some that came since.
func (f *following) catchUp(upTo int64) bool {
	if f.sent > upTo { // of what the feed has not read yet, or of another journal
		newest, err := f.s.feed.newest(f.ctx)
		f.sent = min(f.sent, newest)
		return err == nil
	}
	for f.sent < upTo {
		facts, err := f.page(tq.FactsIn{After: f.sent, Limit: tq.MaxPage})
		if err != nil || !f.send(facts) {
			return false
		}
		if len(facts) < tq.MaxPage {
			break
		}
		f.sent = facts[len(facts)-1].Seq // of what was passed over, too
	}
	f.sent = max(f.sent, upTo)
	return true
}

// live sends what comes.
func (f *following) live(x *follower, end <-chan time.Time) {
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		var ok bool
		select {
		case <-x.news:
			ok = f.tell(x.take())
		case <-f.view.news():
			ok = f.view.tell(f.out)
		case <-x.late:
			f.out.event("lagged", 0, asLine(map[string]int64{"after": f.sent}))
			_ = f.out.flush() // it ends either way
			return
		case <-alive.C:
			ok = f.out.comment("") == nil
		case <-end:
		case <-f.ctx.Done():
		case <-f.s.stopping:
			f.out.farewell()
		}
		if !ok {
			return
		}
	}
}

// send writes facts that were read for this client.
func (f *following) send(facts []tq.Fact) bool {
	all := make([]told, 0, len(facts))
	for i := range facts {
		if f.wants(&facts[i]) {
			all = append(all, told{facts[i].Seq, asLine(&facts[i])})
		}
	}
	return f.tell(all)
}

// tell writes facts that were not sent yet.
func (f *following) tell(facts []told) bool {
	for _, n := range facts {
		if n.seq <= f.sent {
			continue
		}
		f.out.event("fact", n.seq, n.data)
		f.sent = n.seq
		if f.out.b.Len() >= maxWrite && f.out.flush() != nil {
			return false
		}
	}
	return f.out.b.Len() == 0 || f.out.flush() == nil
}
