package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Inputs that must be answered well, with the numbers of the list that all doors
// share. A number without a case here is one that HTTP does not have, or is
// shown elsewhere: see badinput_where_test.go.

// badInput is one request and what it is answered.
type badInput struct {
	number  int
	name    string
	method  string // default POST
	path    string // default /v1/tasks
	body    string
	headers []string
	status  int
	reason  string // of the first field error or of the whole; "" is any
}

// poor are requests that are refused for their JSON or their values alone, over
// a hub that has no tasks.
func poor() []badInput {
	json129, json10k := nested(129), nested(10_001)
	return []badInput{
		{number: 1, name: "empty body", body: ``, headers: asJSON(), status: 400, reason: "invalid_json"},
		{number: 2, name: "null", body: `null`, status: 400, reason: "not_an_object"},
		{number: 2, name: "list", body: `[]`, status: 400, reason: "not_an_object"},
		{number: 2, name: "text", body: `"x"`, status: 400, reason: "not_an_object"},
		{number: 2, name: "number", body: `1`, status: 400, reason: "not_an_object"},
		{number: 2, name: "null to complete", path: "/v1/leases/complete", body: `null`, status: 400, reason: "not_an_object"},
		{number: 2, name: "list to claim", path: "/v1/claims", body: ` [{}] `, status: 400, reason: "not_an_object"},
		{number: 2, name: "list as a batch", path: "/v1/tasks/batch", body: `[{"type":"a"}]`, status: 400, reason: "not_an_object"},
		{number: 2, name: "null beside an id in the path", path: "/v1/tasks/1/cancel", body: `null`, status: 400, reason: "not_an_object"},
		{number: 3, name: "truncated", body: `{"type":"a"`, status: 400, reason: "invalid_json"},
		{number: 4, name: "two values", body: `{"type":"a"}{"type":"b"}`, status: 400, reason: "trailing_data"},
		{number: 5, name: "unknown field", body: `{"type":"a","priorty":1}`, status: 400, reason: "unknown_field"},
		{number: 6, name: "key twice", body: `{"type":"a","type":"b"}`, status: 400, reason: "duplicate_field"},
		{number: 6, name: "key in two cases", body: `{"type":"a","queue":"a","Queue":"b"}`, status: 400, reason: "duplicate_field"},
		{number: 7, name: "nested 129", body: `{"type":"a","payload":` + json129 + `}`, status: 400, reason: "too_deep"},
		{number: 7, name: "nested 10001", body: `{"type":"a","payload":` + json10k + `}`, status: 400, reason: "too_deep"},
		{number: 7, name: "nested 100000", body: `{"type":"a","payload":` + nested(100_000) + `}`, status: 400, reason: "too_deep"},
		{number: 9, name: "payload of 131073 bytes", body: `{"type":"a","payload":` + textOf(tq.MaxPayload+1) + `}`, status: 413, reason: "payload_too_large"},
		{number: 12, name: "text/plain", body: `{"type":"a"}`, headers: []string{"Content-Type", "text/plain"}, status: 415},
		{number: 12, name: "form", body: `type=a`, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415},
		{number: 12, name: "multipart", body: `x`, headers: []string{"Content-Type", "multipart/form-data; boundary=x"}, status: 415},
		{number: 13, name: "gzip", body: `x`, headers: []string{"Content-Encoding", "gzip"}, status: 415},
		{number: 14, name: "invalid UTF-8 in payload", body: "{\"type\":\"a\",\"payload\":\"\xff\"}", status: 400, reason: "invalid_utf8"},
		{number: 14, name: "invalid UTF-8 in queue", body: "{\"type\":\"a\",\"queue\":\"\xff\"}", status: 400, reason: "invalid_utf8"},
		{number: 14, name: "invalid UTF-8 in key", body: "{\"type\":\"a\",\"idempotency_key\":\"\xff\"}", status: 400, reason: "invalid_utf8"},
		{number: 16, name: "raw NUL", body: "{\"type\":\"a\",\"payload\":\"a\x00b\"}", status: 400, reason: "invalid_json"},
		{number: 20, name: "dots in a queue's path", method: "GET", path: "/v1/queues/%2e%2e%2f/stats", status: 422},
		{number: 20, name: "NUL in a queue's path", method: "GET", path: "/v1/queues/a%00b/stats", status: 422},
		{number: 39, name: "empty batch", path: "/v1/tasks/batch", body: `{"tasks":[]}`, status: 422, reason: "required"},
		{number: 38, name: "batch of 1001", path: "/v1/tasks/batch", body: `{"tasks":[` + repeat(`{"type":"a"}`, 1001) + `]}`, status: 413},
		{number: 33, name: "unknown dep", body: `{"type":"a","deps":[12345]}`, status: 422},
		{number: 34, name: "forward ref", path: "/v1/tasks/batch", body: `{"tasks":[{"type":"a","deps":["$5"]},{"type":"b"},{"type":"c"}]}`, status: 422},
		{number: 35, name: "1001 deps", body: `{"type":"a","deps":[` + repeat(`1`, 1001) + `]}`, status: 422, reason: "too_many"},
		{number: 40, name: "unknown task", method: "GET", path: "/v1/tasks/12345", status: 404},
		{number: 40, name: "malformed id", method: "GET", path: "/v1/tasks/abc", status: 422, reason: "wrong_type"},
		{number: 41, name: "wrong token", path: "/v1/leases/complete", body: `{"lease_token":"tqt_` + strings.Repeat("A", 43) + `"}`, status: 409},
		{number: 41, name: "empty token", path: "/v1/leases/complete", body: `{"lease_token":""}`, status: 422, reason: "malformed"},
		{number: 41, name: "token of 1 MB", path: "/v1/leases/complete", body: `{"lease_token":` + textOf(1_000_000) + `}`, status: 422, reason: "malformed"},
		{number: 48, name: "error of 10 MB", path: "/v1/leases/fail", body: `{"lease_token":"x","error":` + textOf(10_000_000) + `}`, status: 413},
		{number: 56, name: "PUT", method: "PUT", status: 405},
		{number: 56, name: "TRACE", method: "TRACE", status: 405},
		{number: 56, name: "PATCH", method: "PATCH", status: 405},
		{number: 57, name: "unknown path", method: "GET", path: "/v1/nothing", status: 404},
		{number: 57, name: "double slashes", method: "GET", path: "//v1//tasks", status: 404},
		{number: 57, name: "dots", method: "GET", path: "/v1/../admin", status: 404},
		{number: 62, name: "garbage cursor", method: "GET", path: "/v1/tasks?cursor=garbage", status: 422, reason: "malformed"},
		{number: 62, name: "limit 0", method: "GET", path: "/v1/tasks?limit=0", status: 422, reason: "out_of_range"},
		{number: 62, name: "limit -1", method: "GET", path: "/v1/tasks?limit=-1", status: 422, reason: "out_of_range"},
		{number: 62, name: "limit 1e9", method: "GET", path: "/v1/tasks?limit=1000000000", status: 422, reason: "out_of_range"},
		{number: 63, name: "sort", method: "GET", path: "/v1/tasks?sort=seq;drop", status: 400},
		{number: 63, name: "status banana", method: "GET", path: "/v1/tasks?status=banana", status: 422, reason: "unknown_value"},
	}
}

