package postgres

import (
	"context"
	"encoding/json"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Filling a store with what another one holds. Nothing is decided and nothing
// counted here: counters come with the ledger.

// Import writes what a store that is being filled is given.
func (s *Store) Import(ctx context.Context, in tq.Import) error {
	if in.Was.Phase != tq.PhaseFilling {
		return tq.Errorf(tq.CodeInvalidState, "%s is not being filled", s.info.Place)
	}
	if err := s.lanesFor(ctx, lanesOf(&in)); err != nil {
		return err
	}
	return fault("fill", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setUp, s.synchronous()); err != nil {
			return err
		}
		// First, as it opens the sequences that a ledger sets.
		if err := s.swapMove(ctx, tx, in.Was, in.Is); err != nil {
			return err
		}
		p := importer{Store: s, ctx: ctx, tx: tx}
		return p.all(&in)
	}))
}

// lanesOf names the lanes that an import needs.
func lanesOf(in *tq.Import) []tq.NewTask {
	var all []tq.NewTask
	for i := range in.Tasks {
		w := &in.Tasks[i]
		n := tq.NewTask{Queue: w.Queue, Type: w.Type, Project: w.Project}
		if w.Asked != nil {
			n.Priority = w.Asked.Priority
		}
		all = append(all, n)
	}
	if in.Ledger != nil {
		for i := range in.Ledger.Counts {
			n := &in.Ledger.Counts[i]
			all = append(all, tq.NewTask{Queue: n.Queue, Type: n.Type, Project: n.Project})
		}
	}
	return all
}

// importer writes whole tasks in one transaction.
type importer struct {
	*Store
	ctx context.Context
	tx  pgx.Tx

	asked, facts, grants, ready, delayed, blocked, dead, edges, keys, cascades, inbox [][]any
}

const (
	updateSecret = `update tq.meta set value = $1 where name = 'secret'`

	dropReady = `delete from tq.ready r using unnest($1::bigint[]) u(id)
		cross join lateral (select f.lane, f.place from tq.facts f where f.task_id = u.id and f.spot = 1 order by f.rev desc limit 1) f
		where r.lane = f.lane and r.back = 0 and r.pos = f.place and r.id = u.id`
	dropDelayed = `delete from tq.delayed d using unnest($1::bigint[]) u(id)
		cross join lateral (select f.due from tq.facts f where f.task_id = u.id order by f.rev desc limit 1) f
		where d.run_at = f.due and d.id = u.id`
	dropGrants = `delete from tq.grants where id in (
		select f.grant_id from tq.facts f where f.task_id = any($1::bigint[]) and f.grant_id is not null)`
	dropKeys = `delete from tq.keys k using tq.tasks t, tq.lanes l
		where t.id = any($1::bigint[]) and l.id = t.lane and k.queue = l.queue and k.key = t.key and k.task_id = t.id`
	dropBlocked  = `delete from tq.blocked where id = any($1::bigint[])`
	dropCascades = `delete from tq.cascades where parent = any($1::bigint[])`
	dropInbox    = `delete from tq.inbox where id = any($1::bigint[])`

	putKeys = `insert into tq.keys (queue, key, task_id) select * from unnest($1::text[], $2::text[], $3::bigint[])
		on conflict (queue, key) do update set task_id = excluded.task_id`
	putAct = `insert into tq.acts (seq, kind, queue, actor, at, detail) values ($1, $2, $3, $4, $5, nullif($6, '')) on conflict do nothing`
)

