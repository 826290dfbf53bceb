package storetest

import (
	"slices"
	"strconv"
	"time"

	"example.com/tq"
)

// The filter language: what it selects is the same on every engine and door.

func filterPromises() []promise {
	return []promise{
		{"S01 a filter selects the same tasks everywhere", filtersSelect},
		{"S01 a filter goes on from page to page", filtersPage},
		{"S01 a filter that cannot be read is refused with its place", filtersAreRead},
	}
}

func filtersSelect(q *Queue) {
	dead := q.started(tq.NewTask{Queue: "a", Payload: []byte(`{"shard":7,"big":9007199254740993}`), MaxAttempts: 1, Priority: 5})
	q.fail(dead, "dial db-7: timed out after 3 s")
	q.pass(2 * time.Hour)
	held := q.started(tq.NewTask{Queue: "b", Project: "my shop", Tags: []string{"nightly"}, IdempotencyKey: "k-1"})
	waits := q.enqueue(tq.NewTask{Queue: "a", Type: "wait", Deps: []tq.Ref{tq.ID(held.ID)}})
	child := q.enqueue(tq.NewTask{Queue: "c", Type: "child", Parent: held.ID, Delay: tq.Duration(time.Hour), Payload: []byte(`"timed out"`)})
	fp, _ := tq.Fingerprint(dead.Type, "dial db-7: timed out after 3 s")
	for filter, want := range map[string][]int64{
		"":                             {child, waits, held.ID, dead.ID},
		"queue:a,c":                    {child, waits, dead.ID},
		"status:dead,blocked":          {waits, dead.ID},
		"-status:dead,blocked":         {child, held.ID},
		"status:scheduled":             {child},
		"status:claimed":               {held.ID},
		"type:wait,child -queue:c":     {waits},
		`project:"my shop"`:            {held.ID},
		"tag:nightly,daily key:k-1":    {held.ID},
		"dep:" + id(held.ID):           {waits},
		"parent:" + id(held.ID):        {child},
		"#" + id(dead.ID):              {dead.ID},
		"id:" + id(dead.ID) + ",9999":  {dead.ID},
		`error:"timed out"`:            {dead.ID},
		`"timed out"`:                  {child, dead.ID},
		"payload.shard:7":              {dead.ID},
		"payload.big:9007199254740993": {dead.ID},
		"age:>1h":                      {dead.ID},
		"try:1 prio:<=0":               {held.ID},
		"prio:>=5":                     {dead.ID},
		"fp:" + fp[:8]:                 {dead.ID},
		"status:dead queue:b":          nil,
	} {
		slices.Sort(want)
		same(q, "selected by "+filter, q.listed(tq.TasksIn{Filter: filter}), want)
	}
	same(q, "selected by a field and a filter", q.listed(tq.TasksIn{Queue: "a", Filter: "status:dead"}), []int64{dead.ID})
	same(q, "payload of a list", q.list(tq.TasksIn{Filter: "payload.shard:7"})[0].Payload, nil)
	same(q, "dependencies of a list", len(q.list(tq.TasksIn{Filter: "dep:" + id(held.ID)})[0].Deps), 0)
}

// id is a task's id in a filter.
func id(n int64) string { return strconv.FormatInt(n, 10) }

func filtersPage(q *Queue) {
	want := q.enqueueN(7, tq.NewTask{Queue: "a"})
	q.enqueueN(3, tq.NewTask{Queue: "b"})
	slices.Reverse(want)
	var got []int64
	in := tq.TasksIn{Filter: "queue:a,none", Limit: 3}
	for range len(want) {
		out, err := q.Client.Tasks(q.ctx(), in)
		q.must("a page", err)
		for _, t := range out.Tasks {
			got = append(got, t.ID)
		}
		if in.Cursor = out.Cursor; in.Cursor == "" {
			break
		}
	}
	same(q, "over all pages", got, want)
}

func filtersAreRead(q *Queue) {
	_, err := q.Client.Tasks(q.ctx(), tq.TasksIn{Filter: "queue:a stauts:dead"})
	e := q.refused("an unknown field", err, tq.CodeInvalid)
	same(q, "the refusal", e.Message, "filter: at character 9: unknown field stauts: did you mean status?")
	_, err = q.Client.Tasks(q.ctx(), tq.TasksIn{Filter: "sort:prio"})
	q.refused("an order that lists do not have", err, tq.CodeInvalid)
}
