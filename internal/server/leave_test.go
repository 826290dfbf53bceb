package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"example.com/tq"
	"example.com/tq/internal/server"
)

// Bad input 55. It runs alone, so that all goroutines which are left over are
// its own.
func TestCallersWhoGoTakeNothing(t *testing.T) {
	const callers = 300
	entered := make(chan struct{}, callers)
	var inside sync.WaitGroup
	h := newHub(t, func(o *server.Options) {
		o.Wrap = []server.Middleware{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inside.Add(1)
				defer inside.Done()
				entered <- struct{}{}
				next.ServeHTTP(w, r)
			})
		}}
	})
	h.live()
	h.claim(`{}`) // it serves
	<-entered
	before := goleak.IgnoreCurrent()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	answers := make(chan error, callers)
	for range callers {
		go func() { answers <- h.waitForATask(ctx) }()
	}
	for range callers {
		<-entered
	}
	leave()
	for range callers {
		if err := <-answers; err == nil {
			t.Error("55: a claim was answered although there was no task and its caller had left")
		}
	}
	inside.Wait()
	h.enqueueN(1, tq.NewTask{Type: "a"})
	out, err := h.broker.Claim(t.Context(), tq.ClaimIn{Max: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Tasks) != 1 || out.Tasks[0].Attempt != 1 || out.Tasks[0].Fence != 1 {
		t.Errorf("55: somebody who had left took the task before: %+v", out.Tasks)
	}
	h.http.CloseIdleConnections()
	// The parts of the broker itself may have begun after the look before.
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("example.com/tq.runAll.func1"))
}

// waitForATask is a long poll, whose error is that ctx ended.
func (h *hub) waitForATask(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/claims", strings.NewReader(`{"wait_seconds":50}`))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := h.http.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
