package bench

import (
	"slices"
	"sync"
)

// ledger keeps account of one measure: which tasks the queue took, and how
// often each was run. It is safe for concurrent use.
type ledger struct {
	mu    sync.Mutex
	tasks map[int64]account
	taken int
	begun int
}

type account struct {
	taken bool // the queue answered for it
	runs  int
}

func newLedger() *ledger { return &ledger{tasks: make(map[int64]account)} }

// take notes that the queue answered for a task. It may have run before.
func (l *ledger) take(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.tasks[id]
	a.taken = true
	l.tasks[id] = a
	l.taken++
}

// run notes that a task has begun, and answers how often it had before.
func (l *ledger) run(id int64) (before int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.tasks[id]
	a.runs++
	l.tasks[id] = a
	l.begun++
	return a.runs - 1
}

// count answers how many tasks were taken, and how many runs begun.
func (l *ledger) count() (taken, begun int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken, l.begun
}

// sum adds up who was run how often. again lists those that ran more than once.
func (l *ledger) sum() (d Delivery, again []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.Tasks = l.taken
	for id, a := range l.tasks {
		switch {
		case !a.taken:
			d.Unknown++
		case a.runs == 0:
			d.Lost++
		case a.runs == 1:
			d.Once++
		default:
			d.Again++
			again = append(again, id)
		}
	}
	d.Twins = l.taken - d.Once - d.Again - d.Lost
	slices.Sort(again)
	return d, again
}

// runs answers how often a task was run.
func (l *ledger) runs(id int64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tasks[id].runs
}
