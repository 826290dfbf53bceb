package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/tq"
	"example.com/tq/tqtest"
)

const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// desk is a queue whose dead tasks are told to a receiver, step by step.
type desk struct {
	*testing.T
	q   *tqtest.Queue
	n   *Notifier
	w   *tq.Worker
	seq int64
}

func newDesk(t *testing.T, n *Notifier) *desk {
	t.Helper()
	d := &desk{T: t, q: tqtest.New(t), n: n}
	d.begin(n)
	return d
}

// begin goes on with a notifier that knows nothing of the one before.
func (d *desk) begin(n *Notifier) {
	d.Helper()
	d.n, n.Client, n.Log, n.watch = n, d.q, slog.New(slog.NewTextHandler(io.Discard, nil)), map[int64]bool{}
	d.w = &tq.Worker{Client: d.q, Queues: []string{Queue}, Log: n.Log}
	d.w.Handle(Type, tq.ExecutorFunc(n.deliver))
	seq, err := n.begin(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	d.seq = seq
	if err := n.mark(d.Context(), seq); err != nil {
		d.Fatal(err)
	}
}

// read makes alerts of what the journal holds that is new.
func (d *desk) read() {
	d.Helper()
	seq, err := d.n.step(d.Context(), d.seq)
	if err != nil {
		d.Fatal(err)
	}
	d.seq = seq
}

// deliver lets a day pass in steps of an hour, until no alert waits.
func (d *desk) deliver() {
	d.Helper()
	for range 24 {
		d.q.Drain(d.Context(), d.w)
		if !slices.ContainsFunc(d.q.Enqueued(Type), func(t tq.Task) bool { return !t.Status.Terminal() && t.Project != "" }) {
			return
		}
		d.q.Advance(time.Hour)
	}
	d.Fatal("alerts still wait after a day")
}

// die lets the next task of type build die, which is to be this one.
func (d *desk) die(id int64) {
	d.Helper()
	die(d.T, d.q)
	if s := d.q.Get(id).Status; s != tq.Dead {
		d.Fatalf("task %d is %s", id, s)
	}
}

func (d *desk) rescue(ids ...int64) {
	d.Helper()
	if _, err := d.q.Rescue(d.Context(), tq.RescueIn{IDs: ids}); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) complete() {
	d.Helper()
	if _, err := d.q.Complete(d.Context(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: claim(d.T, d.q)}}}); err != nil {
		d.Fatal(err)
	}
}

// alerts are those about tasks, as "dead 1" and "resolved 1".
func (d *desk) alerts() (all []string) {
	d.Helper()
	for _, t := range d.q.Enqueued(Type) {
		var a Alert
		if err := json.Unmarshal(t.Payload, &a); err != nil {
			d.Fatal(err)
		}
		if !a.Mark {
			all = append(all, strings.TrimPrefix(eventType(&a), "task.")+fmt.Sprintf(" %d", a.TaskID))
		}
	}
	return all
}

// moody is a receiver that refuses what is not signed as the public library
// wants it, and that has bad moments before it takes anything.
type moody struct {
	*testing.T
	verify *webhooks.Webhook
	mu     sync.Mutex
	moods  []int
	took   map[int64][]string // by task, in their order
	ids    map[string]int     // how often each webhook-id was sent
}

const asleep = -1 // a mood: does not answer at all

func newMoody(t *testing.T, moods ...int) (m *moody, url string) {
	t.Helper()
	verify, err := webhooks.NewWebhook(whsec)
	if err != nil {
		t.Fatal(err)
	}
	m = &moody{T: t, verify: verify, moods: moods, took: map[int64][]string{}, ids: map[string]int{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return m, server.URL
}

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.Errorf("read the alert: %v", err)
	}
	if err := m.verify.Verify(body, r.Header); err != nil {
		m.Errorf("the public library refuses %s: %v", body, err)
	}
	var said struct {
		Type string
		Data Alert
	}
	if err := json.Unmarshal(body, &said); err != nil {
		m.Errorf("%s: %v", body, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids[r.Header.Get("webhook-id")]++
	mood := http.StatusNoContent
	if len(m.moods) > 0 {
		mood, m.moods = m.moods[0], m.moods[1:]
	}
	switch mood {
	case asleep:
		<-r.Context().Done()
		return
	case http.StatusTemporaryRedirect:
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data")
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat))
	case http.StatusNoContent:
		m.took[said.Data.TaskID] = append(m.took[said.Data.TaskID], said.Type)
	}
	w.WriteHeader(mood)
}

