package sqlite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

func TestCheckFindsNothingInASoundStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	z := zoo(w)
	w.change(z["cancelled"], tq.EventDelete, tq.Arg{}, "")
	dead := w.enqueueOne(tq.NewTask{Type: "e", IdempotencyKey: "k", KeyUntil: tq.KeyUntilTerminal})
	waits := w.enqueueOne(tq.NewTask{Deps: []tq.Ref{tq.ID(dead), tq.ID(z["ready"])}})
	w.enqueueOne(tq.NewTask{Deps: []tq.Ref{tq.ID(dead)}, OnDepFailure: tq.DepRun, IdempotencyKey: "k2"})
	c := w.claim(tq.ClaimQuery{Types: []string{"e"}}, dead)
	w.change(dead, tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch, GiveUp: true}, "no")
	equal(t, "status", w.task(waits).Status, tq.Blocked)
	census, err := w.Queues(w.ctx())
	if err != nil {
		t.Fatal(err)
	}
	stuck := int64(0)
	for _, n := range census.Lines {
		stuck += n.BlockedByDead
	}
	equal(t, "blocked by dead", stuck, 1)
	w.sound()
	w.change(dead, tq.EventRescue, tq.Arg{}, "")
	w.sound()
}

// Each invariant broken on purpose, behind the store's back.
func TestCheckNamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, script, want string }{
		{"status of a fact", `update facts set status = 2 where task_id = {running} and rev = 2`, "I1"},
		{"ready row lost", `delete from ready where id = {ready}`, "I1"},
		{"ready row of another epoch", `update ready set epoch = 7 where id = {ready}`, "I1"},
		{"delayed row twice", `insert into delayed select run_at + 1, id, lane, prio, rev, epoch, attempt, releases from delayed
			where id = {scheduled}`, "I1"},
		{"ready row of nothing", `insert into ready select lane, prio, 999999, 999999, 1, 0, 0, 0, 0 from ready where id = {ready}`, "I1"},
		{"facts lost", `delete from facts where task_id = {ready}`, "I1"},
		{"grant lost", `delete from grants`, "I1"},
		{"settled twice", `update facts set settles = 1 where task_id = {completed} and rev = 2`, "I2"},
		{"epoch raised", `update facts set epoch = 9 where task_id = {dead} and rev = 4`, "I3"},
		{"leased after its end", `update facts set grant_id = (select min(id) from grants) where task_id = {completed} and rev = 3`, "I4"},
		{"task lost", `delete from tasks where id = {completed}`, "I5"},
		{"result changed", `update facts set body = '2' where task_id = {completed} and rev = 3`, "I6"},
		{"over budget", `update tasks set max_attempts = 0 where id = {running}`, "I7"},
		{"edge lost", `delete from edges`, "I8"},
		{"miscounted", `update blocked set open = 2`, "I8"},
		{"blocked row lost", `delete from blocked`, "I1"},
		{"edge of nothing", `insert into edges select parent, 999999, policy, stuck from edges`, "I8"},
		{"edge to a stranger", `insert into edges select {running}, child, policy, stuck from edges`, "I8"},
		{"edge of another policy", `update edges set policy = 2`, "I8"},
		{"edge marked dead", `update edges set stuck = 1; update blocked set stuck = 1`, "I8"},
		{"fact lost", `delete from facts where task_id = {completed} and rev = 2`, "I9"},
		{"lease long over", `update grants set until = until - 600000`, "I10"},
		{"key lost", `delete from keys`, "I11"},
		{"key of another task", `update keys set task_id = {ready}`, "I11"},
		{"counter", `update counters set n = n + 1 where bucket = 7`, "I13"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			z := zoo(w)
			w.enqueueOne(tq.NewTask{IdempotencyKey: "k"})
			w.sound()
			text := x.script
			for name, id := range z {
				text = strings.ReplaceAll(text, "{"+name+"}", string(tq.ID(id)))
			}
			w.script(text)
			found := w.broken()
			if !slices.ContainsFunc(found, func(v tq.Violation) bool { return v.Invariant == x.want }) {
				t.Errorf("found %v, want %s", found, x.want)
			}
			w.broke()
		})
	}
}

func TestCheckAnswersABoundedListOfViolations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		w.enqueue(make([]tq.NewTask, tq.MaxBatch)...)
	}
	w.script(`delete from ready`)
	equal(t, "violations", len(w.broken()), maxViolations)
	w.broke()
}

func TestCheckFindsALeaseTokenInAFact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.enqueueOne(tq.NewTask{})
	c := w.claim(tq.ClaimQuery{}, id)
	token := tq.SignToken(w.Info().Secret, id, c[0].Task.Epoch)
	delay := time.Second
	w.change(id, tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch, Delay: &delay}, "my token is "+token)
	if found := w.broken(); len(found) != 1 || found[0].Invariant != "I12" {
		t.Errorf("found %v, want I12", found)
	}
	w.broke()
}
