package ops_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/ops"
	"example.com/tq/tqtest"
)

func TestRepositoriesStandAsTheirTasksTell(t *testing.T) {
	t.Parallel()
	q := tqtest.New(t)
	add := func(project, payload string) {
		q.Add(tq.NewTask{Type: tq.TypeAgent, Project: project, Payload: json.RawMessage(payload), MaxAttempts: 1})
	}
	settle := func(project string, do func(token string) error) {
		t.Helper()
		got, err := q.Claim(t.Context(), tq.ClaimIn{Types: []string{tq.TypeAgent}, Project: project})
		if err != nil || len(got.Tasks) != 1 {
			t.Fatalf("claimed %d tasks of %s (%v)", len(got.Tasks), project, err)
		}
		if err := do(got.Tasks[0].LeaseToken); err != nil {
			t.Fatal(err)
		}
	}
	complete := func(token string) error {
		_, err := q.Complete(t.Context(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: token, Result: json.RawMessage(`{"verified":true,"commit":"abc"}`)}}})
		return err
	}
	fail := func(token string) error {
		_, err := q.Fail(t.Context(), tq.FailIn{Leases: []tq.FailLease{{LeaseToken: token, Error: "verify: exit status 1 of the gate: make\nlog"}}})
		return err
	}
	add("shop", `{"repo":"/srv/shop","prompt":"x","backlog":{"open":3,"left_alone":1}}`)
	settle("shop", complete)
	add("site", `{"repo":"/srv/site","prompt":"x","backlog":{"open":2}}`)
	settle("site", complete)
	add("site", `{"repo":"/srv/site","prompt":"x","backlog":{"open":1}}`)
	settle("site", fail)
	add("tool", `{"repo":"/srv/tool","prompt":"by hand"}`)
	q.Add(tq.NewTask{Type: "build", Project: "other"}, tq.NewTask{Type: tq.TypeAgent})

	out, err := ops.Repos(t.Context(), q, ops.ReposIn{})
	if err != nil || len(out.Repos) != 3 {
		t.Fatalf("repositories %+v (%v)", out.Repos, err)
	}
	shop, site, tool := out.Repos[0], out.Repos[1], out.Repos[2]
	if shop.Dir != "/srv/shop" || shop.Backlog == nil || *shop.Backlog != 2 || shop.LeftAlone != 1 || shop.Completed != 1 || shop.Held != "" {
		t.Errorf("shop %+v", shop)
	}
	if v := shop.LastVerify; v == nil || !v.Passed || v.Commit != "abc" || v.TaskID != 1 {
		t.Errorf("the gate of shop: %+v", v)
	}
	if *site.Backlog != 1 || site.Dead != 1 || !strings.Contains(site.Held, "dead in a row, the newest first: 1") {
		t.Errorf("site %+v", site)
	}
	if v := site.LastVerify; v == nil || v.Passed || v.Detail != "exit status 1 of the gate: make" {
		t.Errorf("the gate of site: %+v", v)
	}
	if tool.Backlog != nil || tool.Ready != 1 || tool.LastVerify != nil {
		t.Errorf("tool %+v", tool)
	}
}