// poorFields are single fields of a new task or a claim.
func poorFields() []badInput {
	var all []badInput
	task := func(number, status int, fields ...string) {
		for _, f := range fields {
			all = append(all, badInput{number: number, name: f, body: `{"type":"a",` + f + `}`, status: status})
		}
	}
	claim := func(number int, fields ...string) {
		for _, f := range fields {
			all = append(all, badInput{number: number, name: f, path: "/v1/claims", body: `{` + f + `}`, status: 422})
		}
	}
	task(19, 422, `"queue":""`, `"queue":"a b"`, `"queue":"../x"`, `"queue":"a\nb"`, `"queue":"`+strings.Repeat("q", 129)+`"`, `"queue":"😀"`)
	task(21, 422, `"queue":"'; DROP TABLE tasks;--"`)
	task(22, 422, `"idempotency_key":""`, `"idempotency_key":"`+strings.Repeat("k", 201)+`"`, `"idempotency_key":"a\nb"`)
	task(26, 422, `"priority":32768`, `"priority":-32769`, `"priority":1.5`, `"priority":"high"`, `"priority":null`)
	task(27, 422, `"delay_seconds":-1`, `"delay_seconds":1e18`, `"delay_seconds":"NaN"`, `"delay_seconds":"5"`)
	task(27, 400, `"delay_seconds":NaN`)
	task(28, 422, `"run_at":"0000-01-01T00:00:00Z"`, `"run_at":"9999-01-01T00:00:00Z"`, `"run_at":"2026-11-29T16:00:00"`, `"run_at":"2026-11-29T24:61:00Z"`)
	task(29, 422, `"delay_seconds":5,"run_at":"2027-01-01T00:00:00Z"`)
	task(30, 422, `"max_attempts":0`, `"max_attempts":-1`, `"max_attempts":1001`)
	claim(31, `"lease_seconds":0`, `"lease_seconds":-5`, `"lease_seconds":3601`, `"lease_seconds":1e9`, `"lease_seconds":"300"`)
	claim(32, `"wait_seconds":56`, `"wait_seconds":-1`)
	claim(54, `"max":0`, `"max":101`, `"max":-1`, `"max":"all"`)
	return all
}

