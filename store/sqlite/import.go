package sqlite

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"example.com/tq"
)

// Filling a store with what another one holds. Nothing is decided and nothing
// counted here: counters come with the ledger.

// Import writes what a store that is being filled is given.
func (s *Store) Import(ctx context.Context, in tq.Import) error {
	size := 0
	for i := range in.Tasks {
		if a := in.Tasks[i].Asked; a != nil {
			size += len(a.Payload)
		}
	}
	return s.carry(ctx, size, func(n *turn) error {
		if in.Was.Phase != tq.PhaseFilling {
			return tq.Errorf(tq.CodeInvalidState, "%s is not being filled", n.s.path)
		}
		p := importer{n}
		if err := p.all(&in); err != nil {
			return err
		}
		return n.setMove(in.Was, in.Is)
	})
}

// importer writes whole tasks in one transaction.
type importer struct{ *turn }

func (p importer) all(in *tq.Import) error {
	if in.Secret != nil {
		p.writes++
		if err := p.c.setMetaBytes(metaSecret, in.Secret); err != nil {
			return err
		}
	}
	for i := range in.Tasks {
		if err := p.task(&in.Tasks[i], in.Fresh); err != nil {
			return err
		}
	}
	for i := range in.Acts {
		if err := p.act(&in.Acts[i]); err != nil {
			return err
		}
	}
	if in.Ledger == nil {
		return nil
	}
	return p.ledger(in.Ledger)
}

const (
	dropGrants  = `delete from grants where id in (select grant_id from facts where task_id = ?1 and grant_id is not null)`
	dropTask    = `delete from tasks where id = ?1`
	dropReady   = `delete from ready where lane = ?1 and prio = ?2 and pos = ?3 and id = ?4`
	dropEdges   = `delete from edges where child = ?1`
	dropKeys    = `delete from keys where queue = ?1 and key = ?2 and task_id = ?3`
	dropCascade = `delete from cascades where parent = ?1`
	dropBlocked = `delete from blocked where id = ?1`
	dropInbox   = `delete from inbox where id = ?1`
	dropDead    = `delete from dead where id = ?1`

	selectStood = `select f.lane, t.prio, f.place, f.due, f.status, t.key from tasks t
		left join facts f on f.task_id = t.id and f.rev = (select max(rev) from facts where task_id = t.id) where t.id = ?`
	putKey = `insert into keys (queue, key, task_id, body) values (?, ?, ?, ?)
		on conflict (queue, key) do update set task_id = excluded.task_id, body = excluded.body`
	putAct = `insert into acts (seq, kind, queue, actor, at, detail) values (?, ?, ?, ?, ?, ?) on conflict (seq) do nothing`
)

// task replaces what is here of a task.
func (p importer) task(w *tq.Whole, fresh bool) error {
	l, err := p.intern(laneName{w.Queue, w.Type, w.Project})
	if err != nil {
		return err
	}
	if !fresh {
		if err := p.clear(w, l); err != nil {
			return err
		}
	}
	grant := int64(0)
	if held := w.Held(); held >= 0 {
		grant = w.Facts[held].Seq
		if err := p.lease(w, grant); err != nil {
			return err
		}
	}
	for i := range w.Facts {
		by := int64(0)
		if i >= w.Held() {
			by = grant
		}
		if err := p.fact(w, &w.Facts[i], l, by); err != nil {
			return err
		}
	}
	if w.Asked == nil {
		return nil
	}
	if err := p.asked(w, l); err != nil {
		return err
	}
	return p.place(w, l)
}

