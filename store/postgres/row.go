package postgres

import (
	"encoding/json"

	"example.com/tq"
)

// Spots: where a task stands, beside its status.
const (
	nowhere   = 0
	inReady   = 1
	inBack    = 2 // ready, at an old place
	inDelayed = 3
)

// row is one task inside a transaction: what was read, and what became of it.
type row struct {
	id      int64
	lane    *lane
	asked   asked
	state   tq.State // without what is looked up for one event
	rev     int64
	spot    int16
	place   int64 // pos, or run_at in delayed; of a running task its old pos
	due     bool  // it stands in ready by promotion
	grant   int64
	until   int64 // of its grant
	lease   int64 // length of its grant
	limit   int64 // deadline of its grant, 0 none
	stuck   int
	readyAt int64
	runAt   int64
	deleted bool

	requeued bool // the last fact says so; what ended its last attempt stands before it

	was stand // as it was read; the zero value for a new task
}

// stand is what the tables say of a place, to find its row again.
type stand struct {
	status tq.Status
	spot   int16
	place  int64
	due    bool
	bucket int16
	stuck  int
	open   int
	rev    int64
	grant  int64
}

// asked is the part of tasks that the rules need.
type asked struct {
	runAt    int64
	timeout  int64
	key      string
	keyUntil tq.KeyUntil
	onDep    tq.OnDepFailure
	deps     []int64
}

// keyName is the key of r; one without text if it has none.
func (r *row) keyName() keyName { return keyName{r.lane.name.queue, r.asked.key} }

func (r *row) stand() stand {
	return stand{
		status: r.state.Status, spot: r.spot, place: r.place, due: r.due,
		bucket: r.bucket(), stuck: r.stuck, open: r.state.OpenDeps, rev: r.rev, grant: r.grant,
	}
}

// Buckets of counters and deltas.
const (
	bucketReady = iota + 1
	bucketScheduled
	bucketRetrying
	bucketBlocked
	bucketStuck // of the blocked, counted beside
	bucketRunning
	bucketCompleted
	bucketDead
	bucketCancelled
)

func (r *row) bucket() int16 {
	switch r.state.Status {
	case tq.Blocked:
		return bucketBlocked
	case tq.Running:
		return bucketRunning
	case tq.Completed:
		return bucketCompleted
	case tq.Dead:
		return bucketDead
	case tq.Cancelled:
		return bucketCancelled
	}
	switch {
	case r.spot != inDelayed:
		return bucketReady
	case r.state.Attempt > 0:
		return bucketRetrying
	}
	return bucketScheduled
}

// selectRows reads tasks with their last fact, their place and their lease. A
// task without facts stands in the inbox still.
const selectRows = `select t.id, t.lane, t.max_attempts, t.run_at, t.timeout, coalesce(t.key, ''), t.key_until, t.on_dep,
		coalesce(t.deps, ''), coalesce(t.backoff, ''),
		coalesce(f.rev, 0), coalesce(f.seq, 0), coalesce(f.kind, 0::smallint), coalesce(f.status, 0::smallint), coalesce(f.epoch, 0),
		coalesce(f.attempt, 0::smallint), coalesce(f.releases, 0), coalesce(f.spot, 0::smallint), coalesce(f.place, 0),
		coalesce(f.grant_id, 0), coalesce(f.cancel, false), coalesce(f.due, t.run_at),
		coalesce(p.pos, 0), coalesce(b.open, 0), coalesce(b.stuck, 0),
		coalesce(g.until, 0), coalesce(g.lease, 0), coalesce(g.deadline, 0)
	from unnest($1::bigint[]) with ordinality u(id, ord)
	join tq.tasks t on t.id = u.id
	left join lateral (select * from tq.facts f where f.task_id = t.id order by f.rev desc limit 1) f on true
	left join lateral (select pos from tq.promoted p where p.id = t.id and f.spot = 3 limit 1) p on true
	left join lateral (select open, stuck from tq.blocked b where b.id = t.id and f.status = 1 limit 1) b on true
	left join lateral (select until, lease, deadline from tq.grants g where g.id = f.grant_id and f.status = 3 limit 1) g on true
	order by u.ord`

// scanRow reads one row of selectRows.
func (w *work) scanRow(rows scanner) (*row, error) {
	r := new(row)
	var laneID int32
	var keyUntil, onDep, kind, status, attempt, maxAttempts int16
	var deps, backoff string
	var pos, seq int64
	var releases int32
	err := rows.Scan(&r.id, &laneID, &maxAttempts, &r.asked.runAt, &r.asked.timeout, &r.asked.key, &keyUntil, &onDep,
		&deps, &backoff, &r.rev, &seq, &kind, &status, &r.state.Epoch, &attempt, &releases, &r.spot, &r.place,
		&r.grant, &r.state.CancelRequested, &r.runAt, &pos, &r.state.OpenDeps, &r.stuck, &r.until, &r.lease, &r.limit)
	if err != nil {
		return nil, err
	}
	w.newest = max(w.newest, seq)
	if err := readJSON(deps, &r.asked.deps); err != nil {
		return nil, err
	}
	if err := readJSON(backoff, &r.state.Backoff); err != nil {
		return nil, err
	}
	if r.lane = w.lanes.get(laneID); r.lane == nil {
		return nil, errUnknownLane
	}
	r.asked.keyUntil, r.asked.onDep = keyUntilOf(keyUntil), policyOf(onDep)
	r.state.Status, r.state.Attempt, r.state.MaxAttempts = statusOf(status), int(attempt), int(maxAttempts)
	r.state.Releases, r.state.Expired = int(releases), kindOf(kind) == tq.FactLeaseExpired
	r.requeued = kindOf(kind) == tq.FactRequeued
	if pos != 0 {
		r.spot, r.place, r.due = inReady, pos, true
	}
	r.state.Scheduled = r.state.Status == tq.Pending && r.spot == inDelayed
	r.was = r.stand()
	return r, nil
}

