package sqlite

import (
	"container/heap"
	"math"
	"slices"
)

// Streams of task ids, newest first: what a list walks until its page is full.

// idStream answers ids from high to low, each once, and 0 after the last.
type idStream interface {
	next() (int64, error)
}

// fetch answers at most n ids below before, from high to low.
type fetch func(before int64, n int) ([]int64, error)

// run is a stream that one index answers, read in pieces that grow, so that
// neither a short nor a long walk wastes much.
type run struct {
	fetch  fetch
	before int64
	piece  []int64
	size   int
	ended  bool
}

const (
	firstPiece = 2
	maxPiece   = 1_000
)

func newRun(before int64, f fetch) *run {
	if before <= 0 {
		before = math.MaxInt64
	}
	return &run{fetch: f, before: before, size: firstPiece}
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
		r.before = piece[len(piece)-1]
	}
	r.piece = piece
	return r.first(), nil
}

func (r *run) first() int64 {
	if len(r.piece) == 0 {
		return 0
	}
	return r.piece[0]
}

func (r *run) next() (int64, error) {
	id, err := r.head()
	if id != 0 {
		r.piece = r.piece[1:]
	}
	return id, err
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

func (m *merge) next() (int64, error) {
	for len(m.runs) > 0 {
		id, err := m.take()
		if err != nil || id != m.last {
			m.last = id
			return id, err
		}
	}
	return 0, nil
}

// take takes the highest head and puts its run back where it belongs now.
func (m *merge) take() (int64, error) {
	top := m.runs[0]
	id, err := top.next()
	if err != nil {
		return 0, err
	}
	head, err := top.head()
	if head == 0 {
		heap.Pop(&m.runs)
		return id, err
	}
	heap.Fix(&m.runs, 0)
	return id, err
}

// listed is the stream of ids that were collected in any order.
func listed(ids []int64, before int64) idStream {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	r := newRun(before, nil)
	r.ended = true
	if i := slices.IndexFunc(ids, func(id int64) bool { return id < r.before }); i >= 0 {
		r.piece = ids[i:]
	}
	return r
}
