package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/server"
)

// guarded is a hub behind a gate, with what the gate counted and logged.
type guarded struct {
	*hub
	gate *server.Gate
	log  *safeBuffer

	mu      sync.Mutex
	refused []string
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newGuarded(t *testing.T, change func(*server.GateOptions)) *guarded {
	t.Helper()
	g := &guarded{log: &safeBuffer{}}
	g.hub = newHub(t, func(o *server.Options) {
		in := server.GateOptions{
			Broker: o.Client(t.Context()).(*tq.Broker), Log: slog.New(slog.NewJSONHandler(g.log, nil)),
			Refused: func(reason string) {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.refused = append(g.refused, reason)
			},
		}
		if change != nil {
			change(&in)
		}
		gate, err := server.NewGate(in)
		if err != nil {
			t.Fatal(err)
		}
		g.gate = gate
		o.Client, o.Wrap, o.Around = gate.Client, []server.Middleware{gate.Wrap}, []server.Around{gate.Around}
		o.Site = map[string]http.Handler{
			"GET /metrics": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
			"/":            http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		}
	})
	g.gate.Pattern = g.server.Pattern
	return g
}

// token makes one over queue own, and answers its secret.
func (g *guarded) token(can ...tq.Scope) string {
	g.t.Helper()
	out, err := g.broker.CreateToken(g.t.Context(), tq.CreateTokenIn{Name: "sam", Can: can, Queues: []string{"own"}})
	if err != nil {
		g.t.Fatal(err)
	}
	return out.Secret
}

func bearer(secret string) []string { return []string{"Authorization", "Bearer " + secret} }

func (g *guarded) reasons() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.refused)
}

// walk calls f with every route of the server, filled in.
func (g *guarded) walk(f func(method, path string)) {
	g.t.Helper()
	for i := range g.server.Table() {
		for _, route := range g.server.Table()[i].Routes {
			path := ops.Path(route)
			for _, name := range ops.PathNames(route) {
				path = strings.ReplaceAll(path, "{"+name+"}", "1")
			}
			f(ops.Method(route), path)
		}
	}
	f("GET", "/metrics")
	f("GET", "/openapi.json")
	f("GET", "/session")
}

func TestEveryRouteButThePublicOnesWantsAToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *server.GateOptions) { o.Failures = 1 << 20 })
	spent := g.token(tq.CanRead)
	if _, err := g.broker.RevokeToken(t.Context(), tq.RevokeTokenIn{ID: spent[3:13]}); err != nil {
		t.Fatal(err)
	}
	g.walk(func(method, path string) {
		for _, headers := range [][]string{
			nil, bearer(""), bearer("rubbish"), bearer(spent), {"Authorization", "Basic c2FtOnNhbQ=="}, {"Cookie", "tq_session=x"},
		} {
			r := g.want(g.do(method, path, "", headers...), http.StatusUnauthorized)
			if r.Header.Get("WWW-Authenticate") == "" || r.Header.Get("Content-Type") != ops.ProblemType {
				t.Errorf("%s %s: headers %v", method, path, r.Header)
			}
		}
		g.want(g.do(method, path+"?token="+spent, ""), http.StatusUnauthorized)
	})
	g.want(g.do("GET", "/v1/nowhere", ""), http.StatusUnauthorized)
	g.want(g.do("POST", "/healthz", ""), http.StatusUnauthorized)
	for _, path := range []string{"/healthz", "/readyz", "/", "/assets/x.js", "/login"} {
		g.want(g.do("GET", path, ""), http.StatusOK)
	}
	if strings.Contains(g.log.String(), spent[14:]) {
		t.Error("the log tells a token")
	}
}

// Each operation over HTTP, with each scope, on an own and on a foreign task.
func TestScopesHoldOverHTTP(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	secrets := map[tq.Scope]string{}
	for _, s := range tq.Scopes() {
		secrets[s] = g.token(s)
	}
	all := g.token(tq.Scopes()...)
	for i := range g.server.Table() {
		o := &g.server.Table()[i]
		for _, queue := range []string{"own", "other"} {
			body := g.bodyFor(o.Name, queue)
			for _, scope := range tq.Scopes() {
				id := g.put(queue)
				r := g.ask(o, id, queue, body(id), secrets[scope])
				alone := o.Name != "check" && o.Name != "bulk" // those want to see everything, and to read too
				may := slices.Contains(o.Scopes, scope) && alone
				if !may && r.StatusCode != http.StatusForbidden || may && queue == "own" && r.StatusCode == http.StatusForbidden {
					t.Errorf("%s of %s with %s: %d %s", o.Name, queue, scope, r.StatusCode, r.body)
				}
			}
			id := g.put("other")
			if queue == "other" && (strings.Contains(o.Routes[0], "/tasks/{") || strings.Contains(o.Routes[0], "/jobs/{")) {
				g.want(g.ask(o, id, queue, body(id), all), http.StatusNotFound)
			}
		}
	}
}

