// Package move carries the content of one store into another one: live (Mover,
// behind tq copy), or by way of a file (Export and Import).
// docs/decisions/009-copy.md says why it is done like this.
package move

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/tq"
)

const (
	bite      = 1_000   // tasks in one transaction
	biteBytes = 4 << 20 // of payloads and results in it, about
	pages     = 5       // of the journal in one round

	// A source is held when the last round was short: so is the one in the pause.
	shortWay  = 500 // facts
	shortTime = 300 * time.Millisecond
	rounds    = 200 // tries to get that near

	// pauseLimit is for how long a source may be held. After that it is let go,
	// and the rest is tried again.
	pauseLimit = 15 * time.Second
	pauseTries = 20
	pauseRest  = 500 * time.Millisecond
)

// Mover moves a store while others work on it. Whoever runs it again after it
// was cut short goes on where it was.
type Mover struct {
	From, To tq.Movable

	// FromPlace and ToPlace are where they are, without secrets. Writers of the
	// source are told ToPlace.
	FromPlace, ToPlace string

	Report func(Progress) // hears how far it has come; may be nil

	from, to tq.Move
	touched  map[int64]bool // in the pause
	out      Moved
}

// Stage is a part of a move.
type Stage string

// The stages, in their order.
const (
	StageWalk    Stage = "copy"
	StageCatchUp Stage = "catch up"
	StageCompare Stage = "compare"
	StagePause   Stage = "pause"
	StageDone    Stage = "done"
)

// Progress is how far a move has come.
type Progress struct {
	Stage Stage `json:"stage"`
	Tasks int64 `json:"tasks"`        // carried, or compared, in this stage
	Of    int64 `json:"of,omitempty"` // about; 0 when nobody knows
}

// Moved says what a move did, as far as this run of it is concerned.
type Moved struct {
	Tasks    int64         // carried, those that had changed again counted again
	Compared int64         // row by row
	Pause    time.Duration // for which writers were held
	Already  bool          // it was done before
}

// Run moves the store.
func (m *Mover) Run(ctx context.Context) (Moved, error) {
	done, err := m.begin(ctx)
	if err != nil || done {
		return m.out, err
	}
	stages := []func(context.Context) error{m.head, m.walk, m.catchUp, m.compareAll, m.change}
	if m.from.Phase == tq.PhaseHeld {
		stages = stages[4:] // an earlier run came as far as that, and writers wait
	}
	for _, stage := range stages {
		if err := stage(ctx); err != nil {
			return m.out, err
		}
	}
	m.report(StageDone, m.out.Tasks, 0)
	return m.out, nil
}

func (m *Mover) report(s Stage, n, of int64) {
	if m.Report != nil {
		m.Report(Progress{Stage: s, Tasks: n, Of: of})
	}
}

// begin marks both stores, or finds out how far an earlier run has come.
func (m *Mover) begin(ctx context.Context) (done bool, err error) {
	if m.from, err = m.From.Moving(ctx); err != nil {
		return false, err
	}
	if m.to, err = m.To.Moving(ctx); err != nil {
		return false, err
	}
	switch m.from.Phase {
	case tq.PhaseMoved:
		m.out.Already = true
		return true, m.same()
	case tq.PhaseFilling:
		return false, m.from.Refusal()
	case tq.PhaseCopying, tq.PhaseHeld:
		if err := m.same(); err != nil {
			return false, err
		}
	default:
		is := tq.Move{ID: rand.Text(), Peer: m.ToPlace, Phase: tq.PhaseCopying}
		if err := m.fresh(); err != nil {
			return false, err
		}
		if err := m.markFrom(ctx, is); err != nil {
			return false, err
		}
	}
	if m.to.Phase == tq.PhaseArrived {
		return true, m.markFrom(ctx, tq.Move{ID: m.from.ID, Peer: m.ToPlace, Phase: tq.PhaseMoved})
	}
	if m.to.Phase == "" {
		return false, m.open(ctx)
	}
	return false, nil
}