func (p *importer) all(in *tq.Import) error {
	if in.Secret != nil {
		if _, err := p.tx.Exec(p.ctx, p.texts.of(updateSecret), in.Secret); err != nil {
			return err
		}
	}
	if !in.Fresh {
		if err := p.clear(in.Tasks); err != nil {
			return err
		}
	}
	for i := range in.Tasks {
		if err := p.task(&in.Tasks[i]); err != nil {
			return err
		}
	}
	if err := p.write(); err != nil {
		return err
	}
	for i := range in.Acts {
		f := &in.Acts[i]
		detail, err := detailText(f.Detail)
		if err != nil {
			return err
		}
		if _, err := p.tx.Exec(p.ctx, p.texts.of(putAct), f.Seq, string(f.Kind), f.Queue, f.Actor, f.At.Milli(), detail); err != nil {
			return err
		}
	}
	if in.Ledger == nil {
		return nil
	}
	return p.ledger(in.Ledger)
}

// clear takes out what earlier imports wrote of these tasks.
func (p *importer) clear(tasks []tq.Whole) error {
	if len(tasks) == 0 {
		return nil
	}
	ids := make([]int64, len(tasks))
	for i := range tasks {
		ids[i] = tasks[i].ID
	}
	b := new(pgx.Batch)
	for _, statement := range []string{
		dropReady, dropDelayed, dropGrants, dropKeys, dropFacts, deleteTasks, deleteOrphans, dropBlocked, dropCascades, dropInbox, deleteDead,
	} {
		b.Queue(p.texts.of(statement), ids)
	}
	return p.tx.SendBatch(p.ctx, b).Close()
}

// task notes the rows of one task.
func (p *importer) task(w *tq.Whole) error {
	name := laneName{w.Queue, w.Type, w.Project, 0}
	if w.Asked != nil {
		name.prio = int16(w.Asked.Priority)
	}
	l := p.lanes.named(name)
	if l == nil {
		return errUnknownLane
	}
	held, grant := w.Held(), int64(0)
	if held >= 0 {
		grant = p.lease(w, w.Facts[held].Seq)
	}
	for i := range w.Facts {
		by := int64(0)
		if held >= 0 && i >= held {
			by = grant
		}
		if err := p.fact(w, &w.Facts[i], l, by); err != nil {
			return err
		}
	}
	if w.Asked == nil {
		return nil
	}
	if err := p.ask(w, l); err != nil {
		return err
	}
	p.place(w, l)
	return nil
}

// lease makes a lease for one task. Its id is below all that batches will ever
// give; its facts are the one at seq.
func (p *importer) lease(w *tq.Whole, seq int64) int64 {
	h := w.Lease
	p.grants = append(p.grants, []any{
		-seq, h.Worker, h.Owner, nullText(h.ClaimID), int32(seq & (1<<31 - 1)), h.Length.Std().Milliseconds(),
		h.Until.Milli(), nullInt(h.Deadline.Milli()), seq - 1, seq + 1,
	})
	return -seq
}

func (p *importer) fact(w *tq.Whole, f *tq.WholeFact, l *lane, grant int64) error {
	detail, err := detailText(f.Detail)
	if err != nil {
		return err
	}
	spot, place := int16(nowhere), f.Place
	switch {
	case f.Place != 0:
		spot = inReady
	case f.Status == tq.Pending:
		spot, place = inDelayed, f.Due.Milli()
	}
	body := f.Body
	if f.Kind == tq.FactLeaseExpired {
		body = &f.Detail.Error
	}
	p.facts = append(p.facts, []any{
		w.ID, f.Rev, f.Seq, kindCode(f.Kind), statusCode(f.Status), f.Settles, f.Epoch, int16(f.Attempt), int32(f.Releases),
		l.id, spot, nullInt(place), nullInt(grant), f.Cancel, f.Due.Milli(), f.At.Milli(), f.Actor, f.Hash, nullText(detail), body,
	})
	return nil
}

