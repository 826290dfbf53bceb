package storetest

import "example.com/tq"

// Spec §1, S3: what is not in the table of transitions is refused with
// invalid_state and changes nothing.

func refusalPromises() []promise {
	return []promise{
		{"S03 what is not in the table is refused and changes nothing", refusals},
		{"S03 a task that is not there is not found", unknownIDs},
		{"S03 rows of one call stand alone", rowsStandAlone},
	}
}

func refusals(q *Queue) {
	z := newZoo(q)
	cancel := func(id int64) tq.ChangedTask { return q.tryCancel(tq.CancelIn{IDs: []int64{id}}) }
	force := func(id int64) tq.ChangedTask { return q.tryCancel(tq.CancelIn{IDs: []int64{id}, Force: true}) }
	rescue := func(id int64) tq.ChangedTask { return q.tryRescue(tq.RescueIn{IDs: []int64{id}}) }
	for _, r := range []struct {
		what   string
		do     func(int64) tq.ChangedTask
		labels []string
	}{
		{"cancel", cancel, []string{"completed", "dead"}},
		{"cancel by force", force, []string{"completed", "dead"}},
		{"rescue", rescue, []string{"completed"}},
		{"requeue", q.tryRequeue, []string{"completed", "running", "blocked"}},
		{"delete", q.tryDelete, []string{"ready", "scheduled", "retrying", "blocked", "running"}},
	} {
		for _, label := range r.labels {
			q.unchanged(r.what+" of a "+label+" task", func() {
				e := q.rowRefused(r.what+" of a "+label+" task", r.do(z[label]).Error, tq.CodeInvalidState)
				same(q, "task in the refusal", e.TaskID, z[label])
				same(q, "status in the refusal", e.Status, q.task(z[label]).Status)
			})
		}
	}
}

func unknownIDs(q *Queue) {
	const nobody = 4711
	q.unchanged("acts on a task that is not there", func() {
		for what, c := range map[string]tq.ChangedTask{
			"cancel":  q.tryCancel(tq.CancelIn{IDs: []int64{nobody}}),
			"rescue":  q.tryRescue(tq.RescueIn{IDs: []int64{nobody}}),
			"requeue": q.tryRequeue(nobody),
			"delete":  q.tryDelete(nobody),
		} {
			e := q.rowRefused(what, c.Error, tq.CodeNotFound)
			same(q, "task in the refusal", e.TaskID, nobody)
		}
		_, err := q.Client.Task(q.ctx(), tq.TaskIn{ID: nobody})
		q.refused("read", err, tq.CodeNotFound)
		_, err = q.Client.Explain(q.ctx(), tq.ExplainIn{ID: nobody})
		q.refused("explain", err, tq.CodeNotFound)
		_, err = q.Client.Wait(q.ctx(), tq.WaitIn{IDs: []int64{nobody}})
		q.refused("wait", err, tq.CodeNotFound)
	})
}

func rowsStandAlone(q *Queue) {
	z := newZoo(q)
	out, err := q.Client.Cancel(q.ctx(), tq.CancelIn{IDs: []int64{z["completed"], 4711, z["ready"], z["ready"]}})
	q.must("cancel", err)
	same(q, "answers", len(out.Tasks), 4)
	q.rowRefused("first row", out.Tasks[0].Error, tq.CodeInvalidState)
	q.rowRefused("second row", out.Tasks[1].Error, tq.CodeNotFound)
	same(q, "third row", out.Tasks[2], tq.ChangedTask{ID: z["ready"], Status: tq.Cancelled, Changed: true})
	same(q, "fourth row, a repeat", out.Tasks[3], tq.ChangedTask{ID: z["ready"], Status: tq.Cancelled})
}
