package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/sqlite"
)

// A hub that is told to stop in the middle of its work: whatever it has taken
// it answers, whoever waits goes with nothing, streams say why they end, and
// all that was answered is in the file.
func TestAHubThatIsStoppedUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	const writers, waiters, viewers = 16, 100, 10
	h := serveHub(t, "--grace", "25s")
	before := h.cost(t)
	polls, streams := make(chan answered, waiters), make([]*told, viewers)
	for i := range streams {
		l := h.dial(t)
		l.stream([]string{"/v1/facts?type=none", "/v1/stats"}[i%2], h.token)
		streams[i] = l.events()
	}
	for range waiters {
		l := h.dial(t)
		l.post("/v1/claims", h.token, `{"wait_seconds":55,"types":["none"]}`)
		go func() { polls <- l.answer() }()
	}
	h.holdsOn(t, before, 2*waiters+viewers)
	w := &writing{h: h, t: t}
	w.begin(writers)
	w.reaches(20 * writers)
	begun := time.Now()
	if err := h.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.all.Wait()
	for range waiters {
		a := <-polls
		var out tq.ClaimOut
		if err := json.Unmarshal(a.body, &out); err != nil || a.status != http.StatusOK || len(out.Tasks) != 0 {
			t.Errorf("who waited was answered %d %s: %v %v", a.status, a.body, a.err, err)
		}
	}
	for i, s := range streams {
		if last := s.farewell(); !strings.Contains(last, "stopping") {
			t.Errorf("stream %d ended with %q", i, last)
		}
	}
	if err := <-h.ended; err != nil {
		t.Errorf("the hub ended with %v and said: %s", err, h.text())
	}
	if took := time.Since(begun); took > 25*time.Second {
		t.Errorf("the hub stopped after %s, longer than its grace", took)
	}
	h.holds(t, w.ids)
}

// writing is many callers who enqueue one task after the other, each over one
// connection, until the hub takes no more.
type writing struct {
	t   *testing.T
	h   *served
	all sync.WaitGroup

	mu    sync.Mutex
	grown sync.Cond
	ids   []int64 // answered
}

func (w *writing) begin(n int) {
	w.grown.L = &w.mu
	for range n {
		l := w.h.dial(w.t)
		w.all.Go(func() { w.write(l) })
	}
}

func (w *writing) write(l *line) {
	const body = `{"type":"load"}`
	for {
		if !l.tries("/v1/tasks", w.h.token, body) {
			return // the connection was closed between two requests
		}
		a := l.answer()
		if a.err != nil {
			return // as above, while the request was on its way: it was not taken
		}
		var out struct{ ID int64 }
		if err := json.Unmarshal(a.body, &out); err != nil || a.status != http.StatusCreated {
			w.t.Errorf("an enqueue was answered %d %s: %v", a.status, a.body, err)
			return
		}
		w.mu.Lock()
		w.ids = append(w.ids, out.ID)
		w.grown.Broadcast()
		w.mu.Unlock()
		if a.closed {
			return
		}
	}
}

// reaches waits for so many answers.
func (w *writing) reaches(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.ids) < n {
		w.grown.Wait()
	}
}

// holds opens the file of a hub that has ended: the tasks that were answered are
// there and no others, and check finds nothing.
func (h *served) holds(t *testing.T, ids []int64) {
	t.Helper()
	store, err := sqlite.Open(h.home+"/tq.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	for from := 0; from < len(ids); from += tq.MaxPage {
		some := ids[from:min(len(ids), from+tq.MaxPage)]
		page, err := store.Tasks(t.Context(), tq.TaskQuery{IDs: some})
		if err != nil || len(page.Tasks) != len(some) {
			t.Errorf("of %d tasks that were answered %d are there: %v", len(some), len(page.Tasks), err)
		}
	}
	census, err := store.Queues(t.Context())
	if err != nil || len(census.Lines) != 1 || census.Lines[0].Ready != int64(len(ids)) {
		t.Errorf("%d tasks were answered, the file has %+v: %v", len(ids), census.Lines, err)
	}
	broken, err := store.Check(t.Context())
	if err != nil || len(broken) > 0 {
		t.Errorf("check: %v %v", broken, err)
	}
}