func (p *importer) ask(w *tq.Whole, l *lane) error {
	a := w.Asked
	var texts [3]string
	for i, part := range []struct {
		v  any
		is bool
	}{{a.Deps, len(a.Deps) > 0}, {a.Tags, len(a.Tags) > 0}, {a.Backoff, a.Backoff != nil}} {
		if !part.is {
			continue
		}
		b, err := json.Marshal(part.v)
		if err != nil {
			return err
		}
		texts[i] = string(b)
	}
	var body []byte
	if a.IdempotencyKey != "" {
		body = bodyHash(&tq.NewTask{Type: w.Type, Payload: []byte(a.Payload), Priority: a.Priority, MaxAttempts: a.MaxAttempts}, a.Deps)
	}
	p.asked = append(p.asked, []any{
		w.ID, l.id, int16(a.MaxAttempts), a.CreatedAt.Milli(), a.RunAt.Milli(), a.Timeout.Std().Milliseconds(), nullInt(a.Parent),
		nullText(a.IdempotencyKey), body, keyUntilCode(a.KeyUntil), policyCode(a.OnDepFailure), nullText(texts[0]), nullText(texts[1]),
		nullText(texts[2]), nullText(a.Traceparent), nullText(a.Payload),
	})
	if w.Keyed {
		p.keys = append(p.keys, []any{w.Queue, a.IdempotencyKey, w.ID})
	}
	return nil
}

// place notes the row of the place where the task stands.
func (p *importer) place(w *tq.Whole, l *lane) {
	if w.Told != nil {
		p.cascades = append(p.cascades, []any{w.ID, *w.Told})
	}
	f := w.Last()
	switch {
	case f == nil:
		p.inbox = append(p.inbox, []any{w.ID})
	case f.Status == tq.Pending && f.Place != 0:
		p.ready = append(p.ready, []any{
			l.id, int16(0), f.Place, w.ID, f.Rev, f.Epoch, int16(f.Attempt), int32(f.Releases), false, f.Due.Milli(),
		})
	case f.Status == tq.Pending:
		p.delayed = append(p.delayed, []any{f.Due.Milli(), w.ID, l.id, f.Rev, f.Epoch, int16(f.Attempt), int32(f.Releases)})
	case f.Status == tq.Dead:
		p.dead = append(p.dead, []any{w.ID, l.id, f.Rev, f.Epoch, int16(f.Attempt), f.At.Milli()})
	case f.Status == tq.Blocked:
		p.blocked = append(p.blocked, []any{
			w.ID, l.id, int32(len(w.Waits)), int32(w.Stuck()), f.Rev, f.Epoch, int16(f.Attempt), w.Asked.RunAt.Milli(),
		})
		for _, d := range w.Waits {
			stuck := int16(0)
			if d.Stuck {
				stuck = 1
			}
			p.edges = append(p.edges, []any{d.ID, w.ID, policyCode(w.Asked.OnDepFailure), stuck})
		}
	}
}

// write sends what was noted.
func (p *importer) write() error {
	for _, t := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"tasks", []string{
			"id", "lane", "max_attempts", "created_at", "run_at", "timeout", "parent", "key", "key_body", "key_until", "on_dep",
			"deps", "tags", "backoff", "trace", "payload",
		}, p.asked},
		{"facts", []string{
			"task_id", "rev", "seq", "kind", "status", "settles", "epoch", "attempt", "releases", "lane", "spot", "place", "grant_id",
			"cancel", "due", "at", "actor", "hash", "detail", "body",
		}, p.facts},
		{"grants", []string{"id", "worker", "owner", "claim_id", "part", "lease", "until", "deadline", "low", "high"}, p.grants},
		{"ready", []string{"lane", "back", "pos", "id", "rev", "epoch", "attempt", "releases", "due", "ready_at"}, p.ready},
		{"delayed", []string{"run_at", "id", "lane", "rev", "epoch", "attempt", "releases"}, p.delayed},
		{"blocked", []string{"id", "lane", "open", "stuck", "rev", "epoch", "attempt", "run_at"}, p.blocked},
		{"dead", []string{"id", "lane", "rev", "epoch", "attempt", "at"}, p.dead},
		{"edges", []string{"parent", "child", "policy", "stuck"}, p.edges},
		{"cascades", []string{"parent", "child"}, p.cascades},
		{"inbox", []string{"id"}, p.inbox},
	} {
		if len(t.rows) == 0 {
			continue
		}
		if _, err := p.tx.CopyFrom(p.ctx, pgx.Identifier{p.o.Schema, t.name}, t.columns, pgx.CopyFromRows(t.rows)); err != nil {
			return err
		}
	}
	return p.writeKeys()
}

