package postgres

import (
	"maps"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// What check brings to the hall's audit of one task, for many tasks at once.

const (
	auditFacts = `select ` + factShown + `, coalesce(grant_id, 0), hash, case when kind = 5 then body end from tq.facts
		where task_id > $1 and task_id <= $2 order by task_id, rev limit $3::bigint`
	auditTasks = `select t.id, t.lane, t.max_attempts, t.on_dep, coalesce(t.key, ''), t.key_until, coalesce(t.deps, ''),
			coalesce(k.task_id, 0), i.id is not null, coalesce(b.open, 0), coalesce(b.stuck, 0)
		from tq.tasks t join tq.lanes l on l.id = t.lane
		left join tq.keys k on k.queue = l.queue and k.key = t.key
		left join tq.inbox i on i.id = t.id
		left join tq.blocked b on b.id = t.id
		where t.id > $1 and t.id <= $2 order by t.id limit $3::bigint`
	auditEdges = `select child, parent, policy, stuck from tq.edges where child > $1 and child <= $2`
	auditUntil = `select id, until from tq.grants where id = any($1::bigint[])`
	auditDeps  = `select u.id, t.id is not null, coalesce(f.status, 0::smallint), c.parent is not null
		from unnest($1::bigint[]) u(id) left join tq.tasks t on t.id = u.id left join tq.cascades c on c.parent = u.id
		left join lateral (select status from tq.facts f where f.task_id = u.id order by f.rev desc limit 1) f on true`
)

// auditFact is a fact with what the audit of its task needs beside it.
type auditFact struct {
	tq.Fact
	grant int64
	hash  []byte
	body  *string
}

// auditTask is one task on its way to the audit.
type auditTask struct {
	tq.TaskAudit
	deps []int64
}

// bite meets the tasks behind low, as far as auditBite facts or tasks reach, and
// answers how far that was.
func (k *checker) bite(low, high int64) (int64, error) {
	facts, to, err := k.factsOf(low, high)
	if err != nil {
		return 0, err
	}
	tasks, to, err := k.tasksOf(low, to)
	if err != nil {
		return 0, err
	}
	for id := range facts {
		if tasks[id] == nil && id <= to {
			tasks[id] = &auditTask{TaskAudit: tq.TaskAudit{ID: id}}
		}
	}
	if err := k.waiting(tasks, low, to); err != nil {
		return 0, err
	}
	if err := k.holding(tasks, facts); err != nil {
		return 0, err
	}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		t := tasks[id]
		t.Facts = func(yield func(tq.Fact) bool) {
			for _, f := range facts[id] {
				if !yield(f.Fact) {
					return
				}
			}
		}
		k.found = append(k.found, k.audit.Task(t.TaskAudit)...)
		delete(k.places, id)
	}
	return to, nil
}

// factsOf reads the facts of whole tasks, and to which id it came.
func (k *checker) factsOf(low, high int64) (map[int64][]auditFact, int64, error) {
	for limit := auditBite; ; limit *= 4 {
		rows, err := k.tx.Query(k.ctx, k.texts.of(auditFacts), low, high, limit)
		if err != nil {
			return nil, 0, err
		}
		all, err := pgx.CollectRows(rows, k.scanAuditFact)
		if err != nil {
			return nil, 0, err
		}
		to := high
		if len(all) == limit {
			to = all[limit-1].TaskID - 1 // the last one may have more
		}
		byTask := map[int64][]auditFact{}
		for _, f := range all {
			if f.TaskID <= to {
				byTask[f.TaskID] = append(byTask[f.TaskID], f)
			}
		}
		if to == high || len(byTask) > 0 {
			return byTask, to, nil
		}
	}
}

func (k *checker) scanAuditFact(rows pgx.CollectableRow) (auditFact, error) {
	var f auditFact
	read, err := k.scanFactAnd(rows, &f.grant, &f.hash, &f.body)
	f.Fact, f.hash = read, slices.Clone(f.hash)
	return f, err
}

// tasksOf reads tasks, and to which id it came.
func (k *checker) tasksOf(low, high int64) (map[int64]*auditTask, int64, error) {
	rows, err := k.tx.Query(k.ctx, k.texts.of(auditTasks), low, high, auditBite)
	if err != nil {
		return nil, 0, err
	}
	all, err := pgx.CollectRows(rows, k.scanAuditTask)
	if err != nil {
		return nil, 0, err
	}
	if len(all) == auditBite {
		high = all[auditBite-1].ID
	}
	byID := map[int64]*auditTask{}
	for _, t := range all {
		byID[t.ID] = t
	}
	return byID, high, nil
}