func (g *guarded) put(queue string) string {
	g.t.Helper()
	out, err := g.broker.Enqueue(g.t.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: queue, Type: "work"}}})
	if err != nil {
		g.t.Fatal(err)
	}
	return string(tq.ID(out.Tasks[0].ID))
}

// ask sends an operation about a task, or its queue.
func (g *guarded) ask(o *ops.Op, id, queue, body, secret string) reply {
	g.t.Helper()
	path := strings.NewReplacer("{id}", id, "{task_id}", id, "{queue}", queue).Replace(ops.Path(o.Routes[0]))
	if !ops.HasBody(o.Routes[0]) {
		body = ""
	}
	return g.do(ops.Method(o.Routes[0]), path, body, bearer(secret)...)
}

// bodyFor is a body that the operation takes.
func (g *guarded) bodyFor(name, queue string) func(id string) string {
	fixed := map[string]string{
		"enqueue": `{"type":"work","queue":"` + queue + `"}`, "enqueue_alias": `{"type":"work","queue":"` + queue + `"}`, "enqueue_batch": `{"tasks":[{"type":"work","queue":"` + queue + `"}]}`,
		"claim": `{"queues":["` + queue + `"]}`, "queue_set": `{"paused":false}`,
		"complete": `{"lease_token":"x"}`, "fail": `{"lease_token":"x"}`, "release": `{"lease_token":"x"}`, "extend": `{"lease_token":"x"}`,
		"token_create": `{"name":"t","can":["admin"],"queues":["own"]}`,
		"cancel":       `{}`, "requeue": `{}`, "rescue": `{}`, "token_rotate": `{}`,
		"bulk": `{"verb":"cancel","filter":"status:dead","dry_run":true}`,
	}
	return func(id string) string {
		if text, ok := fixed[name]; ok {
			return text
		}
		return `{"ids":[` + id + `]}`
	}
}

func TestForeignHostsAreMisdirected(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *server.GateOptions) { o.Hosts = []string{"hub.example.com"} })
	secret := g.token(tq.CanRead)
	for host, want := range map[string]int{
		"evil.example.com": 421, "evil.example.com:8080": 421, "localhost.evil.com": 421, "8.8.8.8": 421, "[2001:db8::1]:80": 421, "0.0.0.0": 421,
		"localhost": 200, "LOCALHOST:9": 200, "127.0.0.1:1": 200, "[::1]:8080": 200, "[::ffff:127.0.0.1]": 200,
		"hub.example.com": 200, "HUB.example.com:443": 200, "hub.example.com.": 200, "sub.hub.example.com": 421,
	} {
		for _, path := range []string{"/v1/stats", "/healthz", "/", "/session"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			r.Header.Set("Authorization", "Bearer "+secret)
			if got := g.send(r); got.StatusCode != want {
				t.Errorf("Host %s: GET %s answers %d, want %d", host, path, got.StatusCode, want)
			}
		}
	}
}