func TestEveryDeadLetterArrivesSignedAndInOrder(t *testing.T) {
	t.Parallel()
	m, url := newMoody(t, 500, 429, asleep, 307, 404, 302, 503, 410)
	var refused []string
	n := &Notifier{URL: url, Key: []byte(whsec), Timeout: 100 * time.Millisecond}
	n.Guard = func(_, address string, _ syscall.RawConn) error {
		refused = append(refused, address)
		return errors.New("no way")
	}
	d := newDesk(t, n)
	ids := d.q.Add(tq.NewTask{Type: "build"}, tq.NewTask{Type: "build"}, tq.NewTask{Type: "build"})
	for _, id := range ids {
		d.die(id)
	}
	d.read()
	d.rescue(ids[0]) // before its death could be told
	d.die(ids[0])
	d.read()
	d.deliver()
	for _, alert := range d.q.Enqueued(Type) {
		if alert.Status != tq.Dead {
			continue
		}
		if !strings.Contains(alert.LastError, "410 Gone") {
			t.Errorf("an alert died of %s", alert.LastError)
		}
		d.rescue(alert.ID) // by hand, like any other
	}
	d.deliver()
	d.rescue(ids[0], ids[1])
	d.read()
	d.complete()
	d.complete()
	if err := n.resolve(t.Context(), d.seq); err != nil {
		t.Fatal(err)
	}
	d.deliver()
	want := map[int64]string{
		ids[0]: "task.dead task.dead task.resolved", ids[1]: "task.dead task.resolved", ids[2]: "task.dead",
	}
	for id, kinds := range want {
		if got := strings.Join(m.took[id], " "); got != kinds {
			t.Errorf("of task %d it was told %q, want %q", id, got, kinds)
		}
	}
	if len(m.ids) != 6 {
		t.Errorf("6 alerts were sent under the ids %v", m.ids)
	}
	if strings.Join(refused, " ") != "169.254.169.254:80" {
		t.Errorf("the guard was asked about %v", refused)
	}
}

func TestARedirectIsFollowedWhereTheGuardLets(t *testing.T) {
	t.Parallel()
	m, url := newMoody(t)
	for _, c := range []struct {
		n       *Notifier
		to      string
		status  int
		arrives bool
	}{
		{&Notifier{Key: []byte(whsec)}, url, http.StatusPermanentRedirect, true},
		{&Notifier{Key: []byte(whsec)}, url, http.StatusFound, false}, // would become a GET
		{&Notifier{Key: []byte(whsec)}, "file:///etc/passwd", http.StatusPermanentRedirect, false},
	} {
		front := httptest.NewServer(http.RedirectHandler(c.to, c.status))
		t.Cleanup(front.Close)
		c.n.URL, c.n.Guard = front.URL, func(string, string, syscall.RawConn) error { return nil }
		_, err := c.n.deliver(t.Context(), &tq.Task{Payload: []byte(`{"seq":3,"task_id":7}`)})
		if (err == nil) != c.arrives {
			t.Errorf("%d to %s: %v", c.status, c.to, err)
		}
	}
	if len(m.took[7]) != 1 {
		t.Errorf("it was told %v", m.took)
	}
}

func TestATokenStaysWithItsHost(t *testing.T) {
	t.Parallel()
	url, got := receiver(t)
	front := httptest.NewServer(http.RedirectHandler(url, http.StatusTemporaryRedirect))
	t.Cleanup(front.Close)
	n := &Notifier{URL: front.URL, Format: CloudEvents, Key: []byte("canary")}
	n.Guard = func(string, string, syscall.RawConn) error { return nil }
	if _, err := n.deliver(t.Context(), &tq.Task{Payload: []byte(`{"seq":3,"task_id":7}`)}); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r.header.Get("Authorization") != "" || !strings.Contains(r.body, `"specversion"`) {
		t.Errorf("%s came with %v", r.body, r.header)
	}
}