func asJSON() []string { return []string{"Content-Type", "application/json"} }

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// textOf is JSON text of n bytes.
func textOf(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }

func repeat(text string, n int) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

func TestBadInputsAreAnsweredWell(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for _, c := range append(poor(), poorFields()...) {
		t.Run(fmt.Sprintf("%02d %.40s", c.number, c.name), func(t *testing.T) {
			h.answersBad(t, c)
		})
	}
	if n := into[tq.StatsOut](t, h.get("/v1/stats")).Total; n != (tq.Stats{}) {
		t.Errorf("bad inputs left tasks behind: %+v", n)
	}
}

func (h *hub) answersBad(t *testing.T, c badInput) {
	t.Helper()
	if c.method == "" {
		c.method = "POST"
	}
	if c.path == "" {
		c.path = "/v1/tasks"
	}
	r := h.do(c.method, c.path, c.body, c.headers...)
	p := into[ops.Problem](t, r)
	if r.StatusCode != c.status || p.Status != c.status || p.Code == "" || p.Detail == "" {
		t.Fatalf("got %d %.300s, want %d", r.StatusCode, r.body, c.status)
	}
	if r.Header.Get("Content-Type") != ops.ProblemType {
		t.Errorf("the refusal is %s", r.Header.Get("Content-Type"))
	}
	got := p.Reason
	if len(p.Errors) > 0 {
		got = p.Errors[0].Reason
	}
	if c.reason == "not_an_object" && p.Hint == "" {
		t.Errorf("nothing is said of what to send: %s", r.body)
	}
	if c.reason != "" && got != c.reason {
		t.Errorf("the reason is %q, want %q: %.300s", got, c.reason, r.body)
	}
	h.want(h.do("GET", "/healthz", ""), http.StatusOK)
}

// Inputs that look bad and are good.
func TestOddInputsAreTaken(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for name, payload := range map[string]string{
		"8 payload of 131072 bytes": textOf(tq.MaxPayload), "15 escaped NUL": `"a\u0000b"`, "17 lone surrogate": `"\ud800"`,
		"18 huge number": `1e400`, "18 long number": `12345678901234567890`, "18 exponent": `1.0e2`, "7 nested 128": nested(128),
		"65 markup": `"<img src=x onerror=alert(1)>"`, "6 keys twice in a payload": `{"a":1,"a":2}`,
	} {
		r := h.want(h.do("POST", "/v1/tasks", `{"type":"a","payload":`+payload+`}`), http.StatusCreated)
		back := h.get(r.Header.Get("Location")).body
		if !strings.Contains(back, `"payload":`+payload) {
			t.Errorf("%s: came back as %.100s", name, back)
		}
	}
	h.want(h.do("POST", "/v1/tasks", `{"type":"a","run_at":"2001-01-01T00:00:00Z"}`), http.StatusCreated)
	h.want(h.do("POST", "/v1/tasks", `{"type":"a","deps":[1,1,"1"]}`), http.StatusCreated)
}

func TestKeysOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	first := h.want(h.do("POST", "/v1/tasks", `{"type":"a","payload":1}`, "Idempotency-Key", `"k-1"`), http.StatusCreated)
	again := h.want(h.do("POST", "/v1/tasks", `{"type":"a","payload":1}`, "Idempotency-Key", `k-1`), http.StatusOK)
	if !strings.Contains(again.body, `"existed":true`) || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("a repeat was answered %s", again.body)
	}
	other := h.want(h.do("POST", "/v1/tasks", `{"type":"a","payload":2,"idempotency_key":"k-1"}`), http.StatusOK)
	if !strings.Contains(other.body, `"mismatch":true`) {
		t.Errorf("24: another payload was answered %s", other.body)
	}
	h.want(h.do("POST", "/v1/tasks", `{"type":"a","payload":2,"idempotency_key":"k-1","on_mismatch":"error"}`), http.StatusConflict)
	h.want(h.do("POST", "/v1/tasks", `{"type":"a","queue":"q2","idempotency_key":"k-1"}`), http.StatusCreated) // 25
	h.want(h.do("POST", "/v1/tasks", `{"type":"a","idempotency_key":"x"}`, "Idempotency-Key", "y"), http.StatusBadRequest)
}

