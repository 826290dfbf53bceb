package server

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// Two batches may be told before a follower is on the processor at all; with
// one fact more it is too slow, and costs no more memory.
func TestAFollowerMayBeTwoBatchesBehind(t *testing.T) {
	t.Parallel()
	x := &follower{wants: func(*tq.Fact) bool { return true }, news: make(chan struct{}, 1), late: make(chan struct{})}
	f := &feed{all: map[*follower]bool{x: true}}
	batch := func(from int64, n int) []tq.Fact {
		facts := make([]tq.Fact, n)
		for i := range facts {
			facts[i].Seq = from + int64(i)
		}
		return facts
	}
	f.tell(t.Context(), batch(1, tq.MaxBatch))
	f.tell(t.Context(), batch(1+tq.MaxBatch, tq.MaxBatch))
	if isClosed(x.late) {
		t.Fatal("a follower was dropped after two batches")
	}
	<-x.news
	all := x.take()
	if len(all) != 2*tq.MaxBatch || all[0].seq != 1 || all[len(all)-1].seq != 2*tq.MaxBatch {
		t.Fatalf("it was told %d facts", len(all))
	}
	f.tell(t.Context(), batch(1+2*tq.MaxBatch, 2*tq.MaxBatch))
	f.tell(t.Context(), batch(1+4*tq.MaxBatch, 1))
	if !isClosed(x.late) || len(f.all) != 0 || len(x.take()) != 2*tq.MaxBatch {
		t.Error("a follower that takes nothing is told more than two batches")
	}
}

// paper is what a stream is written on.
type paper struct {
	bytes.Buffer
	header http.Header
}

func (p *paper) Header() http.Header              { return p.header }
func (p *paper) WriteHeader(int)                  {}
func (p *paper) SetWriteDeadline(time.Time) error { return nil }
func (p *paper) FlushError() error                { return nil }

// Whoever is too slow hears where it was, which is where it may go on.
func TestASlowFollowerIsToldWhereToGoOn(t *testing.T) {
	t.Parallel()
	p := &paper{header: http.Header{}}
	out, err := openStream(p)
	if err != nil {
		t.Fatal(err)
	}
	x := &follower{news: make(chan struct{}, 1), late: make(chan struct{})}
	close(x.late)
	f := following{s: &Server{stopping: make(chan struct{})}, ctx: t.Context(), out: out, sent: 41}
	f.live(x, nil)
	if want := "event: lagged\ndata: {\"after\":41}\n\n"; !strings.HasSuffix(p.String(), want) {
		t.Errorf("it was told %q, want %q at the end", p.String(), want)
	}
}
