package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Bad inputs of callers who may not see or do everything, and of those whose
// task or token has ended meanwhile.

// Bad input 36: who may not read a queue cannot find out by a dep which tasks
// are in it, nor change what becomes of his own by them.
func TestADepInAForeignQueueIsAsUnknownAsOneThatIsNot(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	mine, may := g.put("own"), bearer(g.token(tq.CanEnqueue, tq.CanRead))
	foreign, none := g.put("other"), "99999"
	after := func(ref, more string) reply {
		return g.do("POST", "/v1/tasks", `{"type":"work","queue":"own","deps":[`+ref+`]`+more+`}`, may...)
	}
	g.want(after(mine, ""), http.StatusCreated)
	for _, more := range []string{"", `,"on_dep_failure":"cancel"`, `,"idempotency_key":"k"`} {
		unseen, missing := after(foreign, more), after(none, more)
		if a, b := told(t, unseen, foreign), told(t, missing, none); a != b || a.Status != http.StatusUnprocessableEntity || a.Code != tq.CodeUnknownDependency {
			t.Errorf("a dep that may not be read is answered %+v, one that is not there %+v", a, b)
		}
	}
	batch := `{"tasks":[{"type":"work","queue":"own"},{"type":"work","queue":"own","deps":[` + foreign + `]}]}`
	g.want(g.do("POST", "/v1/tasks/batch", batch, may...), http.StatusUnprocessableEntity)
	stats := into[tq.StatsOut](t, g.want(g.do("GET", "/v1/stats", "", may...), http.StatusOK))
	if n := stats.Total.Ready + stats.Total.Blocked; n != 2 {
		t.Errorf("there are %d tasks, want 2: what was refused is stored", n)
	}
}

// refused is what a refusal says, but for the id that was asked for.
type refused struct {
	Status int
	Code   tq.Code
	Text   string
}

func told(t *testing.T, r reply, id string) refused {
	t.Helper()
	p := into[ops.Problem](t, r)
	text := p.Detail + "|" + p.Hint
	for _, e := range p.Errors {
		text += "|" + e.Pointer + " " + e.Reason + " " + e.Detail
	}
	return refused{r.StatusCode, p.Code, strings.ReplaceAll(text, id, "N")}
}

// Bad input 46: complete of a task that is dead, cancelled, or gone.
func TestWhatIsOverOrGoneCannotBeCompleted(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.want(h.do("POST", "/v1/tasks/batch", `{"tasks":[`+repeat(`{"type":"a","max_attempts":1}`, 3)+`]}`), http.StatusCreated)
	held := h.claim(`{"max":3}`).Tasks
	complete := func(i, status int, code tq.Code) {
		t.Helper()
		r := h.want(h.do("POST", "/v1/leases/complete", `{"lease_token":"`+held[i].LeaseToken+`","result":1}`), status)
		if p := into[ops.Problem](t, r); p.Code != code || p.Hint == "" {
			t.Errorf("got %s", r.body)
		}
	}
	h.want(h.do("POST", "/v1/leases/fail", `{"lease_token":"`+held[0].LeaseToken+`","error":"no"}`), http.StatusOK)
	complete(0, http.StatusConflict, tq.CodeAlreadySettled) // dead
	h.want(h.do("POST", "/v1/tasks/2/cancel", `{"force":true}`), http.StatusOK)
	complete(1, http.StatusConflict, tq.CodeLeaseLost) // cancelled
	h.want(h.do("POST", "/v1/tasks/3/cancel", `{"force":true}`), http.StatusOK)
	purged := into[tq.PurgeOut](t, h.want(h.do("DELETE", "/v1/queues/default/tasks", ""), http.StatusOK))
	if purged.Deleted != 3 {
		t.Fatalf("the purge answered %+v", purged)
	}
	complete(2, http.StatusNotFound, tq.CodeNotFound)
}

// Bad input 58: a token is good until its last second, and then as any other
// that is not valid, on every door of the gate.
func TestATokenThatHasExpiredIsAsGoodAsNone(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	out, err := g.broker.CreateToken(t.Context(), tq.CreateTokenIn{
		Name: "guest", Can: []tq.Scope{tq.CanRead}, Queues: []string{"own"}, Expires: tq.Duration(time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
	login := g.want(g.do("POST", "/session", `{"token":"`+out.Secret+`"}`), http.StatusOK)
	cookie := []string{"Cookie", strings.Split(login.Header.Get("Set-Cookie"), ";")[0]}
	g.clock.Advance(time.Minute - time.Millisecond)
	g.want(g.do("GET", "/v1/stats", "", bearer(out.Secret)...), http.StatusOK)
	g.want(g.do("GET", "/v1/stats", "", cookie...), http.StatusOK)
	g.clock.Advance(time.Millisecond)
	garbled := g.want(g.do("GET", "/v1/stats", "", bearer("rubbish")...), http.StatusUnauthorized)
	for _, r := range []reply{
		g.do("GET", "/v1/stats", "", bearer(out.Secret)...), g.do("GET", "/v1/stats", "", cookie...),
		g.do("POST", "/v1/tasks", `{"type":"a"}`, bearer(out.Secret)...), g.do("POST", "/session", `{"token":"`+out.Secret+`"}`),
	} {
		if a, b := told(t, r, out.Token.ID), told(t, garbled, out.Token.ID); a != b || r.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("an expired token is answered %+v, a garbled one %+v", a, b)
		}
	}
}
