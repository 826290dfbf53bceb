package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// What Claude Code, Codex and opencode say when they connect: recorded by make
// mcp-clients, which fetches them, and said again here to a hub of today.

// sent is one request as an agent sent it.
type sent struct {
	Method string            `json:"method"`
	Header map[string]string `json:"header"`
	Body   json.RawMessage   `json:"body,omitempty"`
}

// kept are the headers that matter to the protocol. Tokens are not among them.
func kept() []string {
	return []string{"Accept", "Content-Type", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "User-Agent"}
}

func TestRecordedHandshakesAreAnswered(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "handshakes", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var all []sent
			if err := json.Unmarshal(b, &all); err != nil {
				t.Fatal(err)
			}
			h := newHub(t)
			h.answers(t, all)
		})
	}
}

// answers sends what was recorded and wants each request answered.
func (h *hub) answers(t *testing.T, all []sent) {
	t.Helper()
	secret, session, listed := h.everything("sam"), "", false
	for _, s := range all {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		req, err := http.NewRequestWithContext(ctx, s.Method, h.url, bytes.NewReader(s.Body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range s.Header {
			req.Header.Set(name, value)
		}
		if req.Header.Get("Mcp-Session-Id") != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s %s: %v", s.Method, s.Body, err)
		}
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		said := ""
		if s.Method == http.MethodPost {
			b, _ := io.ReadAll(r.Body) // judged by what is in it
			said = string(b)
		}
		_ = r.Body.Close() // a stream goes on
		stop()
		isCall := bytes.Contains(s.Body, []byte(`"id"`))
		if r.StatusCode >= 300 || isCall && !strings.Contains(said, `"result"`) {
			t.Errorf("%s %s is answered %s %s", s.Method, s.Body, r.Status, said)
		}
		listed = listed || strings.Contains(said, `"tq_claim"`)
	}
	if !listed {
		t.Error("the tools were not listed")
	}
}

// agent is a program that connects by itself, and how it is made to.
type agent struct {
	name  string
	setup [][]string // commands before
	start []string   // the command that connects
	files map[string]string
}

func realAgents(url, secret string) []agent {
	return []agent{
		{
			name:  "claude",
			setup: [][]string{{"claude", "mcp", "add", "--transport", "http", "tq", url, "--header", "Authorization: Bearer " + secret}},
			start: []string{"claude", "mcp", "list"},
		},
		{
			name:  "codex",
			setup: [][]string{{"codex", "mcp", "add", "tq", "--url", url, "--bearer-token-env-var", "TQ_TOKEN"}},
			start: []string{"codex", "exec", "--skip-git-repo-check", "say nothing"},
		},
		{
			name:  "opencode",
			files: map[string]string{"opencode.json": `{"mcp":{"tq":{"type":"remote","url":"` + url + `","headers":{"Authorization":"Bearer ` + secret + `"}}}}`},
			start: []string{"opencode", "mcp", "list"},
		},
	}
}

// TestRealAgentsConnect is make mcp-clients: TQ_AGENTS names the folder with
// their programs. Without an account they do not get further than the list of
// tools, and some never end by themselves.
func TestRealAgentsConnect(t *testing.T) {
	bin := os.Getenv("TQ_AGENTS")
	if bin == "" {
		t.Log("TQ_AGENTS is not set: their recorded handshakes are tried by TestRecordedHandshakesAreAnswered; make mcp-clients fetches them")
		return
	}
	h := newHub(t)
	secret := h.everything("sam")
	for i := range realAgents("", "") {
		rec := &recorder{}
		url := forward(t, h.base, rec.note) + "/mcp"
		a := realAgents(url, secret)[i]
		t.Run(a.name, func(t *testing.T) {
			rec.listed = make(chan struct{})
			a.connect(t, bin, secret, rec.listed)
			rec.write(t, a.name)
		})
	}
}

// recorder keeps what goes by.
type recorder struct {
	mu     sync.Mutex
	all    []sent
	listed chan struct{} // closed when the tools were asked for
	once   sync.Once
}

func (rec *recorder) note(r *http.Request) {
	s := sent{Method: r.Method, Header: map[string]string{}}
	for _, name := range kept() {
		if value := r.Header.Get(name); value != "" {
			s.Header[name] = value
		}
	}
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body) // what came is what goes on
		r.Body = io.NopCloser(bytes.NewReader(b))
		if json.Valid(b) {
			s.Body = b
		}
	}
	rec.mu.Lock()
	rec.all = append(rec.all, s)
	rec.mu.Unlock()
	if bytes.Contains(s.Body, []byte(`"tools/list"`)) {
		rec.once.Do(func() { close(rec.listed) })
	}
}

func (rec *recorder) write(t *testing.T, name string) {
	t.Helper()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	mcp := slices.DeleteFunc(slices.Clone(rec.all), func(s sent) bool { return s.Method != http.MethodPost && s.Method != http.MethodGet })
	b, err := json.MarshalIndent(mcp, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", "handshakes", name+".json"), append(b, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s sent %d requests", name, len(mcp))
}

// connect starts the agent in a home of its own and waits until it has asked
// for the tools.
func (a *agent) connect(t *testing.T, bin, secret string, listed <-chan struct{}) {
	t.Helper()
	home := t.TempDir()
	for name, text := range a.files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Second)
	defer stop()
	command := func(args []string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(bin, args[0]), args[1:]...)
		cmd.Dir = home
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TQ_TOKEN=" + secret, "NO_COLOR=1"}
		endTogether(cmd)
		cmd.WaitDelay = 5 * time.Second
		return cmd
	}
	for _, args := range a.setup {
		if out, err := command(args).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	var said bytes.Buffer
	cmd := command(a.start)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-listed:
	case <-ctx.Done():
		t.Errorf("%s did not ask for the tools in time:\n%s", a.name, said.String())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its exit status says whether it has an account
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second): // for what it asks after that
		_ = cmd.Cancel()
		<-ended
	}
	t.Logf("%s said:\n%s", a.name, said.String())
}