// writeKeys lets a later holder of a key have it; the one before is brought
// again, without it.
func (p *importer) writeKeys() error {
	var queues, keys []string
	var ids []int64
	for _, row := range p.keys {
		queues, keys, ids = append(queues, row[0].(string)), append(keys, row[1].(string)), append(ids, row[2].(int64))
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := p.tx.Exec(p.ctx, p.texts.of(putKeys), queues, keys, ids)
	return err
}

const (
	setBatches = `select setval('tq.batches', greatest((select last_value from tq.batches), $1::bigint / 1024 + 1))`
	setTaskIDs = `select setval('tq.task_ids', greatest(1, $1::bigint), $1::bigint > 0)`
	putCounter = `insert into tq.counters (lane, bucket, n) values ($1, $2, $3)`
	putWorker  = `insert into tq.workers (id, name, host, version, owner, types, queues, slots, draining, started_at, seen_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	putToken = `insert into tq.tokens (id, name, hash, rights, created_at, created_by, expires_at, used_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`
)

func (p *importer) ledger(l *tq.Ledger) error {
	b := new(pgx.Batch)
	for _, statement := range []string{
		`delete from tq.counters`, `delete from tq.deltas`, `delete from tq.paused`, `delete from tq.workers`, `delete from tq.tokens`,
		`delete from tq.marks where name like 'retain %'`,
	} {
		b.Queue(p.texts.of(statement))
	}
	b.Queue(p.texts.of(setBatches), l.LastSeq)
	b.Queue(p.texts.of(setTaskIDs), l.LastID)
	b.Queue(p.texts.of(setMark), markFolded, l.LastSeq)
	for name, seq := range l.Cursors {
		b.Queue(p.texts.of(setMark), cursorPrefix+name, seq)
	}
	for _, queue := range l.Paused {
		b.Queue(p.texts.of(insertPaused), queue)
	}
	if err := p.counts(b, l.Counts); err != nil {
		return err
	}
	for i := range l.Workers {
		w := &l.Workers[i]
		b.Queue(p.texts.of(putWorker), w.ID, w.Name, w.Host, w.Version, w.Owner, list(w.Types), list(w.Queues), w.Slots, w.Draining,
			w.StartedAt.Milli(), w.SeenAt.Milli())
	}
	for i := range l.Tokens {
		t := &l.Tokens[i]
		rights, err := json.Marshal(t.Rights)
		if err != nil {
			return err
		}
		b.Queue(p.texts.of(putToken), t.ID, t.Name, t.Hash[:], string(rights), instant(t.CreatedAt), t.CreatedBy,
			instant(t.ExpiresAt), instant(t.UsedAt))
	}
	return p.tx.SendBatch(p.ctx, b).Close()
}

// counts sets the counters. Those of one queue, type and project are added up
// wherever they are read, so one of its lanes has them all.
func (p *importer) counts(b *pgx.Batch, all []tq.LineCount) error {
	for i := range all {
		n := all[i]
		l := p.lanes.named(laneName{n.Queue, n.Type, n.Project, 0})
		if l == nil {
			return errUnknownLane
		}
		n.Scheduled -= n.Retrying // counted apart here
		for k := int16(bucketReady); k <= bucketCancelled; k++ {
			if v := *bucket(&n, k); v != 0 {
				b.Queue(p.texts.of(putCounter), l.id, k, v)
			}
		}
	}
	return nil
}

func nullText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func nullInt(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
