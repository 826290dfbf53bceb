package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/internal/server"
)

// event is one event of a stream.
type event struct {
	id   int64
	name string
	data string
}

// events reads a stream.
type events struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (h *hub) follow(path string, headers ...string) *events {
	h.t.Helper()
	ctx, stop := context.WithCancel(h.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+path, http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := h.http.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		h.t.Fatalf("GET %s as a stream: %s, %s", path, answer.Status, answer.Header.Get("Content-Type"))
	}
	e := &events{t: h.t, lines: bufio.NewScanner(answer.Body), close: func() {
		stop()
		_ = answer.Body.Close() // it was broken off
	}}
	h.t.Cleanup(e.close)
	return e
}

// next is the next event, or none at the end of the stream.
func (e *events) next() event {
	e.t.Helper()
	var ev event
	for e.lines.Scan() {
		line := e.lines.Text()
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && ev.name != "":
			return ev
		case name == "id":
			id, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				e.t.Fatalf("id %q: %v", value, err)
			}
			ev.id = id
		case name == "event":
			ev.name = value
		case name == "data":
			ev.data = value
		}
	}
	return event{}
}

func (e *events) fact() tq.Fact {
	e.t.Helper()
	ev := e.next()
	var f tq.Fact
	if err := json.Unmarshal([]byte(ev.data), &f); err != nil || ev.name != "fact" || ev.id != f.Seq {
		e.t.Fatalf("got %+v (%v), want a fact", ev, err)
	}
	return f
}

func TestFollowersHearOfEveryFactOnce(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.live()
	h.enqueueN(3, tq.NewTask{Type: "a"})
	all := h.follow("/v1/facts?after=0")
	news := h.follow("/v1/facts")
	last := h.follow("/v1/facts?last=true&limit=2&type=a")
	other := h.follow("/v1/facts?queue=q2&kinds=task.enqueued")
	h.enqueueN(2, tq.NewTask{Type: "a", Queue: "q2"})
	h.enqueueN(1, tq.NewTask{Type: "a"})
	for want := range 6 {
		if f := all.fact(); f.Seq != int64(want+1) {
			t.Fatalf("the one from the beginning heard of %d, want %d", f.Seq, want+1)
		}
	}
	for _, c := range []struct {
		from *events
		want []int64
	}{{news, []int64{4, 5, 6}}, {last, []int64{2, 3, 4, 5, 6}}, {other, []int64{4, 5}}} {
		for _, seq := range c.want {
			if f := c.from.fact(); f.Seq != seq {
				t.Fatalf("heard of %d, want %d of %v", f.Seq, seq, c.want)
			}
		}
	}
	news.close()
	resumed := h.follow("/v1/facts", "Last-Event-ID", "5")
	if f := resumed.fact(); f.Seq != 6 {
		t.Errorf("resumed at %d, want 6", f.Seq)
	}
	beyond := h.follow("/v1/facts", "Last-Event-ID", "99999")
	h.enqueueN(1, tq.NewTask{Type: "a"})
	if f := beyond.fact(); f.Seq != 7 {
		t.Errorf("from beyond the newest: heard of %d, want 7", f.Seq)
	}
}

// laggard lets the one reader of the journal wait, and has two more tasks
// enqueued when somebody reads the journal from its beginning.
type laggard struct {
	tq.Client
	once sync.Once
	goOn chan struct{} // closed when the reader may go on
}

func (l *laggard) Facts(ctx context.Context, in tq.FactsIn) (tq.FactsOut, error) {
	if in.Wait > 0 {
		select {
		case <-l.goOn:
		case <-ctx.Done():
		}
	}
	if in.After == 0 && !in.Last {
		l.once.Do(func() {
			_, err := l.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "a"}, {Type: "a"}}})
			if err != nil {
				panic(err)
			}
		})
	}
	return l.Client.Facts(ctx, in)
}

// What a follower finds while it catches up may be news to the one reader, who
// then tells it: it is sent once.
func TestWhatCatchingUpHasBroughtIsNotSentAgain(t *testing.T) {
	t.Parallel()
	l := &laggard{goOn: make(chan struct{})}
	h := newHub(t, func(o *server.Options) {
		l.Client = o.All
		o.All, o.Client = l, func(context.Context) tq.Client { return l }
	})
	h.live()
	h.enqueueN(3, tq.NewTask{Type: "a"})
	e := h.follow("/v1/facts?after=0")
	for want := int64(1); want <= 5; want++ {
		if f := e.fact(); f.Seq != want {
			t.Fatalf("heard of %d, want %d", f.Seq, want)
		}
	}
	close(l.goOn)
	h.enqueueN(1, tq.NewTask{Type: "a"})
	if f := e.fact(); f.Seq != 6 {
		t.Errorf("after 5 it was told %d, want 6", f.Seq)
	}
}

func TestAReaderIsNotDroppedByABatch(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.live()
	e := h.follow("/v1/facts")
	h.enqueueN(tq.MaxBatch, tq.NewTask{Type: "a"})
	for want := int64(1); want <= tq.MaxBatch; want++ {
		if f := e.fact(); f.Seq != want {
			t.Fatalf("heard of %d, want %d", f.Seq, want)
		}
	}
}

func TestLastEventIDIsHeldToItsForm(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for _, id := range []string{"-1", "9e99", "text", "1.5"} {
		r := h.do("GET", "/v1/facts", "", "Accept", "text/event-stream", "Last-Event-ID", id)
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("64: Last-Event-ID %q was answered %d %s", id, r.StatusCode, r.body)
		}
	}
}

// counted counts what the store is asked.
type counted struct {
	tq.Client
	stats atomic.Int64
}

func (c *counted) Stats(ctx context.Context, in tq.StatsIn) (tq.StatsOut, error) {
	c.stats.Add(1)
	return c.Client.Stats(ctx, in)
}

func TestViewersOfTheCountsShareOneQuestion(t *testing.T) {
	t.Parallel()
	var asked *counted
	h := newHub(t, func(o *server.Options) {
		asked = &counted{Client: o.All}
		o.Client = func(context.Context) tq.Client { return asked }
	})
	h.live()
	const viewers = 50
	var all []*events
	for range viewers {
		e := h.follow("/v1/stats")
		if ev := e.next(); ev.name != "stats" || !strings.Contains(ev.data, `"total"`) {
			t.Fatalf("the first event is %+v", ev)
		}
		all = append(all, e)
	}
	before, began := asked.stats.Load(), time.Now()
	h.enqueueN(7, tq.NewTask{Type: "a"})
	for _, e := range all {
		for ev := e.next(); !strings.Contains(ev.data, `"total":{"ready":7`); ev = e.next() {
			if ev.name == "" {
				t.Fatal("the stream ended")
			}
		}
	}
	most := int64(time.Since(began)/time.Second) + 2
	if n := asked.stats.Load() - before; n > most {
		t.Errorf("%d viewers cost %d questions, want at most %d", viewers, n, most)
	}
}

func TestStreamsEndWhenTheHubStops(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.live()
	facts, stats := h.follow("/v1/facts"), h.follow("/v1/stats")
	stats.next()
	h.stop()
	if ev := facts.next(); ev.name != "" {
		t.Errorf("the stream went on with %+v", ev)
	}
	for ev := stats.next(); ev.name != ""; ev = stats.next() {
		t.Logf("the last counts: %s", ev.data)
	}
}
