package rigs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// A hub and two workers, each on a machine of its own with a token of its own.
// Tasks come in with curl. One worker is killed, one is cut off for longer than
// its leases, and so is somebody who works by hand.

const (
	hubAddress = serverAddress + ":8080"
	hubHands   = 2  // of worker two; worker one has room for what that loses, and a task more
	hubTasks   = 30 // of each of two batches
)

type journey struct {
	*testing.T
	ctx            context.Context
	file           string
	network        *network
	desk, one, two *machine
	tokens         map[string]string
	witness        *witness
	tasks          int
}

func TestTheHubSettlesOnceWhatWorkersLose(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	hub := begin(j.network.server, "hub", []string{"TQ_DB=" + j.file}, "serve", "--addr", hubAddress, "--insecure")
	hub.awaitSaid(j.ctx, "serving ")
	first := j.work(j.one)
	second := j.work(j.two)

	j.enqueue()
	killed := j.killed(first)
	first = j.work(j.one) // as whatever keeps services running does
	j.enqueue()
	cut := j.cutOff(second)
	j.wait()

	first.stop()
	second.stop()
	hub.stop()
	j.check(killed, cut)
}

func newJourney(t *testing.T) *journey {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(stop)
	j := &journey{T: t, ctx: ctx, file: filepath.Join(t.TempDir(), "tq.db"), tokens: map[string]string{}, witness: newWitness(t)}
	j.network = newNetwork(t, "desk", "one", "two")
	j.desk, j.one, j.two = j.network.machines[0], j.network.machines[1], j.network.machines[2]
	for _, m := range j.network.machines {
		can := "claim"
		if m == j.desk {
			can = "enqueue,read"
		}
		j.tokens[m.name] = j.tq("token", "create", "--name", m.name, "--can", can, "--queue", "builds", "--type", "*,sh")
	}
	j.witness.serve(j.one)
	j.witness.serve(j.two)
	return j
}

// tq runs a command on the hub's machine, on the file itself.
func (j *journey) tq(args ...string) string {
	j.Helper()
	out, err := j.network.server.output(j.network.server.tq([]string{"TQ_DB=" + j.file}, args...))
	if err != nil {
		j.Fatal(err)
	}
	return out
}

func (j *journey) env(m *machine) []string {
	return []string{"TQ_DB=http://" + hubAddress, "TQ_TOKEN=" + j.tokens[m.name]}
}

func (j *journey) work(m *machine) *process {
	j.Helper()
	return work(m, m.name, j.env(m), "--insecure", "--queue", "builds", "--type", "sh", "--concurrency", itoa(j.hands(m)), "--lease", fleetLease.String())
}

func (j *journey) hands(m *machine) int {
	if m == j.one {
		return hubHands + 1
	}
	return hubHands
}

// curl posts a body to the hub from a machine, as its token, and reads the
// answer.
func (j *journey) curl(m *machine, path string, body, answer any) (status string) {
	j.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		j.Fatal(err)
	}
	cmd := m.command("curl", "-sS", "--max-time", "30", "-w", "\n%{http_code}", "-H", "Authorization: Bearer "+j.tokens[m.name],
		"-H", "Content-Type: application/json", "--data-raw", string(text), "http://"+hubAddress+path)
	out, err := m.output(cmd)
	if err != nil {
		j.Fatal(err)
	}
	at := strings.LastIndexByte(out, '\n')
	if err := json.Unmarshal([]byte(out[:max(0, at)]), answer); err != nil {
		j.Fatalf("curl %s: %v\n%s", path, err, out)
	}
	return out[at+1:]
}

// enqueue sends a batch. Each task is a process that calls the witness.
func (j *journey) enqueue() {
	j.Helper()
	payload, err := json.Marshal(witnessCall)
	if err != nil {
		j.Fatal(err)
	}
	var in tq.EnqueueIn
	for range hubTasks {
		in.Tasks = append(in.Tasks, tq.NewTask{Queue: "builds", Type: tq.TypeShell, Payload: payload})
	}
	var out tq.EnqueueOut
	if status := j.curl(j.desk, "/v1/tasks/batch", in, &out); status != "201" || len(out.Tasks) != hubTasks {
		j.Fatalf("the batch was answered %s with %d tasks", status, len(out.Tasks))
	}
	j.tasks += hubTasks
}

// standStill waits until every hand of the workers on these machines is held.
func (j *journey) standStill(machines ...*machine) {
	j.Helper()
	for _, m := range machines {
		j.witness.hold(m)
	}
	for _, m := range machines {
		j.witness.awaitCount(j.ctx, m, live, j.hands(m), "held")
	}
}

// killed kills a worker over its tasks, which the other one takes over. It
// returns the attempts that were broken off.
func (j *journey) killed(w *process) []*attempt {
	j.Helper()
	j.standStill(j.one, j.two)
	w.kill()
	j.witness.release(j.two)
	j.witness.awaitCount(j.ctx, j.one, j.witness.takenOver, j.hands(j.one), "taken over")
	j.witness.release(j.one)
	return j.broken(j.one)
}

