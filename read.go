package tq

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Task implements Client.
func (b *Broker) Task(ctx context.Context, in TaskIn) (Task, error) {
	if err := b.may(CanRead); err != nil {
		return Task{}, err
	}
	page, err := b.store.Tasks(ctx, TaskQuery{IDs: []int64{in.ID}, Limit: 1, Payload: true, Relation: true, Only: b.sight()})
	if err != nil {
		return Task{}, err
	}
	if len(page.Tasks) == 0 {
		return Task{}, noTask(in.ID)
	}
	return shown(page.Tasks[0]), nil
}

func noTask(id int64) *Error {
	e := Errorf(CodeNotFound, "no task %d", id)
	e.TaskID = id
	return e.WithHint("see what there is: tq list")
}

// Tasks implements Client.
func (b *Broker) Tasks(ctx context.Context, in TasksIn) (TasksOut, error) {
	if err := b.may(CanRead); err != nil {
		return TasksOut{}, err
	}
	q, err := in.query()
	if err != nil {
		return TasksOut{}, err
	}
	q.Only = b.sight()
	page, err := b.store.Tasks(ctx, q)
	if err != nil {
		return TasksOut{}, err
	}
	out := TasksOut{Tasks: allShown(page.Tasks), Searched: page.Searched}
	if page.More {
		out.Cursor = cursorPrefix + strconv.FormatInt(page.Next, 36)
	}
	return out, nil
}

// cursorPrefix marks a cursor as ours, so that an id in its place is refused.
const cursorPrefix = "c"

func (in TasksIn) query() (TaskQuery, error) {
	if in.Limit == 0 {
		in.Limit = DefaultPage
	}
	status, err := ParseStatus(in.Status)
	if err != nil {
		return TaskQuery{}, err
	}
	for _, err := range []*Error{
		checkRange("limit", in.Limit, 1, MaxPage),
		checkLabel("queue", in.Queue, MaxQueueName),
		checkLabel("type", in.Type, MaxTypeName),
		checkLabel("project", in.Project, MaxProject),
		checkLabel("key", in.Key, MaxKey),
		checkLabel("q", in.Search, MaxKey),
		checkWord("fields", in.Fields, "", "payload"),
		checkParent(in.Parent),
	} {
		if err != nil {
			return TaskQuery{}, err
		}
	}
	where, err := parseSelection(in.Filter)
	if err != nil {
		return TaskQuery{}, err
	}
	q := TaskQuery{
		Queue: in.Queue, Status: status, Type: in.Type, Project: in.Project, Parent: in.Parent,
		Key: in.Key, Search: in.Search, Limit: in.Limit, Payload: in.Fields == "payload", Where: where,
	}
	if where != nil {
		where.narrow(&q)
	}
	if in.Cursor == "" {
		return q, nil
	}
	text, ours := strings.CutPrefix(in.Cursor, cursorPrefix)
	before, perr := strconv.ParseInt(text, 36, 64)
	if !ours || perr != nil || before <= 0 {
		return q, invalidField("cursor", "malformed", "is not a cursor of ours").
			WithHint("send the cursor from the last page, or none to start over")
	}
	q.Before = before
	return q, nil
}

// ParseStatus reads a status, a label or one of the words that users of other
// queues know (claimed, done, failed). "" is all.
func ParseStatus(s string) (string, error) {
	switch s {
	case "", Ready, Scheduled, Retrying:
		return s, nil
	case "claimed":
		return string(Running), nil
	case "done":
		return string(Completed), nil
	case "failed":
		return Retrying, nil
	}
	for _, known := range Statuses() {
		if s == string(known) {
			return s, nil
		}
	}
	return "", invalidField("status", "unknown_value",
		"is %s, want blocked, pending, ready, scheduled, retrying, running, completed, dead or cancelled", quote(s))
}

// Facts implements Client.
func (b *Broker) Facts(ctx context.Context, in FactsIn) (FactsOut, error) {
	if err := b.may(CanRead); err != nil {
		return FactsOut{}, err
	}
	q, err := in.query()
	if err != nil {
		return FactsOut{}, err
	}
	q.Only = b.sight()
	deadline := time.Now().Add(in.Wait.Std())
	for {
		changed := b.room.next()
		facts, err := b.store.Facts(ctx, q)
		left := time.Until(deadline)
		if err != nil || len(facts) > 0 || left <= 0 || b.room.isClosed() {
			return FactsOut{Facts: facts}, err
		}
		if !sleep(ctx, min(left, time.Second), changed) {
			return FactsOut{}, ctx.Err()
		}
	}
}

func (in FactsIn) query() (FactQuery, error) {
	if in.Limit == 0 {
		in.Limit = DefaultPage
	}
	for _, err := range []*Error{
		checkRange("limit", in.Limit, 1, MaxPage),
		checkDuration("wait_seconds", in.Wait, 0, MaxWait),
		checkLabel("queue", in.Queue, MaxQueueName),
		checkLabel("type", in.Type, MaxTypeName),
	} {
		if err != nil {
			return FactQuery{}, err
		}
	}
	if in.After < 0 {
		return FactQuery{}, invalidField("after", "out_of_range", "is %d, want the seq of a fact, or 0", in.After)
	}
	return FactQuery{
		After: in.After, TaskID: in.TaskID, Queue: in.Queue, Type: in.Type,
		Kinds: in.Kinds, Limit: in.Limit, Last: in.Last,
	}, nil
}

// Wait implements Client.
func (b *Broker) Wait(ctx context.Context, in WaitIn) (TasksOut, error) {
	if err := b.may(CanRead); err != nil {
		return TasksOut{}, err
	}
	if err := checkCount("ids", len(in.IDs)); err != nil {
		return TasksOut{}, err
	}
	if err := checkDuration("wait_seconds", in.Wait, 0, MaxWait); err != nil {
		return TasksOut{}, err
	}
	deadline := time.Now().Add(in.Wait.Std())
	for {
		changed := b.room.next()
		tasks, err := b.byID(ctx, in.IDs)
		if err != nil {
			return TasksOut{}, err
		}
		left := time.Until(deadline)
		if allEnded(tasks) || left <= 0 || b.room.isClosed() {
			return TasksOut{Tasks: tasks}, nil
		}
		if !sleep(ctx, min(left, b.room.backstop()), changed) {
			return TasksOut{}, ctx.Err()
		}
	}
}

// byID reads tasks in the order of ids; all must exist.
func (b *Broker) byID(ctx context.Context, ids []int64) ([]Task, error) {
	page, err := b.store.Tasks(ctx, TaskQuery{IDs: ids, Limit: len(ids), Payload: true, Only: b.sight()})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]Task, len(page.Tasks))
	for _, t := range allShown(page.Tasks) {
		found[t.ID] = t
	}
	tasks := make([]Task, len(ids))
	for i, id := range ids {
		t, ok := found[id]
		if !ok {
			return nil, noTask(id)
		}
		tasks[i] = t
	}
	return tasks, nil
}

func allEnded(tasks []Task) bool {
	for i := range tasks {
		if !tasks[i].Status.Terminal() {
			return false
		}
	}
	return true
}