func TestOtherOriginsAndSitesChangeNothing(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	secret := g.token(tq.Scopes()...)
	id := g.put("own")
	for name, headers := range map[string][]string{
		"a foreign origin": {"Origin", "https://evil.example.com"}, "no origin": {"Origin", "null"},
		"rubbish": {"Origin", "x"}, "a file": {"Origin", "file://localhost"},
		"cross-site": {"Sec-Fetch-Site", "cross-site"}, "same-site": {"Sec-Fetch-Site", "same-site"},
		"another port here": {"Origin", "http://localhost:1"},
	} {
		headers = append(headers, bearer(secret)...)
		for _, r := range []reply{
			g.do("POST", "/v1/tasks", `{"type":"work","queue":"own"}`, headers...),
			g.do("PATCH", "/v1/queues/own", `{"paused":true}`, headers...),
			g.do("DELETE", "/v1/tasks/"+id, "", headers...),
			g.do("DELETE", "/v1/queues/own/tasks", "", headers...),
			g.do("POST", "/session", `{"token":"x"}`, headers...),
			g.do("DELETE", "/session", "", headers...),
		} {
			if r.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %s %s answers %d", name, r.Request.Method, r.Request.URL.Path, r.StatusCode)
			}
		}
	}
	g.want(g.do("GET", "/v1/stats", "", append(bearer(secret), "Origin", "https://evil.example.com")...), http.StatusForbidden)
	g.want(g.do("GET", "/v1/stats", "", append(bearer(secret), "Origin", g.url)...), http.StatusOK)
	g.want(g.do("GET", "/v1/tasks/"+id, "", bearer(secret)...), http.StatusOK)
	stats := into[tq.StatsOut](t, g.want(g.do("GET", "/v1/stats", "", bearer(secret)...), http.StatusOK))
	if stats.Total.Ready != 1 || stats.Queues[0].Paused {
		t.Errorf("something was changed: %+v", stats)
	}
}

func TestFormsAndPackedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	secret := g.token(tq.CanEnqueue)
	for _, headers := range [][]string{
		{"Content-Type", "application/x-www-form-urlencoded"},
		{"Content-Type", "text/plain"},
		{"Content-Type", "multipart/form-data; boundary=x"},
		{"Content-Encoding", "gzip"},
		{"Content-Encoding", "br"},
	} {
		g.want(g.do("POST", "/v1/tasks", `{"type":"work","queue":"own"}`, append(headers, bearer(secret)...)...), http.StatusUnsupportedMediaType)
		g.want(g.do("POST", "/session", `{"token":"x"}`, headers...), http.StatusUnsupportedMediaType)
	}
}

func TestGuessersAreSlowedAndNobodyElse(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *server.GateOptions) { o.Failures = 3 })
	secret := g.token(tq.CanRead)
	for range 3 {
		g.want(g.do("GET", "/v1/stats", "", bearer("tq_guess")...), http.StatusUnauthorized)
	}
	r := g.want(g.do("GET", "/v1/stats", "", bearer("tq_guess")...), http.StatusTooManyRequests)
	if r.Header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
	g.want(g.do("POST", "/session", `{"token":"tq_guess"}`), http.StatusTooManyRequests)
	g.want(g.do("GET", "/v1/stats", "", bearer(secret)...), http.StatusOK)
	if got := g.reasons(); len(got) != 5 || got[0] != "unauthenticated" || got[3] != "too_many" {
		t.Errorf("counted %v", got)
	}
}

func TestATokenKeepsToItsRate(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *server.GateOptions) { o.Rate = 0.001 })
	one, other := g.token(tq.CanRead), g.token(tq.CanRead)
	r := g.want(g.do("GET", "/v1/stats", "", bearer(one)...), http.StatusOK)
	if r.Header.Get("RateLimit") != `"default";r=0;t=1` || r.Header.Get("RateLimit-Policy") != `"default";q=1;w=1` {
		t.Errorf("headers %v", r.Header)
	}
	r = g.want(g.do("GET", "/v1/stats", "", bearer(one)...), http.StatusTooManyRequests)
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	g.want(g.do("GET", "/v1/stats", "", bearer(other)...), http.StatusOK)
}

func TestWaitersAreCounted(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *server.GateOptions) { o.Waiters, o.AllWaiters = 1, 2 })
	as := func(secret string) context.Context {
		var ctx context.Context
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		g.gate.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ctx = r.Context() })).ServeHTTP(httptest.NewRecorder(), r)
		return ctx
	}
	a, b, c := as(g.token(tq.CanClaim)), as(g.token(tq.CanClaim)), as(g.token(tq.CanClaim))
	leave, err := g.gate.Wait(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.gate.Wait(a); tq.CodeOf(err) != tq.CodeTooMany {
		t.Errorf("a second one of the token: %v", err)
	}
	if _, err := g.gate.Wait(b); err != nil {
		t.Error(err)
	}
	if _, err := g.gate.Wait(c); tq.CodeOf(err) != tq.CodeTooMany {
		t.Errorf("a third one of all: %v", err)
	}
	leave()
	leave()
	if _, err := g.gate.Wait(c); err != nil {
		t.Errorf("after one has left: %v", err)
	}
	if token, ok := server.Caller(a); !ok || token.Name != "sam" || token.Hash != [32]byte{} {
		t.Errorf("the caller is %+v", token)
	}
}
