package test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// Bare connections to a hub, and what they cost it, as seen from outside:
// goroutines from /metrics, memory from the system.

// line is one bare connection to a hub.
type line struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func (h *served) dial(t testing.TB) *line {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // most are closed by then
	return &line{t: t, Conn: c, in: bufio.NewReaderSize(c, 512)}
}

// reads makes the window of a connection that small, before anything comes.
func (l *line) reads(bytes int) {
	l.t.Helper()
	if err := l.Conn.(*net.TCPConn).SetReadBuffer(bytes); err != nil {
		l.t.Fatal(err)
	}
}

func (l *line) write(text string) {
	l.t.Helper()
	if _, err := io.WriteString(l, text); err != nil {
		l.t.Error(err)
	}
}

// post sends one request and waits for nothing.
func (l *line) post(path, token, body string) {
	l.t.Helper()
	if !l.tries(path, token, body) {
		l.t.Error("the connection is closed")
	}
}

// tries is post of one who knows that the connection may be closed.
func (l *line) tries(path, token, body string) bool {
	_, err := io.WriteString(l, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+
		"\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
	return err == nil
}

// stream asks for events.
func (l *line) stream(path, token string, headers ...string) {
	l.t.Helper()
	l.write("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + token +
		"\r\n" + strings.Join(append(headers, "\r\n"), "\r\n"))
}

// answered is what a request got.
type answered struct {
	status int
	header http.Header
	closed bool // the connection takes no more
	body   []byte
	err    error
}

func (l *line) answer() answered {
	r, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return answered{err: err}
	}
	body, err := io.ReadAll(r.Body)
	return answered{r.StatusCode, r.Header, r.Close, body, err}
}

// cost is what a hub takes of the machine.
type cost struct {
	goroutines int
	resident   int // KiB
	peak       int // KiB, since it began
}

func (h *served) cost(t testing.TB) cost {
	t.Helper()
	text := h.get(t, "/metrics")
	c := cost{goroutines: number(t, `(?m)^go_goroutines (\d+)`, text)}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.process.Pid))
	if err != nil {
		t.Fatalf("no /proc here: %v", err)
	}
	c.resident, c.peak = number(t, `VmRSS:\s+(\d+)`, string(status)), number(t, `VmHWM:\s+(\d+)`, string(status))
	return c
}

// worked is the processor time that the hub has taken so far, which other load
// of the machine hardly changes.
func (h *served) worked(t testing.TB) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.process.Pid))
	if err != nil {
		t.Fatalf("no /proc here: %v", err)
	}
	const tick = 10 * time.Millisecond // what the system counts in
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	return tick * time.Duration(number(t, `^(\d+)$`, fields[11])+number(t, `^(\d+)$`, fields[12]))
}

func number(t testing.TB, pattern, text string) int {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %s in %s", pattern, text)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// get reads one page over a connection of its own.
func (h *served) get(t testing.TB, path string) string {
	t.Helper()
	l := h.dial(t)
	defer func() { _ = l.Close() }() // it was read to its end
	l.write("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " + h.token + "\r\n\r\n")
	a := l.answer()
	if a.err != nil || a.status != http.StatusOK {
		t.Fatalf("%s was answered %d %s %v", path, a.status, a.body, a.err)
	}
	return string(a.body)
}

// settles waits until the hub has no more goroutines than before, but for the
// few of connections that came meanwhile.
func (h *served) settles(t testing.TB, before cost) cost {
	t.Helper()
	const few = 10
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	end := time.After(time.Minute)
	for {
		now := h.cost(t)
		if now.goroutines <= before.goroutines+few {
			return now
		}
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("the hub had %d goroutines and has %d", before.goroutines, now.goroutines)
		}
	}
}

// holdsOn waits until the hub has so many goroutines more than before: one reads
// and one watches the connection of each caller who waits.
func (h *served) holdsOn(t testing.TB, before cost, more int) {
	t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for h.cost(t).goroutines < before.goroutines+more {
		<-look.C
	}
}

// tokens makes some that may claim.
func (h *served) tokens(t testing.TB, n int) []string {
	t.Helper()
	all := make([]string, n)
	for i := range all {
		out, err := h.hub.CreateToken(t.Context(), tq.CreateTokenIn{
			Name: "crowd" + strconv.Itoa(i), Can: []tq.Scope{tq.CanClaim}, Queues: []string{"*"},
		})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = out.Secret
	}
	return all
}

func (h *served) enqueue(t testing.TB, n int, like tq.NewTask) {
	t.Helper()
	for n > 0 {
		tasks := make([]tq.NewTask, min(n, tq.MaxBatch))
		for i := range tasks {
			tasks[i] = like
		}
		if _, err := h.hub.Enqueue(t.Context(), tq.EnqueueIn{Tasks: tasks}); err != nil {
			t.Fatal(err)
		}
		n -= len(tasks)
	}
}

// told is a stream of events as a client reads it.
type told struct {
	t     testing.TB
	lines *bufio.Scanner
	close func() error
}

type event struct {
	name string // "" for the end of the stream; "comment" for one
	id   int64
	data string
}

func (l *line) events() *told {
	l.t.Helper()
	r, err := http.ReadResponse(l.in, nil)
	if err != nil || r.StatusCode != http.StatusOK {
		l.t.Fatalf("a stream was answered %v, %v", r, err)
	}
	l.t.Cleanup(func() { _ = r.Body.Close() }) // the connection is closed as well
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	return &told{l.t, lines, l.Close}
}

// next reads one event. The first is the time after which to come again.
func (e *told) next() event {
	var ev event
	for e.lines.Scan() {
		name, value, _ := strings.Cut(e.lines.Text(), ": ")
		switch name {
		case "":
			if ev.name != "" {
				return ev
			}
		case "id":
			ev.id, _ = strconv.ParseInt(value, 10, 64) // 0 is none
		case "event":
			ev.name = value
		case "data":
			ev.data = value
		case "retry":
			ev.name = "retry"
		}
	}
	return event{}
}

// expect reads the facts from one to another, and no others.
func (e *told) expect(from, to int64) {
	e.t.Helper()
	for seq := from; seq <= to; seq++ {
		ev := e.next()
		for ev.name == "retry" {
			ev = e.next()
		}
		if ev.name != "fact" || ev.id != seq {
			e.t.Fatalf("a stream told %s %d, want fact %d", ev.name, ev.id, seq)
		}
	}
}

// farewell is the last comment of a stream that ends.
func (e *told) farewell() (last string) {
	for e.lines.Scan() {
		if text, ok := strings.CutPrefix(e.lines.Text(), ":"); ok && text != "" {
			last = text
		}
	}
	return last
}

// dripped sends a text, then a byte now and then, and says what is wrong with
// when the hub had enough of it.
func (l *line) dripped(sent, text string, limit time.Duration) (wrong string) {
	const lenient = 20 * time.Second // for a busy machine
	begun := time.Now()
	go func() {
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		for _, err := io.WriteString(l, text); err == nil; _, err = io.WriteString(l, "x") {
			<-tick.C
		}
	}()
	_, _ = io.Copy(io.Discard, l.in) // its end is what counts
	if after := time.Since(begun); after < limit-time.Second || after > limit+lenient {
		return fmt.Sprintf("who sent %s by the drop was let go after %s, want %s", sent, after, limit)
	}
	return ""
}