func (k *checker) scanAuditTask(rows pgx.CollectableRow) (*auditTask, error) {
	t := &auditTask{TaskAudit: tq.TaskAudit{Exists: true}}
	var laneID int32
	var maxAttempts, onDep, keyUntil int16
	var deps string
	err := rows.Scan(&t.ID, &laneID, &maxAttempts, &onDep, &t.Key, &keyUntil, &deps,
		&t.KeyHolder, &t.Inbox, &t.OpenCount, &t.StuckCount)
	if err != nil {
		return nil, err
	}
	l, err := k.lane(laneID)
	if err != nil {
		return nil, err
	}
	t.Queue, t.Type, t.Project = l.name.queue, l.name.typ, l.name.project
	t.MaxAttempts, t.OnDepFailure, t.KeyUntil = int(maxAttempts), policyOf(onDep), keyUntilOf(keyUntil)
	return t, readJSON(deps, &t.deps)
}

// waiting brings together the lists of deps, which never change, and the edges
// that still stand.
func (k *checker) waiting(tasks map[int64]*auditTask, low, high int64) error {
	rows, err := k.tx.Query(k.ctx, k.texts.of(auditEdges), low, high)
	if err != nil {
		return err
	}
	type edge struct{ child, parent int64 }
	standing := map[edge]bool{} // → stuck
	var e edge
	var policy, stuck int16
	_, err = pgx.ForEachRow(rows, []any{&e.child, &e.parent, &policy, &stuck}, func() error {
		standing[e] = stuck != 0
		t := tasks[e.child]
		switch {
		case t == nil || !t.Exists: // named as a stray
		case policyOf(policy) != t.OnDepFailure:
			k.broken("I8", e.child, "its edge to task %d has another policy", e.parent)
		case !slices.Contains(t.deps, e.parent):
			k.broken("I8", e.child, "waits for task %d, which it never named", e.parent)
		}
		return nil
	})
	if err != nil {
		return err
	}
	named, err := k.dependencies(tasks)
	for id, t := range tasks {
		for _, dep := range t.deps {
			d := named[dep]
			d.Stuck, d.Open = standing[edge{id, dep}]
			t.Deps = append(t.Deps, d)
		}
	}
	return err
}

// dependencies reads all tasks that some task of the bite names.
func (k *checker) dependencies(tasks map[int64]*auditTask) (map[int64]tq.DependencyRow, error) {
	var ids []int64
	for _, t := range tasks {
		ids = append(ids, t.deps...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	rows, err := k.tx.Query(k.ctx, k.texts.of(auditDeps), slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	named := map[int64]tq.DependencyRow{}
	var id int64
	var exists, telling bool
	var status int16
	_, err = pgx.ForEachRow(rows, []any{&id, &exists, &status, &telling}, func() error {
		d := tq.DependencyRow{ID: id, Telling: telling}
		if exists {
			d.Status = statusOf(status)
		}
		named[id] = d
		return nil
	})
	return named, err
}

// holding adds what the last fact of each task says beyond what the fold knows:
// the grant that holds it, the result and its hash; and where else it stands.
func (k *checker) holding(tasks map[int64]*auditTask, facts map[int64][]auditFact) error {
	grants, err := k.untils(facts)
	if err != nil {
		return err
	}
	for id, t := range tasks {
		t.Places = k.places[id]
		if len(facts[id]) == 0 {
			continue
		}
		last := facts[id][len(facts[id])-1]
		if last.Kind == tq.FactCompleted && last.body != nil {
			t.Result = []byte(*last.body)
		}
		if last.Kind == tq.FactCompleted {
			copy(t.Hash[:], last.hash)
		}
		if until, held := grants[last.grant]; held {
			t.Places = append(slices.Clip(t.Places), tq.PlaceAudit{
				Place: tq.HeldPlace, Rev: last.Rev, Epoch: last.Epoch, Attempt: last.Attempt, Until: tq.FromMilli(until),
			})
		}
	}
	return nil
}

// untils reads until when the grants last that last facts name.
func (k *checker) untils(facts map[int64][]auditFact) (map[int64]int64, error) {
	var ids []int64
	for _, all := range facts {
		if grant := all[len(all)-1].grant; grant != 0 {
			ids = append(ids, grant)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := k.tx.Query(k.ctx, k.texts.of(auditUntil), ids)
	if err != nil {
		return nil, err
	}
	untils := map[int64]int64{}
	var id, until int64
	_, err = pgx.ForEachRow(rows, []any{&id, &until}, func() error {
		untils[id] = until
		return nil
	})
	return untils, err
}