// act is what an event brings beside its rule: who, with what.
type act struct {
	actor  string
	hash   [16]byte
	body   []byte
	detail tq.FactDetail
}

// apply writes down a step that Next decided for r.
func (w *work) apply(r *row, step tq.Step, a act) {
	r.state = step.State
	r.state.Dependants, r.state.KeyTwin, r.state.Settled = 0, 0, nil
	old, blocked := r.place, r.was.status == tq.Blocked
	if r.state.Status == tq.Pending {
		r.runAt = w.now + step.Delay.Milliseconds()
		r.state.Scheduled = step.Delay.Milliseconds() > 0
	}
	first := len(w.facts)
	for i, f := range step.Facts {
		w.fact(r, f, i == len(step.Facts)-1, a)
	}
	w.settlePlace(r, step.OldPlace, old)
	if blocked && r.state.Status.Terminal() {
		w.orphans = append(w.orphans, r.id)
		w.bereft = append(w.bereft, r.asked.deps...)
	}
	for i := first; i < len(w.facts); i++ {
		w.facts[i].spot, w.facts[i].place, w.facts[i].grant, w.facts[i].due = r.spot, r.place, r.grant, r.runAt
	}
	w.ended(r)
}

// settlePlace says where r stands now.
func (w *work) settlePlace(r *row, oldPlace bool, old int64) {
	r.due = false
	switch {
	case r.state.Status == tq.Running:
		return // spot and place stay: where it came from
	case r.state.Status != tq.Pending:
		r.spot, r.place, r.grant = nowhere, 0, 0
	case r.state.Scheduled:
		r.spot, r.place, r.grant = inDelayed, r.runAt, 0
		w.dueAt(r.runAt)
	case oldPlace && old != 0:
		r.spot, r.place, r.grant = inBack, old, 0
		w.ready(r)
	default:
		r.spot, r.place, r.grant = inReady, w.lastSeq(), 0
		w.ready(r)
	}
	if r.state.Status != tq.Blocked {
		r.state.OpenDeps, r.stuck = 0, 0
	}
}

func (w *work) ready(r *row) {
	r.readyAt = w.now
	w.news.Ready = addPlace(w.news.Ready, r.lane.name)
}

func addPlace(places []tq.Place, n laneName) []tq.Place {
	for i := range places {
		if p := &places[i]; p.Queue == n.queue && p.Type == n.typ && p.Project == n.project {
			p.N++
			return places
		}
	}
	return append(places, tq.Place{Queue: n.queue, Type: n.typ, Project: n.project, N: 1})
}

// dueAt notes that something is put off until then.
func (w *work) dueAt(at int64) {
	t := tq.FromMilli(at)
	if w.news.Due.IsZero() || t.Before(w.news.Due.Time) {
		w.news.Due = t
	}
}

// ended notes what follows from an end: waiters, the key, dependants.
func (w *work) ended(r *row) {
	if !r.state.Status.Terminal() || r.deleted {
		return
	}
	w.news.Ended = true
	w.told = append(w.told, r.id)
	if r.asked.key != "" && r.asked.keyUntil == tq.KeyUntilTerminal {
		w.freeKey(r)
	}
}

// fact collects one fact of r; last says whether it is the last of its step.
func (w *work) fact(r *row, f tq.StepFact, last bool, a act) {
	r.rev++
	d := f.Detail(a.detail, a.body)
	if last && r.state.Status == tq.Pending && r.state.Scheduled {
		d.RunAt = tq.FromMilli(r.runAt)
	}
	line := factLine{
		id: r.id, rev: r.rev, seq: w.seq(), lane: r.lane.id, step: f, actor: a.actor, detail: d,
		epoch: r.state.Epoch, attempt: r.state.Attempt, releases: r.state.Releases, cancel: r.state.CancelRequested,
	}
	if f.Settles {
		line.hash = a.hash[:]
	}
	switch f.Kind {
	case tq.FactCompleted, tq.FactFailed:
		line.body = a.body
	case tq.FactLeaseExpired:
		line.body = []byte(a.detail.Error)
	}
	w.facts = append(w.facts, line)
}

func detailText(d tq.FactDetail) (string, error) {
	if d == (tq.FactDetail{}) {
		return "", nil
	}
	b, err := json.Marshal(d)
	return string(b), err
}
