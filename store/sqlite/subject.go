package sqlite

import (
	"encoding/json"

	"example.com/tq"
)

// subject is a task that something happens to: its last fact, and what its row
// says that the rules or the tables need.
type subject struct {
	id, lane, prio int64
	rev            int64
	state          tq.State // without what is looked up for one event
	place          int64    // pos in ready, 0 in delayed; of a running task its old pos
	due            int64    // run_at
	grant          int64
	requeued       bool // the last fact says so; what ended its last attempt stands before it

	first    int64 // run_at as asked for
	timeout  int64
	key      string
	keyUntil tq.KeyUntil
	policy   tq.OnDepFailure
	edges    []edge // what it is going to wait for
}

const selectSubject = `select f.rev, f.kind, f.status, f.epoch, f.attempt, f.releases, f.place, f.due, f.grant_id, f.cancel,
		t.lane, t.prio, t.max_attempts, t.run_at, t.timeout, t.key, t.key_until, t.on_dep, t.backoff
	from facts f join tasks t on t.id = f.task_id where f.task_id = ? order by f.rev desc limit 1`

// subject reads a task; nil when there is none.
func (n *turn) subject(id int64) (*subject, error) {
	q := n.c.sql(selectSubject).int(id)
	if !q.next() {
		err := q.end()
		if err != nil || !n.cache.inbox {
			return nil, err
		}
		return n.unpacked(id)
	}
	t := &subject{
		id: id, rev: q.colInt(0), place: q.colInt(6), due: q.colInt(7), grant: q.colInt(8),
		lane: q.colInt(10), prio: q.colInt(11), first: q.colInt(13), timeout: q.colInt(14),
		keyUntil: keyUntilOf(q.colInt(16)), policy: policyOf(q.colInt(17)),
	}
	t.state = tq.State{
		Status: statusOf(q.colInt(2)), Epoch: q.colInt(3), Attempt: int(q.colInt(4)), Releases: int(q.colInt(5)),
		MaxAttempts: int(q.colInt(12)), CancelRequested: q.colBool(9),
	}
	if t.state.Status == tq.Pending {
		t.state.Expired = kindOf(q.colInt(1)) == tq.FactLeaseExpired
		t.requeued = kindOf(q.colInt(1)) == tq.FactRequeued
		t.state.Scheduled = t.place == 0 && t.due > n.now
	}
	if !q.colNull(15) {
		t.key = q.colText(15)
	}
	backoff := q.colText(18)
	if err := q.end(); err != nil {
		return nil, err
	}
	return t, readJSON(backoff, &t.state.Backoff)
}

// act is what an event brings beside its rule: who, and with what.
type act struct {
	actor  string
	hash   *[16]byte
	body   []byte
	detail tq.FactDetail
}

// apply writes a step that tq.Next decided for t: its facts, its place and the
// counters. A task that starts to run must have its grant set.
func (n *turn) apply(t *subject, step tq.Step, a act) error {
	was := *t
	t.state = step.State
	t.state.Settled, t.state.Dependants, t.state.KeyTwin = nil, 0, 0
	moved := was.state.Status != t.state.Status || t.state.Status == tq.Pending
	if moved {
		if err := n.leave(&was); err != nil {
			return err
		}
		n.aim(t, &step)
	}
	for i := range step.Facts {
		if err := n.fact(t, &step.Facts[i], i == len(step.Facts)-1, &a); err != nil {
			return err
		}
	}
	if moved {
		if err := n.enter(t); err != nil {
			return err
		}
	}
	if t.state.Status.Terminal() && !was.state.Status.Terminal() {
		return n.end(t)
	}
	return nil
}

// aim decides where a task that moves will stand.
func (n *turn) aim(t *subject, step *tq.Step) {
	t.state.Scheduled = false
	switch t.state.Status {
	case tq.Running:
		return
	case tq.Pending:
		t.due = n.now + step.Delay.Milliseconds()
		t.state.Scheduled = t.due > n.now
		if !t.state.Scheduled && step.OldPlace && t.place != 0 {
			break
		}
		t.place = 0
		if !t.state.Scheduled {
			t.place = n.lastSeq + int64(len(step.Facts))
		}
	default:
		t.place = 0
	}
	t.grant = 0
}

const insertFact = `insert into facts (seq, task_id, rev, kind, status, settles, epoch, attempt, releases, lane, place, due,
	grant_id, cancel, at, actor, hash, detail, body) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// fact writes the next fact of t; last says whether it is the last of its step.
func (n *turn) fact(t *subject, f *tq.StepFact, last bool, a *act) error {
	d := f.Detail(a.detail, a.body)
	if last && t.state.Scheduled {
		d.RunAt = tq.FromMilli(t.due)
	}
	text, err := detailText(&d)
	if err != nil {
		return err
	}
	t.rev++
	s := &t.state
	q := n.c.sql(insertFact).int(n.seq()).int(t.id).int(t.rev).int(kindCode(f.Kind)).int(statusCode(f.Status)).
		bool(f.Settles).int(s.Epoch).int(int64(s.Attempt)).int(int64(s.Releases)).int(t.lane).
		intOrNull(t.place).int(t.due).intOrNull(t.grant).bool(s.CancelRequested).int(n.now).text(a.actor)
	if f.Settles && a.hash != nil {
		q.blob(a.hash[:])
	} else {
		q.null()
	}
	q.textOrNull(text)
	if body := bodyOf(f.Kind, a); len(body) > 0 {
		q.bytesAsText(body)
	} else {
		q.null()
	}
	n.lastFact = n.lastSeq
	return n.exec(q)
}

// bodyOf is the text that is kept with a fact of that kind.
func bodyOf(k tq.Kind, a *act) []byte {
	if k == tq.FactCompleted || k == tq.FactFailed {
		return a.body
	}
	return nil
}

// detailText writes a detail as JSON, "" when it says nothing. That of a claim,
// by far the most frequent, is written by hand.
func detailText(d *tq.FactDetail) (string, error) {
	if *d == (tq.FactDetail{}) {
		return "", nil
	}
	if *d == (tq.FactDetail{Until: d.Until}) {
		return `{"until":"` + d.Until.String() + `"}`, nil
	}
	b, err := json.Marshal(d)
	return string(b), err
}
