package memory

import tq "example.com/tq"

// cascade tells the dependants of every task that ended in this write what that
// means for them, and theirs in turn, in the order of ids, up to MaxCascade of
// them; the sweep does the rest.
func (w *writer) cascade() {
	for len(w.ended) > 0 {
		id := w.ended[0]
		w.ended = w.ended[1:]
		w.tellDependants(id, 0)
	}
}

// tellDependants goes on behind child after.
func (w *writer) tellDependants(parent, after int64) {
	delete(w.telling, parent)
	p := w.find(parent)
	if p == nil {
		return
	}
	for _, id := range w.dependants[parent] {
		t := w.find(id)
		if id <= after || t == nil || !t.open[parent] {
			continue
		}
		if w.left == 0 {
			w.telling[parent] = after
			w.due(w.now)
			return
		}
		w.left--
		w.tellOne(t, p)
		after = id
	}
}

// tellOne settles the edge from t to p, as the rules have it.
func (w *writer) tellOne(t, p *task) {
	a := act{actor: systemActor, detail: tq.FactDetail{Cause: p.id}}
	switch tq.DepEffect(p.state.Status, t.asked.OnDepFailure) {
	case tq.Satisfied:
		delete(t.open, p.id)
		if len(t.open) > 0 {
			return
		}
		wait := max(0, t.first.Sub(w.now.Time))
		w.event(t, tq.EventUnblock, tq.Arg{Delay: &wait}, a)
	case tq.Cancels:
		w.event(t, tq.EventDepFailed, tq.Arg{}, a)
	}
}

// systemActor is who does what nobody asked for by name.
const systemActor = "tq"

// event does to t what the store itself knows to be possible.
func (w *writer) event(t *task, ev tq.Event, arg tq.Arg, a act) bool {
	step, err := w.rules(w.state(t, ev, arg), ev, arg)
	if err != nil {
		return false
	}
	w.apply(t, step, a)
	return true
}

// openDependants counts those that wait for t.
func (s *Store) openDependants(id int64) int {
	n := 0
	for _, child := range s.dependants[id] {
		if t := s.find(child); t != nil && t.open[id] {
			n++
		}
	}
	return n
}

// stuck counts the deps of t that are dead.
func (s *Store) stuck(t *task) int {
	n := 0
	for id := range t.open {
		if p := s.find(id); p != nil && tq.DepEffect(p.state.Status, t.asked.OnDepFailure) == tq.Stuck {
			n++
		}
	}
	return n
}

// openDeps are the deps that a rescued task would have to wait for. One that
// was deleted holds nothing back.
func (s *Store) openDeps(t *task) map[int64]bool {
	open := map[int64]bool{}
	for _, id := range t.deps {
		p := s.find(id)
		if p != nil && tq.DepEffect(p.state.Status, t.asked.OnDepFailure) != tq.Satisfied {
			open[id] = true
		}
	}
	return open
}
