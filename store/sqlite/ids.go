package sqlite

import (
	"container/heap"
	"math"
	"slices"
)

// Streams of tasks, newest first: what a list walks until its page is full.

// candidate is a task that a list may show.
type candidate struct {
	id       int64
	standing standing // 0 when the stream does not know
}

// idStream answers candidates from high ids to low, each once, and id 0 after
// the last.
type idStream interface {
	next() (candidate, error)
}

// fetch answers at most n candidates below before, from high ids to low.
type fetch func(before int64, n int) ([]candidate, error)

// run is a stream that one index answers, read in pieces that grow, so that
// neither a short nor a long walk wastes much.
type run struct {
	fetch  fetch
	before int64
	piece  []candidate
	size   int
	ended  bool
}

const (
	firstPiece = 2
	maxPiece   = 1_000
)

func newRun(before int64, f fetch) *run {
	return &run{fetch: f, before: below(before), size: firstPiece}
}

// begun is a run whose first task is known already.
func begun(first int64, f fetch) *run {
	return &run{fetch: f, before: first, size: firstPiece, piece: []candidate{{id: first}}}
}

// below is where a list begins that was asked for from there on, 0 is the
// newest.
func below(before int64) int64 {
	if before <= 0 {
		return math.MaxInt64
	}
	return before
}

// head answers the next id without taking it; 0 at the end.
func (r *run) head() (int64, error) {
	if len(r.piece) > 0 || r.ended {
		return r.first(), nil
	}
	piece, err := r.fetch(r.before, r.size)
	if err != nil {
		return 0, err
	}
	r.ended = len(piece) < r.size
	r.size = min(4*r.size, maxPiece)
	if len(piece) > 0 {
		r.before = piece[len(piece)-1].id
	}
	r.piece = piece
	return r.first(), nil
}

func (r *run) first() int64 {
	if len(r.piece) == 0 {
		return 0
	}
	return r.piece[0].id
}

func (r *run) next() (candidate, error) {
	id, err := r.head()
	if id == 0 || err != nil {
		return candidate{}, err
	}
	c := r.piece[0]
	r.piece = r.piece[1:]
	return c, nil
}

// merge is the stream of many runs. The run with the highest head is on top.
type merge struct {
	runs runHeap
	last int64
}

type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return h[i].first() > h[j].first() }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*run)) }
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// newMerge reads the head of every run.
func newMerge(runs []*run) (*merge, error) {
	m := new(merge)
	for _, r := range runs {
		id, err := r.head()
		if err != nil {
			return nil, err
		}
		if id != 0 {
			m.runs = append(m.runs, r)
		}
	}
	heap.Init(&m.runs)
	return m, nil
}

func (m *merge) next() (candidate, error) {
	for len(m.runs) > 0 {
		c, err := m.take()
		if err != nil || c.id != m.last {
			m.last = c.id
			return c, err
		}
	}
	return candidate{}, nil
}

// take takes the highest head and puts its run back where it belongs now.
func (m *merge) take() (candidate, error) {
	top := m.runs[0]
	c, err := top.next()
	if err != nil {
		return c, err
	}
	head, err := top.head()
	if head == 0 {
		heap.Pop(&m.runs)
		return c, err
	}
	heap.Fix(&m.runs, 0)
	return c, err
}

// relay is a run of a few candidates, and then another stream from there on.
type relay struct {
	first *run
	left  int // candidates of first
	last  int64
	then  func(before int64) (idStream, error)
	rest  idStream
}

func (r *relay) next() (candidate, error) {
	if r.left > 0 {
		r.left--
		c, err := r.first.next()
		r.last = c.id
		return c, err
	}
	if r.rest == nil && r.last != 0 {
		rest, err := r.then(r.last)
		if err != nil {
			return candidate{}, err
		}
		r.rest = rest
	}
	if r.rest == nil {
		return candidate{}, nil
	}
	return r.rest.next()
}

// listed is the stream of ids that were collected in any order.
func listed(ids []int64, before int64) idStream {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	r := newRun(before, nil)
	r.ended = true
	for _, id := range ids {
		if id < r.before {
			r.piece = append(r.piece, candidate{id: id})
		}
	}
	return r
}
