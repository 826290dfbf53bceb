package sqlite

import "example.com/tq"

// What a task has to do with others: those it waits for and those it begot.

const (
	selectEnd = `select status, body, lane from facts where task_id = ? order by rev desc limit 1`
	// The status of a task that exists, 0 while it is in the inbox.
	selectStanding = `select coalesce((select status from facts where task_id = t.id order by rev desc limit 1), 0)
		from tasks t where t.id = ?`
	// Tasks of one tree, level by level, with the status of each.
	selectTree = `with recursive tree (id) as (
			select id from tasks where parent = ?1
			union all
			select t.id from tree join tasks t on t.parent = tree.id
			limit ?2)
		select (select status from facts where task_id = tree.id order by rev desc limit 1),
			(select lane from tasks where id = tree.id), count(*)
		from tree group by 1, 2`
)

// maxDepResults is how many bytes of its dependencies' results a task shows;
// the rest can be read from them.
const maxDepResults = tq.MaxBatchBytes

func (r *taskReader) relations(t *tq.Task, deps []int64) error {
	left := maxDepResults
	for _, id := range deps {
		d, err := r.dep(id, left)
		if err != nil {
			return err
		}
		left -= len(d.Result)
		t.Deps = append(t.Deps, d)
	}
	return r.children(t)
}

// dep reads where a dependency stands; one that was deleted is as it was at its
// end, without a result, until its facts are gone as well.
func (r *taskReader) dep(id int64, room int) (tq.Dep, error) {
	d := tq.Dep{ID: id}
	q := r.c.sql(selectEnd).int(id)
	if !q.next() {
		return r.unwritten(d, q.end())
	}
	d.Status = statusOf(q.colInt(0))
	body, lane := q.colBytes(1), q.colInt(2)
	sees, err := r.sees(lane)
	if err != nil {
		return d, join(err, q.end())
	}
	if sees && d.Status == tq.Completed && len(body) <= room {
		d.Result = body
	}
	return d, q.end()
}

// unwritten is a dependency without facts: a task that is new, or none at all.
func (r *taskReader) unwritten(d tq.Dep, err error) (tq.Dep, error) {
	if err != nil {
		return d, err
	}
	q := r.c.sql(selectStanding).int(d.ID)
	if q.next() {
		d.Status = statusOf(q.colInt(0))
	}
	return d, q.end()
}

func (r *taskReader) children(t *tq.Task) error {
	q := r.c.sql(selectTree).int(t.ID).int(tq.MaxTree)
	for q.next() {
		sees, err := r.sees(q.colInt(1))
		if err != nil {
			return join(err, q.end())
		}
		if !sees {
			continue
		}
		if t.Children == nil {
			t.Children = make(map[tq.Status]int)
		}
		t.Children[statusOf(q.colInt(0))] += int(q.colInt(2))
	}
	return q.end()
}

// sees reports whether tasks of a lane are within the rights of who reads.
func (r *taskReader) sees(lane int64) (bool, error) {
	if r.only == nil {
		return true, nil
	}
	l, err := r.lanes.get(r.c, lane)
	return l != nil && r.only.Sees(l.queue, l.typ), err
}