// fresh refuses a target that belongs to another move, before the source is
// touched.
func (m *Mover) fresh() error {
	if m.to.Phase == "" {
		return nil
	}
	return tq.Errorf(tq.CodeInvalidState, "%s belongs to another move, from %s", m.ToPlace, m.to.Peer).
		WithHint("name a place that is not there yet")
}

// same makes sure that the marks of both stores are of one move.
func (m *Mover) same() error {
	if m.from.Peer == m.ToPlace && (m.to.ID == m.from.ID || m.to.Phase == "" && m.from.Phase == tq.PhaseCopying) {
		return nil
	}
	if m.from.Phase == tq.PhaseMoved {
		return m.from.Refusal()
	}
	return tq.Errorf(tq.CodeInvalidState, "%s is being copied to %s already", m.FromPlace, m.from.Peer).
		WithHint("finish that one, or give it up: tq copy --abandon %s %s", m.FromPlace, m.from.Peer)
}

// open marks the target. The journal is followed from where it ends now.
func (m *Mover) open(ctx context.Context) error {
	last, err := m.From.Facts(ctx, tq.FactQuery{Last: true, Limit: 1})
	if err != nil {
		return err
	}
	is := tq.Move{ID: m.from.ID, Peer: m.FromPlace, Phase: tq.PhaseFilling}
	if len(last) > 0 {
		is.Seq = last[0].Seq
	}
	err = m.To.SetMove(ctx, m.to, is)
	if err == nil {
		m.to = is
		return nil
	}
	// A target that was in use already stays what it is, and so does the source.
	return errors.Join(err, m.markFrom(ctx, tq.Move{}))
}

func (m *Mover) markFrom(ctx context.Context, is tq.Move) error {
	err := m.From.SetMove(ctx, m.from, is)
	if err == nil {
		m.from = is
	}
	return err
}

// bring imports tasks and notes how far that is.
func (m *Mover) bring(ctx context.Context, in tq.Import, is tq.Move) error {
	in.Was, in.Is = m.to, is
	if err := m.To.Import(ctx, in); err != nil {
		return fmt.Errorf("fill %s: %w", m.ToPlace, err)
	}
	m.to = is
	m.out.Tasks += int64(len(in.Tasks))
	return nil
}

// head brings the secret and the acts without a task.
func (m *Mover) head(ctx context.Context) error {
	in := tq.Import{Secret: m.From.Info().Secret}
	for after := int64(0); ; {
		acts, err := m.From.Facts(ctx, tq.FactQuery{After: after, Kinds: tq.Acts(), Limit: tq.MaxPage})
		if err != nil {
			return err
		}
		if in.Acts = acts; len(acts) > 0 {
			after = acts[len(acts)-1].Seq
		}
		if err := m.bring(ctx, in, m.to); err != nil || len(acts) < tq.MaxPage {
			return err
		}
	}
}

// walk brings all tasks in the order of their ids. The next bite is read while
// the one before is written.
func (m *Mover) walk(ctx context.Context) error {
	of, err := total(ctx, m.From)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for next := m.readAhead(ctx, m.to.Next); ; {
		b := <-next
		if b.err != nil || len(b.tasks) == 0 {
			return b.err
		}
		last := b.tasks[len(b.tasks)-1].ID
		next = m.readAhead(ctx, last)
		is := m.to
		is.Next = last
		if err := m.bring(ctx, tq.Import{Tasks: b.tasks, Fresh: true}, is); err != nil {
			return err
		}
		m.report(StageWalk, m.out.Tasks, of)
	}
}

// total is how many tasks there are, about: those that are deleted are not
// counted.
func total(ctx context.Context, s tq.Store) (int64, error) {
	census, err := s.Queues(ctx)
	n := int64(0)
	for i := range census.Lines {
		l := &census.Lines[i]
		n += l.Ready + l.Scheduled + l.Blocked + l.Running + l.Completed + l.Dead + l.Cancelled
	}
	return n, err
}

type readBite struct {
	tasks []tq.Whole
	err   error
}

func (m *Mover) readAhead(ctx context.Context, after int64) chan readBite {
	next := make(chan readBite, 1)
	go func() {
		tasks, err := read(ctx, m.From, tq.ExportQuery{After: after, Limit: bite})
		next <- readBite{tasks, err}
	}()
	return next
}

