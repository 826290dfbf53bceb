package storetest

import (
	"fmt"
	"strings"

	"example.com/tq"
)

// causes is how many are dead of each cause, by title.
func (q *Queue) causes() map[string]int64 {
	q.t.Helper()
	out, err := q.Client.Errors(q.ctx(), tq.ErrorsIn{})
	q.must("errors", err)
	same(q, "causes left out", out.Left, 0)
	dead := map[string]int64{}
	for _, g := range out.Groups {
		dead[g.Title] = g.Dead
	}
	return dead
}

// die lets n tasks die of a cause, which is a little different in each.
func (q *Queue) die(n int, of string) []int64 {
	q.t.Helper()
	all := q.enqueueN(n, tq.NewTask{MaxAttempts: 1})
	for settled := 0; settled < n; {
		var fails []tq.FailLease
		for _, c := range q.claimSome(tq.ClaimIn{Max: tq.MaxClaim}) {
			fails = append(fails, tq.FailLease{LeaseToken: c.LeaseToken, Error: fmt.Sprintf(of, c.ID)})
		}
		_, err := q.Client.Fail(q.ctx(), tq.FailIn{Leases: fails})
		q.must("fail", err)
		settled += len(fails)
	}
	return all
}

// manyCauses has more dead than a sweep names at once, and than a read may name
// (which is lowered for it). The oldest cause is behind all others.
func manyCauses(q *Queue) {
	const few, many = 3, 2*tq.NameBite + 50
	rare := q.die(few, "disk %d is full")
	q.die(many, "shard %d timed out")
	want := map[string]int64{"disk <n> is full": few, "shard <n> timed out": many}
	same(q, "causes before a sweep", q.causes(), want)
	got, err := q.Store.Causes(q.ctx(), tq.CauseQuery{MostUnnamed: 10})
	q.must("causes", err)
	counted := got.Unnamed
	for _, l := range got.Lines {
		counted += l.Dead
	}
	same(q, "the dead that are counted or said to be unnamed", counted, int64(few+many))

	cause, _ := tq.Fingerprint("work", "disk 1 is full")
	ofCause := func(filter string) []int64 { return q.listed(tq.TasksIn{Filter: filter, Limit: tq.MaxPage}) }
	same(q, "of the rare cause before a sweep", ofCause("status:dead fp:"+cause), rare)

	q.sweep()
	same(q, "causes after sweeps", q.causes(), want)
	got, err = q.Store.Causes(q.ctx(), tq.CauseQuery{MostUnnamed: 1})
	q.must("causes", err)
	same(q, "unnamed after sweeps", got.Unnamed, 0)

	same(q, "of the rare cause", ofCause("status:dead fp:"+cause), rare)
	same(q, "of its queue", ofCause("status:dead queue:default fp:"+strings.ToUpper(cause)), rare)
	same(q, "of another queue", ofCause("status:dead queue:none fp:"+cause), nil)
	same(q, "of what begins like it", ofCause("status:dead fp:"+cause[:6]), rare)
	same(q, "of another status", ofCause("status:completed fp:"+cause), nil)
	same(q, "of no status", ofCause("fp:"+cause), rare)
	_, err = q.Client.Rescue(q.ctx(), tq.RescueIn{IDs: rare[:1]})
	q.must("rescue", err)
	_, err = q.Client.Delete(q.ctx(), tq.DeleteIn{IDs: rare[1:2]})
	q.must("delete", err)
	want["disk <n> is full"] = 1
	same(q, "causes after a rescue and a delete", q.causes(), want)
	same(q, "the one left", ofCause("status:dead fp:"+cause), rare[2:])
	q.die(1, "disk %d is full") // and with it the one that was rescued
	want["disk <n> is full"] = 3
	same(q, "causes when one dies again", q.causes(), want)
}
