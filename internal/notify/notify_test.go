package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/tqtest"
)

// received is one request that the receiver got.
type received struct {
	path   string
	header http.Header
	body   string
}

// receiver answers with the next of some statuses, then with 204.
func receiver(t *testing.T, statuses ...int) (url string, got chan received) {
	t.Helper()
	got = make(chan received, 100)
	answers := make(chan int, 100)
	for _, s := range statuses {
		answers <- s
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a broken one fails the comparison
		status := http.StatusNoContent
		select {
		case status = <-answers:
		default:
		}
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data")
		w.WriteHeader(status)
		got <- received{r.URL.Path, r.Header, string(body)}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func follow(t *testing.T, n *Notifier) *tqtest.Queue {
	t.Helper()
	q := tqtest.New(t)
	broker, ok := q.Client.(*tq.Broker)
	if !ok {
		t.Fatalf("the queue is a %T", q.Client)
	}
	// With an alert to go on from, nothing that happens from here is left out.
	q.Add(tq.NewTask{Type: Type, Queue: Queue, Payload: json.RawMessage(`{"seq":0}`), Delay: tq.Duration(time.Hour)})
	n.Client, n.Log = q, slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- broker.Run(ctx) }()
	go func() { ended <- n.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		for range cap(ended) {
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("in the background: %v", err)
			}
		}
	})
	return q
}

// claim takes the one task of type build.
func claim(t *testing.T, q *tqtest.Queue) string {
	t.Helper()
	out, err := q.Claim(t.Context(), tq.ClaimIn{Types: []string{"build"}})
	if err != nil || len(out.Tasks) != 1 {
		t.Fatalf("claimed %d tasks (%v)", len(out.Tasks), err)
	}
	return out.Tasks[0].LeaseToken
}

func die(t *testing.T, q *tqtest.Queue) {
	t.Helper()
	again := false
	_, err := q.Fail(t.Context(), tq.FailIn{Leases: []tq.FailLease{{LeaseToken: claim(t, q), Error: "no luck", Requeue: &again}}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestADeadTaskIsToldOfAndResolved(t *testing.T) {
	t.Parallel()
	secret := []byte(strings.Repeat("s", 32))
	url, got := receiver(t)
	n := &Notifier{URL: url, Format: Webhook, Key: []byte("whsec_" + base64.StdEncoding.EncodeToString(secret))}
	q := follow(t, n)
	id := q.Add(tq.NewTask{Type: "build", Project: "shop"})[0]
	die(t, q)
	first := <-got
	checkSignature(t, first, secret)
	if !strings.Contains(first.body, `"type":"task.dead"`) || !strings.Contains(first.body, `"error":"no luck"`) {
		t.Errorf("told %s", first.body)
	}
	if _, err := q.Rescue(t.Context(), tq.RescueIn{IDs: []int64{id}}); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Complete(t.Context(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: claim(t, q)}}}); err != nil {
		t.Fatal(err)
	}
	second := <-got
	checkSignature(t, second, secret)
	if !strings.Contains(second.body, `"type":"task.resolved"`) || second.header.Get("webhook-id") == first.header.Get("webhook-id") {
		t.Errorf("told %s", second.body)
	}
}

func checkSignature(t *testing.T, r received, secret []byte) {
	t.Helper()
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", r.header.Get("webhook-id"), r.header.Get("webhook-timestamp"), r.body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.header.Get("webhook-signature") != want {
		t.Errorf("signature %q, want %q", r.header.Get("webhook-signature"), want)
	}
}

func TestAnAlertThatDiesMakesNoOther(t *testing.T) {
	t.Parallel()
	url, got := receiver(t, http.StatusGone)
	q := follow(t, &Notifier{URL: url})
	q.Add(tq.NewTask{Type: "build"})
	die(t, q)
	<-got
	for _, alert := range q.Enqueued(Type) {
		if alert.Status == tq.Pending && alert.Attempt == 0 && alert.RunAt.After(q.Now()) {
			continue // not due yet
		}
		if _, err := q.Wait(t.Context(), tq.WaitIn{IDs: []int64{alert.ID}, Wait: tq.Duration(10 * time.Second)}); err != nil {
			t.Fatal(err)
		}
		if a := q.Get(alert.ID); a.Status != tq.Dead || !strings.Contains(a.LastError, "410") {
			t.Errorf("the alert is %s: %s", a.Status, a.LastError)
		}
	}
	if n := len(q.Enqueued(Type)); n > 3 {
		t.Errorf("there are %d alerts, want one beside the first and the mark of the cursor", n)
	}
}

func TestReceiversAreAnsweredAsTheyAsk(t *testing.T) {
	t.Parallel()
	payload, err := json.Marshal(Alert{Seq: 3, TaskID: 7, Queue: "q", Type: "build"})
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]tq.Class{
		200: "", 204: "", 500: tq.ClassTransient, 503: tq.ClassTransient, 408: tq.ClassTransient,
		401: tq.ClassTransient, 404: tq.ClassTransient, 302: tq.ClassTransient, 307: tq.ClassTransient,
		429: tq.ClassRateLimited, 410: tq.ClassPermanent, 400: tq.ClassPermanent,
	} {
		url, got := receiver(t, status)
		n := &Notifier{URL: url}
		_, err := n.deliver(t.Context(), &tq.Task{Payload: payload})
		if tq.ClassOf(err) != want {
			t.Errorf("status %d: %v is of class %q, want %q", status, err, tq.ClassOf(err), want)
		}
		if len(got) != 1 {
			t.Errorf("status %d: %d requests", status, len(got))
		}
	}
}

func TestEachFormatSpeaksItsLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format Format
		path   string
		says   []string
	}{
		{Alertmanager, "/api/v2/alerts", []string{`[{"annotations":`, `"alertname":"TqTaskDead"`, `"startsAt":`}},
		{PAP, "/api/ingest", []string{`"type":"alert.triggered"`, `"aggregateId":"7"`, `"causationId":"3"`, `"severity":"critical"`}},
		{CloudEvents, "/", []string{`"specversion":"1.0"`, `"type":"dev.tq.task.dead"`, `"subject":"7"`}},
	} {
		url, got := receiver(t)
		n := &Notifier{URL: url, Format: c.format, Key: []byte("secret")}
		a := Alert{Seq: 3, TaskID: 7, Queue: "q", Type: "build", Attempts: 2, Error: "why", At: tq.At(time.Unix(1, 0))}
		payload, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.deliver(t.Context(), &tq.Task{Payload: payload}); err != nil {
			t.Fatal(err)
		}
		r := <-got
		if r.path != c.path || r.header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s: %s with %v", c.format, r.path, r.header)
		}
		for _, part := range c.says {
			if !strings.Contains(r.body, part) {
				t.Errorf("%s: %s does not say %s", c.format, r.body, part)
			}
		}
	}
}