func TestAddressesStayOutOfErrors(t *testing.T) {
	t.Parallel()
	n := &Notifier{URL: "http://127.0.0.1:1/hook/canary?key=canary"}
	_, err := n.deliver(t.Context(), &tq.Task{Payload: []byte(`{"seq":3,"task_id":7}`)})
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("the error is %v", err)
	}
}

func TestARestartLeavesNothingOut(t *testing.T) {
	t.Parallel()
	url, _ := receiver(t)
	d := newDesk(t, &Notifier{URL: url})
	one, two := d.q.Add(tq.NewTask{Type: "build"})[0], int64(0)
	d.die(one) // nobody follows, and there was no alert yet
	d.begin(&Notifier{URL: url})
	d.read()
	d.rescue(one)
	d.read()
	two = d.q.Add(tq.NewTask{Type: "build", Priority: 9})[0]
	d.die(two)
	d.read() // the newest alert is about another task now
	d.begin(&Notifier{URL: url})
	d.complete()
	if err := d.n.resolve(t.Context(), d.seq); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("dead %d, dead %d, resolved %d", one, two, one)
	if got := strings.Join(d.alerts(), ", "); got != want {
		t.Errorf("alerts %s, want %s", got, want)
	}
	d.deliver()
	d.q.Advance(30 * 24 * time.Hour) // what was told is deleted
	three := d.q.Add(tq.NewTask{Type: "build"})[0]
	d.die(three)
	d.begin(&Notifier{URL: url})
	d.read()
	if got := d.alerts(); !slices.Contains(got, fmt.Sprintf("dead %d", three)) {
		t.Errorf("after a month there are %v", got)
	}
}

// grudging refuses the first tasks that it is to take.
type grudging struct {
	tq.Client
	refusals int
	took     chan tq.NewTask
}

func (g *grudging) Enqueue(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
	if g.refusals--; g.refusals >= 0 {
		return tq.EnqueueOut{}, tq.ErrConflict
	}
	g.took <- in.Tasks[0]
	return g.Client.Enqueue(ctx, in)
}

func TestAQueueThatTakesNoAlertsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := tqtest.New(t)
		g := &grudging{Client: q, refusals: 3, took: make(chan tq.NewTask, 10)}
		q.Add(tq.NewTask{Type: Type, Queue: Queue, Payload: json.RawMessage(`{"seq":0}`)}, tq.NewTask{Type: "build"})
		die(t, q)
		n := &Notifier{Client: g, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), watch: map[int64]bool{}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.follow(ctx) }()
		if mark, alert := <-g.took, <-g.took; mark.Project != "" || alert.Project != "task-2" {
			t.Errorf("the queue took %+v and %+v", mark, alert)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestAnAlertmanagerHoldsAnAlertWhileOthersAreDead(t *testing.T) {
	t.Parallel()
	url, got := receiver(t)
	d := newDesk(t, &Notifier{URL: url, Format: Alertmanager})
	ids := d.q.Add(tq.NewTask{Type: "build"}, tq.NewTask{Type: "build"})
	for _, id := range ids {
		d.die(id)
	}
	d.read()
	d.deliver()
	for range ids {
		if r := <-got; !strings.Contains(r.body, `"endsAt":`) {
			t.Errorf("it would be dropped in minutes: %s", r.body)
		}
	}
	for i, id := range ids {
		d.rescue(id)
		d.read()
		d.complete()
		if err := d.n.resolve(t.Context(), d.seq); err != nil {
			t.Fatal(err)
		}
		d.deliver()
		if len(got) != i {
			t.Errorf("%d of 2 completed: %d requests", i+1, len(got))
		}
	}
}

func TestWhatCannotBeSentIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for says, n := range map[string]Notifier{
		`url: is "https://", want`:        {URL: "https://"},
		`url: is "ftp://x", want`:         {URL: "ftp://x"},
		`format: is "fax", want`:          {URL: "http://x", Format: "fax"},
		"key: of a webhook is whsec_ and": {URL: "http://x", Key: []byte("hunter2")},
		"":                                {URL: "http://x", Key: []byte(whsec)},
	} {
		err := n.Check()
		if says == "" && err == nil {
			continue
		}
		if says == "" || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}