// clear takes out what an earlier import wrote.
func (p importer) clear(w *tq.Whole, l *lane) error {
	q := p.c.sql(selectStood).int(w.ID)
	known := q.next()
	var prio, place, due int64
	var status tq.Status
	var key string
	if known {
		prio, place, due, key = q.colInt(1), q.colInt(2), q.colInt(3), q.colText(5)
		status = statusOf(q.colInt(4))
	}
	if err := q.end(); err != nil {
		return err
	}
	if known && status == tq.Pending {
		if err := p.exec(p.c.sql(dropReady).int(l.id).int(prio).int(place).int(w.ID)); err != nil {
			return err
		}
		if err := p.exec(p.c.sql(deleteDelayed).int(due).int(w.ID)); err != nil {
			return err
		}
	}
	if known && key != "" {
		if err := p.exec(p.c.sql(dropKeys).text(l.queue).text(key).int(w.ID)); err != nil {
			return err
		}
	}
	for _, text := range []string{dropGrants, dropFacts, dropTask, dropEdges, dropCascade, dropBlocked, dropInbox, dropDead} {
		if err := p.exec(p.c.sql(text).int(w.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (p importer) lease(w *tq.Whole, grant int64) error {
	return p.exec(p.c.sql(insertGrant).int(grant).int(1).text(w.Lease.Worker).text(w.Lease.Owner).textOrNull(w.Lease.ClaimID).
		int(w.Lease.Length.Std().Milliseconds()).int(w.Lease.Until.Milli()).intOrNull(w.Lease.Deadline.Milli()))
}

func (p importer) fact(w *tq.Whole, f *tq.WholeFact, l *lane, grant int64) error {
	detail, err := detailText(&f.Detail)
	if err != nil {
		return err
	}
	q := p.c.sql(insertFact).int(f.Seq).int(w.ID).int(f.Rev).int(kindCode(f.Kind)).int(statusCode(f.Status)).
		bool(f.Settles).int(f.Epoch).int(int64(f.Attempt)).int(int64(f.Releases)).int(l.id).
		intOrNull(f.Place).int(f.Due.Milli()).intOrNull(grant).bool(f.Cancel).int(f.At.Milli()).text(f.Actor)
	if f.Hash == nil {
		q.null()
	} else {
		q.blob(f.Hash)
	}
	q.textOrNull(detail)
	if f.Body == nil {
		return p.exec(q.null())
	}
	return p.exec(q.text(*f.Body))
}

func (p importer) asked(w *tq.Whole, l *lane) error {
	a := w.Asked
	deps, err := depsText(a.Deps)
	if err != nil {
		return err
	}
	tags, err := jsonOrEmpty(a.Tags, len(a.Tags) > 0)
	if err != nil {
		return err
	}
	backoff, err := jsonOrEmpty(a.Backoff, a.Backoff != nil)
	if err != nil {
		return err
	}
	q := p.c.sql(insertTask).int(w.ID).int(l.id).int(-int64(a.Priority)).int(int64(a.MaxAttempts)).int(a.CreatedAt.Milli()).
		int(a.RunAt.Milli()).int(a.Timeout.Std().Milliseconds()).intOrNull(a.Parent).textOrNull(a.IdempotencyKey).
		int(keyUntilCode(a.KeyUntil)).int(policyCode(a.OnDepFailure)).textOrNull(deps).textOrNull(tags).textOrNull(backoff).
		textOrNull(a.Traceparent)
	if err := p.exec(q.textOrNull(a.Payload)); err != nil || !w.Keyed {
		return err
	}
	body := keyBody(w.Type, a.MaxAttempts, a.Priority, deps, []byte(a.Payload))
	return p.exec(p.c.sql(putKey).text(w.Queue).text(a.IdempotencyKey).int(w.ID).blob(body[:]))
}

// place writes the row of the place where the task stands.
func (p importer) place(w *tq.Whole, l *lane) error {
	if w.Told != nil {
		if err := p.exec(p.c.sql(insertCascade).int(w.ID).int(*w.Told)); err != nil {
			return err
		}
	}
	f, prio := w.Last(), -int64(w.Asked.Priority)
	switch {
	case f == nil:
		return p.exec(p.c.sql(insertInbox).int(w.ID).int(l.id).text(w.Inbox))
	case f.Status == tq.Pending && f.Place != 0:
		return p.exec(p.c.sql(insertReady).int(l.id).int(prio).int(f.Place).int(w.ID).int(f.Rev).int(f.Epoch).
			int(int64(f.Attempt)).int(int64(f.Releases)).int(f.Due.Milli()))
	case f.Status == tq.Pending:
		return p.exec(p.c.sql(insertDelayed).int(f.Due.Milli()).int(w.ID).int(l.id).int(prio).int(f.Rev).int(f.Epoch).
			int(int64(f.Attempt)).int(int64(f.Releases)))
	case f.Status == tq.Dead:
		return p.exec(p.c.sql(insertDead).int(w.ID).int(l.id).int(f.Rev).int(f.Epoch).int(int64(f.Attempt)).int(f.At.Milli()))
	case f.Status != tq.Blocked:
		return nil
	}
	for _, d := range w.Waits {
		if err := p.exec(p.c.sql(insertEdge).int(d.ID).int(w.ID).int(policyCode(w.Asked.OnDepFailure)).bool(d.Stuck)); err != nil {
			return err
		}
	}
	return p.exec(p.c.sql(insertBlocked).int(w.ID).int(l.id).int(prio).int(int64(len(w.Waits))).int(int64(w.Stuck())).
		int(f.Rev).int(f.Epoch).int(int64(f.Attempt)))
}

func (p importer) act(f *tq.Fact) error {
	detail, err := jsonOrEmpty(f.Detail, f.Detail != tq.FactDetail{})
	if err != nil {
		return err
	}
	return p.exec(p.c.sql(putAct).int(f.Seq).text(string(f.Kind)).text(f.Queue).text(f.Actor).int(f.At.Milli()).textOrNull(detail))
}

const (
	setSequence = `insert into sqlite_sequence (name, seq) select 'tasks', ?1
		where not exists (select 1 from sqlite_sequence where name = 'tasks')`
	raiseSequence = `update sqlite_sequence set seq = max(seq, ?1) where name = 'tasks'`
	putWorker     = `insert into workers (id, name, host, version, owner, types, queues, slots, draining, started_at, seen_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	putToken = `insert into tokens (id, name, hash, rights, created_at, created_by, expires_at, used_at)
		values (?, ?, ?, ?, ?, ?, ?, ?)`
)

func (p importer) ledger(l *tq.Ledger) error {
	p.cache.good = false // who writes next reads everything anew
	for _, text := range []string{
		`delete from counters`, `delete from paused`, `delete from workers`, `delete from tokens`,
		`delete from meta where name >= 'kept_' and name < 'kepu'`,
	} {
		if err := p.exec(p.c.sql(text)); err != nil {
			return err
		}
	}
	for _, text := range []string{setSequence, raiseSequence} {
		if err := p.exec(p.c.sql(text).int(l.LastID)); err != nil {
			return err
		}
	}
	if err := p.c.setMetaInt(metaSeq, l.LastSeq); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(l.Cursors)) {
		if err := p.c.setMetaInt(cursorPrefix+name, l.Cursors[name]); err != nil {
			return err
		}
	}
	for _, queue := range l.Paused {
		if err := p.exec(p.c.sql(pauseQueue).text(queue)); err != nil {
			return err
		}
	}
	if err := p.counts(l.Counts); err != nil {
		return err
	}
	return p.people(l)
}

func (p importer) counts(all []tq.LineCount) error {
	for i := range all {
		n := &all[i]
		in, err := p.intern(laneName{n.Queue, n.Type, n.Project})
		if err != nil {
			return err
		}
		for b := int64(countReady); b <= countCancelled; b++ {
			if err := p.exec(p.c.sql(addCounter).int(in.id).int(b).int(*bucket(n, b))); err != nil {
				return err
			}
		}
	}
	return nil
}

// people writes the registry of workers and the access tokens.
func (p importer) people(l *tq.Ledger) error {
	for i := range l.Workers {
		w := &l.Workers[i]
		types, err := jsonList(w.Types)
		if err != nil {
			return err
		}
		queues, err := jsonList(w.Queues)
		if err != nil {
			return err
		}
		if err := p.exec(p.c.sql(putWorker).text(w.ID).text(w.Name).text(w.Host).text(w.Version).text(w.Owner).text(types).
			text(queues).int(int64(w.Slots)).bool(w.Draining).int(w.StartedAt.Milli()).int(w.SeenAt.Milli())); err != nil {
			return err
		}
	}
	for i := range l.Tokens {
		t := &l.Tokens[i]
		rights, err := json.Marshal(t.Rights)
		if err != nil {
			return err
		}
		if err := p.exec(p.c.sql(putToken).text(t.ID).text(t.Name).blob(t.Hash[:]).text(string(rights)).int(instant(t.CreatedAt)).
			text(t.CreatedBy).int(instant(t.ExpiresAt)).int(instant(t.UsedAt))); err != nil {
			return err
		}
	}
	return nil
}
