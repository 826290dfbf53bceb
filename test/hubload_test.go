package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// A hub under load: what thousands of callers do to the program that users run.

const (
	crowd  = 5_000
	places = 4_096 // for those who wait
	woken  = 1_000 // of those who wait
)

// Security row 18, bad input 55: of 5,000 who wait for a task 4,096 may; a
// thousand tasks wake a thousand of them; the rest goes in the middle of its
// wait, takes nothing and leaves nothing behind. A second crowd needs no more
// memory than the first.
func TestFiveThousandWaitersAreWokenRefusedOrGone(t *testing.T) {
	t.Parallel()
	h := serveHub(t)
	defer h.stop()
	secrets := h.tokens(t, 5)
	before := h.cost(t)
	h.waitTogether(t, secrets)
	first := h.settles(t, before)
	h.takesAll(t, 50)
	h.waitTogether(t, secrets)
	second := h.settles(t, before)
	const perWaiter = 64 // KiB
	if grown := first.peak - before.resident; grown > crowd*perWaiter {
		t.Errorf("%d waiters cost %d KiB, want less than %d each", crowd, grown, perWaiter)
	}
	if grown := second.peak - first.peak; grown > crowd*perWaiter/2 {
		t.Errorf("%d waiters took %d KiB, and as many after them %d more", crowd, first.peak, grown)
	}
	t.Logf("%d waiters: %d KiB before, %d and %d at most", crowd, before.resident, first.peak, second.peak)
}

// waitTogether is one crowd, from its coming to its going.
func (h *served) waitTogether(t *testing.T, secrets []string) {
	t.Helper()
	lines, answers := make([]*line, crowd), make(chan answered, crowd)
	for i := range lines {
		lines[i] = h.dial(t)
		lines[i].post("/v1/claims", secrets[i%len(secrets)], `{"wait_seconds":55,"types":["load"]}`)
		go func() { answers <- lines[i].answer() }()
	}
	for range crowd - places {
		a := <-answers
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" || !bytes.Contains(a.body, []byte(`"too_many"`)) {
			t.Fatalf("one too many was answered %d %v %s %v", a.status, a.header, a.body, a.err)
		}
	}
	h.enqueue(t, woken, tq.NewTask{Type: "load"})
	seen := map[int64]bool{}
	for range woken {
		a := <-answers
		var out tq.ClaimOut
		if err := json.Unmarshal(a.body, &out); err != nil || len(out.Tasks) != 1 || seen[out.Tasks[0].ID] {
			t.Fatalf("a waiter was answered %d %s: %v %v", a.status, a.body, a.err, err)
		}
		seen[out.Tasks[0].ID] = true
	}
	for _, l := range lines {
		_ = l.Close() // in the middle of its wait, or after its answer
	}
	for range places - woken {
		if a := <-answers; a.err == nil {
			t.Fatalf("one who had gone was answered %d %s", a.status, a.body)
		}
	}
}

// takesAll enqueues tasks and claims each of them, for the first time.
func (h *served) takesAll(t testing.TB, n int) {
	t.Helper()
	h.enqueue(t, n, tq.NewTask{Type: "load"})
	out, err := h.hub.Claim(t.Context(), tq.ClaimIn{Types: []string{"load"}, Max: n})
	if err != nil || len(out.Tasks) != n {
		t.Fatalf("claimed %d of %d tasks: %v", len(out.Tasks), n, err)
	}
	for _, task := range out.Tasks {
		if task.Fence != 1 {
			t.Errorf("somebody who had gone took task %d before", task.ID)
		}
	}
}

// Security row 18: a thousand who look at the counts cost the store one
// question each tick.
func TestAThousandViewersShareOneQuestion(t *testing.T) {
	t.Parallel()
	const viewers, changes = 1_000, 3
	h := serveHub(t)
	defer h.stop()
	before := h.cost(t)
	asked := h.questions(t)
	all := make([]*told, viewers)
	begun := time.Now()
	for i := range all {
		l := h.dial(t)
		l.stream("/v1/stats", h.token)
		all[i] = l.events()
	}
	for n := 1; n <= changes; n++ {
		h.enqueue(t, 1, tq.NewTask{Type: "load"})
		want := `"ready":` + strconv.Itoa(n)
		for _, e := range all {
			for ev := e.next(); !strings.Contains(ev.data, want); ev = e.next() {
				if ev.name == "" {
					t.Fatalf("a stream ended before it told %s", want)
				}
			}
		}
	}
	ticks := int(time.Since(begun)/time.Second) + 1
	const more = 20 // those who came before the first answer, and this look
	if n := h.questions(t) - asked; n > ticks+more {
		t.Errorf("%d viewers of %d changes asked %d questions in %d ticks", viewers, changes, n, ticks)
	}
	for _, e := range all {
		_ = e.close()
	}
	h.settles(t, before)
}