var errFull = errors.New("the bite is full")

// read exports a bite: what is asked for, or the beginning of it that is as large
// as one transaction should be, but one task at least.
func read(ctx context.Context, s tq.Movable, q tq.ExportQuery) ([]tq.Whole, error) {
	var tasks []tq.Whole
	size := 0
	err := s.Export(ctx, q, func(w *tq.Whole) error {
		if size += weight(w); size > biteBytes && len(tasks) > 0 {
			return errFull
		}
		tasks = append(tasks, *w)
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return tasks, err
}

// weight is about how many bytes a task brings.
func weight(w *tq.Whole) int {
	n := 200 + 200*len(w.Facts)
	if w.Asked != nil {
		n += len(w.Asked.Payload)
	}
	for i := range w.Facts {
		if body := w.Facts[i].Body; body != nil {
			n += len(*body)
		}
	}
	return n
}

// catchUp brings what has changed since, until little is left.
func (m *Mover) catchUp(ctx context.Context) error {
	for range rounds {
		began := time.Now()
		n, err := m.round(ctx, nil)
		if err != nil || n < shortWay || n < pages*tq.MaxPage && time.Since(began) < shortTime {
			return err
		}
		m.report(StageCatchUp, m.out.Tasks, 0)
	}
	return tq.Errorf(tq.CodeUnavailable, "the source changes faster than it can be copied").
		WithHint("let fewer workers run, and run the same command again: it goes on where it was")
}

// round follows the journal for some pages, and answers how many facts that
// were.
func (m *Mover) round(ctx context.Context, also []int64) (int, error) {
	ids, acts, seq, n := map[int64]bool{}, []tq.Fact(nil), m.to.Seq, 0
	for range pages {
		facts, err := m.From.Facts(ctx, tq.FactQuery{After: seq, Limit: tq.MaxPage})
		if err != nil {
			return n, err
		}
		for i := range facts {
			if f := &facts[i]; f.TaskID == 0 {
				acts = append(acts, *f)
			} else {
				ids[f.TaskID] = true
			}
		}
		if n += len(facts); len(facts) > 0 {
			seq = facts[len(facts)-1].Seq
		}
		if len(facts) < tq.MaxPage {
			break
		}
	}
	behind, err := m.To.Behind(ctx, keys(ids))
	if err != nil {
		return n, err
	}
	for _, id := range slices.Concat(behind, also) {
		ids[id] = true
	}
	if err := m.some(ctx, keys(ids), acts); err != nil {
		return n, err
	}
	if is := m.to; seq > m.to.Seq {
		is.Seq = seq
		return n, m.bring(ctx, tq.Import{}, is)
	}
	return n, nil
}

func keys(set map[int64]bool) []int64 {
	all := make([]int64, 0, len(set))
	for id := range set {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// some brings the tasks of those ids, once more if they are there.
func (m *Mover) some(ctx context.Context, ids []int64, acts []tq.Fact) error {
	for len(ids) > 0 || len(acts) > 0 {
		in := tq.Import{Acts: acts}
		if len(ids) > 0 {
			var err error
			if in.Tasks, err = read(ctx, m.From, tq.ExportQuery{IDs: ids[:min(bite, len(ids))]}); err != nil {
				return err
			}
		}
		is := m.to
		for i := range in.Tasks {
			// The walk is over, so all up to here are there, or named by facts to come.
			is.Next = max(is.Next, in.Tasks[i].ID)
			if m.touched != nil {
				m.touched[in.Tasks[i].ID] = true
			}
		}
		if err := m.bring(ctx, in, is); err != nil {
			return err
		}
		acts, ids = nil, rest(ids, in.Tasks)
	}
	return nil
}

// rest is what is left of ids behind the tasks that were read; ids of which
// nothing was left are passed over.
func rest(ids []int64, tasks []tq.Whole) []int64 {
	if len(tasks) == 0 {
		return ids[min(bite, len(ids)):]
	}
	i, _ := slices.BinarySearch(ids, tasks[len(tasks)-1].ID+1)
	return ids[i:]
}