// broken lists the attempts that were held on a machine and broken off; their
// processes are dead.
func (j *journey) broken(m *machine) []*attempt {
	j.Helper()
	var broken []*attempt
	j.witness.await(j.ctx, "nothing of it runs on "+m.name, func() bool {
		broken = nil
		for _, a := range j.witness.all() {
			if a.held && a.machine == m.name && j.witness.takenOver(a) {
				broken = append(broken, a)
			}
		}
		return j.witness.count(m, func(a *attempt) bool { return !a.over && j.witness.takenOver(a) }) == 0
	})
	for _, a := range broken {
		if !a.cut || lives(a.pid) {
			j.Errorf("task %d still ran on %s when another had it", a.task, m.name)
		}
	}
	return broken
}

// lives reports whether a process has not ended; one that nobody has waited for
// yet has.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// cutOff cuts a worker off for longer than its leases, and somebody beside it
// who has claimed a task with curl.
func (j *journey) cutOff(w *process) []*attempt {
	j.Helper()
	j.standStill(j.one, j.two)
	var claim tq.ClaimOut
	ask := tq.ClaimIn{
		Queues: []string{"builds"}, Types: []string{tq.TypeShell}, Max: 1,
		Lease: tq.Duration(fleetLease), Worker: tq.WorkerInfo{Name: "by hand"},
	}
	if status := j.curl(j.two, "/v1/claims", ask, &claim); status != "200" || len(claim.Tasks) != 1 {
		j.Fatalf("the claim was answered %s with %d tasks", status, len(claim.Tasks))
	}
	hand := claim.Tasks[0]
	work, _ := j.witness.begin(attempt{task: hand.ID, fence: hand.Epoch, machine: j.two.name})
	j.witness.end(work, true) // he knows when to stop

	j.network.cut(j.two)
	j.witness.holdTakeOvers()
	j.witness.release(j.one)
	j.witness.awaitCount(j.ctx, j.two, j.witness.takenOver, hubHands+1, "taken over")
	broken := j.broken(j.two) // before anybody could tell them
	j.witness.release(j.two)
	j.network.heal(j.two)

	settle := tq.CompleteLease{TaskID: hand.ID, LeaseToken: hand.LeaseToken, Result: json.RawMessage(`"by hand"`)}
	var problem struct {
		Code   tq.Code
		Reason string
	}
	if status := j.curl(j.two, "/v1/leases/complete", settle, &problem); status != "409" || problem.Code != tq.CodeLeaseLost || problem.Reason != "reclaimed" {
		j.Errorf("a stale settle was answered %s %+v", status, problem)
	}
	w.awaitRefusals(j.ctx, hubHands)
	j.witness.releaseTakeOvers()
	return broken
}

// wait waits until every task has run, and the hub knows of it.
func (j *journey) wait() {
	j.Helper()
	ids := []string{"wait", "--timeout", "2m", "--insecure"}
	for id := range int64(j.tasks) {
		ids = append(ids, itoa(id+1))
	}
	if _, err := j.desk.output(j.desk.tq(j.env(j.desk), ids...)); err != nil {
		j.Fatal(err)
	}
}

// check reads the journal. The file has never held anything else.
func (j *journey) check(killed, cut []*attempt) {
	j.Helper()
	if out := j.tq("check"); !strings.HasPrefix(out, "ok") {
		j.Errorf("check: %s", out)
	}
	l := readLedger(j.T, j.tq("facts", "--json"))
	lost := j.tasks - len(l.tasks)
	for id, a := range l.tasks {
		if len(a.completed) != 1 {
			j.Errorf("task %d was completed %d times", id, len(a.completed))
			lost++
		}
	}
	for _, a := range j.witness.all() {
		if len(a.beside) > 0 {
			j.Errorf("task %d ran with fence %d beside an attempt before it", a.task, a.fence)
		}
	}
	j.Logf("2 workers of a hub, %d tasks: lost %d, stale settles accepted %d, two leases at once %d, leases expired %d, "+
		"attempts of the killed ended %d, of those who were cut off %d",
		j.tasks, lost, l.accepted, l.twice, l.counts[tq.FactLeaseExpired], len(killed), len(cut))
	if lost != 0 || l.accepted != 0 || l.twice != 0 || l.early != 0 {
		j.Errorf("lost %d, stale settles accepted %d, two leases at once %d, leases that ended early %d", lost, l.accepted, l.twice, l.early)
	}
	if len(killed) != hubHands+1 || len(cut) != hubHands+1 || l.counts[tq.FactLeaseExpired] < 2*hubHands+2 {
		j.Error("the rig disturbed less than it should")
	}
}