// questions is how often the store was asked for all counts.
func (h *served) questions(t testing.TB) int {
	t.Helper()
	return number(t, `(?m)^tq_store_duration_seconds_count\{method="queues"\} (\d+)`, h.get(t, "/metrics"))
}

// Security row 17: whoever sends its headers or its body by the drop is let go,
// the former after 5 s, the latter after 30 s, with a token and without; others
// are served meanwhile.
func TestSlowSendersAreLetGoAndOthersServed(t *testing.T) {
	t.Parallel()
	const each = 60
	const headers, body = 5 * time.Second, 30 * time.Second
	h := serveHub(t)
	defer h.stop()
	before := h.cost(t)
	ended := make(chan string, 3*each)
	for i := range 3 * each {
		l, sent, limit := h.dial(t), "a body", body
		text := "POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n"
		switch i % 3 {
		case 0:
			sent, limit = "headers", headers
		case 1:
			text += "Authorization: Bearer " + h.token + "\r\n\r\n{"
		default:
			sent, text = "the body of a stranger", text+"\r\n{"
		}
		go func() { ended <- l.dripped(sent, text, limit) }()
	}
	for range 3 * each {
		if wrong := <-ended; wrong != "" {
			t.Error(wrong)
		}
		h.enqueue(t, 1, tq.NewTask{Type: "load"}) // is served
	}
	h.settles(t, before)
}

// Bad input 10: a body without an announced end is not read on beyond its limit
// and not kept, whatever the sender would send.
func TestAnEndlessBodyIsRefusedAndTakesNoMemory(t *testing.T) {
	t.Parallel()
	const senders, size, chunk = 16, 1 << 30, 1 << 16
	h := serveHub(t)
	defer h.stop()
	before := h.cost(t)
	sent, answers := make(chan int, senders), make(chan answered, senders)
	for range senders {
		l := h.dial(t)
		l.write("POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + h.token +
			"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
		go func() {
			n, part := 0, fmt.Sprintf("%x\r\n%s\r\n", chunk, strings.Repeat(" ", chunk))
			for n < size {
				if _, err := io.WriteString(l, part); err != nil {
					break
				}
				n += chunk
			}
			sent <- n
		}()
		go func() { answers <- l.answer() }()
	}
	for range senders {
		if a := <-answers; a.status != http.StatusRequestEntityTooLarge || !a.closed {
			t.Errorf("a body of 1 GiB was answered %d %s %v", a.status, a.body, a.err)
		}
		if n := <-sent; n > 64<<20 {
			t.Errorf("%d bytes were taken of a body that may have 1 MiB", n)
		}
	}
	after := h.settles(t, before)
	const perSender = 8 << 10 // KiB: the limit of a body, doubled as a buffer grows, and garbage
	if grown := after.peak - before.resident; grown > senders*perSender {
		t.Errorf("%d bodies cost %d KiB, want less than %d each", senders, grown, perSender)
	}
}

// Security row 18: those who follow the journal and do not read are dropped, what
// they cost is bounded, and who reads beside them hears of everything meanwhile.
func TestAHundredWhoDoNotReadAreDropped(t *testing.T) {
	t.Parallel()
	const silent, most = 100, 60 // batches: far more than the buffers on the way can hold
	h := serveHub(t)
	defer h.stop()
	before := h.cost(t)
	lines := make([]*line, silent)
	for i := range lines {
		lines[i] = h.dial(t)
		lines[i].reads(4 << 10)
		lines[i].stream("/v1/facts?after=0", h.token)
	}
	reader := h.dial(t)
	reader.stream("/v1/facts?after=0", h.token)
	beside := reader.events()
	h.holdsOn(t, before, 2*silent)
	told, left := int64(0), before.goroutines+silent
	look := time.NewTicker(500 * time.Millisecond)
	defer look.Stop()
	for n := 0; left > before.goroutines+silent/5; n++ {
		if n == most {
			t.Fatalf("after %d facts the hub still has %d goroutines of %d before", told, left, before.goroutines)
		}
		h.enqueue(t, tq.MaxBatch, tq.NewTask{Type: strings.Repeat("t", 60), Project: strings.Repeat("p", 100)})
		beside.expect(told+1, told+tq.MaxBatch)
		told += tq.MaxBatch
		<-look.C // a write that is stuck is given up after ten seconds
		left = h.cost(t).goroutines
	}
	_ = reader.Close()
	after := h.settles(t, before)
	const perFollower = 1 << 10 // KiB
	if grown := after.peak - before.resident; grown > silent*perFollower {
		t.Errorf("%d who do not read cost %d KiB, want less than %d each", silent, grown, perFollower)
	}
	t.Logf("%d who do not read: dropped within %d facts; %d KiB resident before, %d at most", silent, told, before.resident, after.peak)
}