func TestAThousandRepeatsOfOneKeyAreOneTask(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	const repeats, at = 1_000, 20
	statuses := make(chan int, repeats)
	gate := make(chan struct{}, at)
	for range repeats {
		gate <- struct{}{}
		go func() {
			defer func() { <-gate }()
			statuses <- h.do("POST", "/v1/tasks", `{"type":"a","idempotency_key":"k"}`).StatusCode
		}()
	}
	made := 0
	for range repeats {
		switch s := <-statuses; s {
		case http.StatusCreated:
			made++
		case http.StatusOK:
		default:
			t.Errorf("23: a repeat was answered %d", s)
		}
	}
	if made != 1 {
		t.Errorf("%d of %d repeats made a task", made, repeats)
	}
}

func TestSettlingOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.want(h.do("POST", "/v1/tasks/batch", `{"tasks":[`+repeat(`{"type":"a"}`, 6)+`]}`), http.StatusCreated)
	tasks := h.claim(`{"max":6,"lease_seconds":10}`).Tasks
	settle := func(verb string, i int, more string, status int, part string) {
		t.Helper()
		r := h.want(h.do("POST", "/v1/leases/"+verb, `{"lease_token":"`+tasks[i].LeaseToken+`"`+more+`}`), status)
		if !strings.Contains(r.body, part) {
			t.Errorf("%s: %s has no %s", verb, r.body, part)
		}
	}
	settle("complete", 0, `,"task_id":2`, 409, "lease_lost") // 41: another task's
	settle("complete", 0, `,"result":1`, 200, `"completed"`)
	settle("complete", 0, `,"result":1`, 200, `"replayed":true`)    // 42
	settle("complete", 0, `,"result":2`, 409, `already_settled`)    // 43
	settle("fail", 1, `,"error":"x"`, 200, `"pending"`)             // 47
	settle("complete", 1, `,"result":2`, 409, `already_settled`)    // 47
	settle("extend", 2, `,"lease_seconds":3601`, 422, `3600`)       // 50
	settle("fail", 2, `,"error":`+textOf(200<<10), 200, `"status"`) // 48: cut
	h.want(h.do("POST", "/v1/tasks/4/cancel", `{"force":true}`), 200)
	settle("complete", 3, ``, 409, `lease_lost`) // 46
	h.clock.Advance(11 * time.Second)
	if _, err := h.store.Sweep(t.Context(), tq.Retention{}); err != nil {
		t.Fatal(err)
	}
	h.clock.Advance(30 * time.Second) // an outage was forgiven meanwhile
	if _, err := h.store.Sweep(t.Context(), tq.Retention{}); err != nil {
		t.Fatal(err)
	}
	settle("complete", 4, ``, 200, `"late":true`) // 45
	settle("extend", 5, ``, 409, `lease_lost`)    // 49
	for range 3 {
		h.claim(`{"max":10}`)
	}
	settle("complete", 5, ``, 409, `lease no longer held`) // 44
}

func TestActsOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.want(h.do("POST", "/v1/tasks/batch", `{"tasks":[`+repeat(`{"type":"a","max_attempts":1}`, 3)+`]}`), http.StatusCreated)
	tasks := h.claim(`{"max":2}`).Tasks
	h.want(h.do("POST", "/v1/leases/complete", `{"lease_token":"`+tasks[0].LeaseToken+`"}`), 200)
	h.want(h.do("POST", "/v1/leases/fail", `{"lease_token":"`+tasks[1].LeaseToken+`"}`), 200)
	for _, c := range []struct {
		path, body string
		status     int
		part       string
	}{
		{"/v1/tasks/1/rescue", ``, 409, "invalid_state"},             // 51
		{"/v1/tasks/2/rescue", ``, 200, `"changed":true`},            // 51
		{"/v1/tasks/2/rescue", `{}`, 200, `"changed":false`},         // 51
		{"/v1/tasks/1/cancel", ``, 409, "invalid_state"},             // 52
		{"/v1/tasks/3/cancel", `{"reason":"no"}`, 200, `true`},       // 52
		{"/v1/tasks/3/cancel", ``, 200, `"changed":false`},           // 52
		{"/v1/tasks/99/cancel", ``, 404, "not_found"},                //
		{"/v1/tasks/cancel", `{"ids":[99,3]}`, 200, `"not_found"`},   // row by row
		{"/v1/claims", `{"queues":["unknown"]}`, 200, `{"tasks":[]`}, // 53
		{"/v1/claims", `{"types":["b"]}`, 200, `{"tasks":[]`},        // 78
	} {
		if r := h.want(h.do("POST", c.path, c.body), c.status); !strings.Contains(r.body, c.part) {
			t.Errorf("%s: %s has no %s", c.path, r.body, c.part)
		}
	}
	h.want(h.do("PATCH", "/v1/queues/default", `{"paused":true}`), 200)
	if r := h.do("POST", "/v1/claims", `{"queues":["default"]}`); !strings.Contains(r.body, `"paused":["default"]`) {
		t.Errorf("53: a claim on a paused queue was answered %s", r.body)
	}
	h.want(h.do("PATCH", "/v1/queues/default", `{}`), 422)
	if r := h.want(h.do("POST", "/v1/tasks", `{"type":"a","deps":[3],"on_dep_failure":"cancel"}`), 201); !strings.Contains(r.body, "cancelled") {
		t.Errorf("37: a task that waits for a cancelled one was answered %s", r.body)
	}
	h.want(h.do("DELETE", "/v1/tasks/1", ""), 200)
	h.want(h.do("GET", "/v1/tasks/1", ""), 404)
	if r := h.want(h.do("DELETE", "/v1/queues/default/tasks", ""), 200); !strings.Contains(r.body, `"running":0`) {
		t.Errorf("purge answered %s", r.body)
	}
}

func TestABatchWithOneBadRowNamesItAndStoresNothing(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	rows := repeat(`{"type":"a"}`, 500) + `,{"type":"a","priority":99999}`
	r := h.want(h.do("POST", "/v1/tasks/batch", `{"tasks":[`+rows+`]}`), 422)
	if p := into[ops.Problem](t, r); len(p.Errors) != 1 || p.Errors[0].Pointer != "/tasks/500/priority" {
		t.Errorf("38: got %s", r.body)
	}
	if n := into[tq.StatsOut](t, h.get("/v1/stats")).Total.Ready; n != 0 {
		t.Errorf("%d tasks were stored", n)
	}
}

// raw sends bytes as they are and returns the status of the answer, 0 when the
// connection was closed without one.
func (h *hub) raw(text string, body io.Reader) int {
	h.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = c.Close() }() // it may be closed already
	go func() {
		_, _ = io.WriteString(c, text)
		if body != nil {
			_, _ = io.Copy(c, body) // the server may close before it has all
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	return answer.StatusCode
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// chunks sends what r has as chunks of a body.
type chunks struct{ r io.Reader }

func (c chunks) Read(b []byte) (int, error) {
	const size = 1 << 14
	if len(b) < size+10 {
		return 0, io.ErrShortBuffer
	}
	head := copy(b, fmt.Sprintf("%x\r\n", size))
	n, err := io.ReadFull(c.r, b[head:head+size])
	return head + n + copy(b[head+n:], "\r\n"), err
}

func TestAnEndlessBodyIsCutOff(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	head := "POST /v1/tasks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	if status := h.raw(head, chunks{io.LimitReader(endless{}, 1<<30)}); status != http.StatusRequestEntityTooLarge {
		t.Errorf("10: a body without end was answered %d", status)
	}
}

func TestABodyOfAnotherLengthIsRefused(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	head := "POST /v1/tasks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
	for length, want := range map[string]int{"-1": 400, "abc": 400, "5": 400, "10000000000": 413} {
		if status := h.raw(head+length+"\r\n\r\n"+`{"type":"a"}`, nil); status != want {
			t.Errorf("11: Content-Length %s was answered %d, want %d", length, status, want)
		}
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for name, headers := range map[string]string{
		"64 KiB": "X-Big: " + strings.Repeat("x", 64<<10) + "\r\n",
		"10,000": strings.Repeat("X: y\r\n", 10_000),
	} {
		if status := h.raw("GET /healthz HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n", nil); status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("61: %s of headers were answered %d", name, status)
		}
	}
}
