package pool

import (
	"encoding/json"

	"example.com/tq"
	"example.com/tq/exec/agent"
)

// lastVerify says in a few words how the gate judged a completed task.
func lastVerify(t *tq.Task) string {
	var r agent.Result
	if json.Unmarshal(t.Result, &r) != nil || !r.Verified {
		return ""
	}
	const short = 12
	return "passed at " + t.EndedAt.String() + ", commit " + r.Commit[:min(len(r.Commit), short)]
}
