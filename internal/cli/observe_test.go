package cli

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq/internal/config"
)

// fetch asks a hub, or what is beside it, as host.
func fetch(t *testing.T, url, host, token string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestAHubIsMeasuredForThoseWhoMaySee(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir(), "USER": "ann"}
	hub := serveFor(t, env)
	hub.ok("enqueue", "--db", hub.url, "--type", "work", "--queue", "secret", "--payload", "{}")
	if status, _ := fetch(t, hub.url+"/metrics", "", ""); status != http.StatusUnauthorized {
		t.Errorf("a stranger gets %d", status)
	}
	mine, err := readToken(config.TokenFile(func(name string) string { return env[name] }))
	if err != nil {
		t.Fatal(err)
	}
	status, text := fetch(t, hub.url+"/metrics", "", mine)
	for _, want := range []string{`tq_queue_depth{queue="secret",status="ready"} 1`, `tq_operation_duration_seconds_count{code="ok",operation="enqueue_batch"} 1`, `tq_refused_total{reason="unauthenticated"} 1`} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d, without %s:\n%.3000s", status, want, text)
		}
	}
	sam := hub.ok("token", "create", "--db", hub.url, "--name", "sam", "--queue", "own", "--can", "read")
	if _, text := fetch(t, hub.url+"/metrics", "", sam); strings.Contains(text, "secret") || strings.Contains(text, "tq_operation") {
		t.Errorf("sam is told:\n%s", text)
	}
}

// What is secret in a task, and every token, is in no log, fact or metric.
func TestAHubKeepsSecretsToItself(t *testing.T) {
	t.Parallel()
	const canary = "canary-4711"
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir(), "USER": "ann"}
	hub := serveFor(t, env, "--log-level", "debug")
	mine, err := readToken(config.TokenFile(func(name string) string { return env[name] }))
	if err != nil {
		t.Fatal(err)
	}
	hub.ok("enqueue", "--db", hub.url, "--type", "work", "--payload", `{"password":"`+canary+`"}`)
	claimed := hub.object("claim", "--db", hub.url, "--wait", "0")
	hub.ok("complete", "--db", hub.url, "1", "--lease-token", claimed["lease_token"].(string), "--result", `"`+canary+`"`)
	sam := hub.ok("token", "create", "--db", hub.url, "--name", "sam", "--queue", "own", "--can", "read")
	for _, path := range []string{"/v1/tasks?q=" + canary, "/v1/stats?token=" + sam, "/login?code=" + canary, "/v1/" + "nowhere"} {
		fetch(t, hub.url+path, "", sam)
		fetch(t, hub.url+path, "", sam+"x")
		fetch(t, hub.url+path, "evil.example.com", "")
	}
	facts := hub.ok("facts", "--db", hub.url, "--json")
	_, metrics := fetch(t, hub.url+"/metrics", "", mine)
	hub.stop()
	log := <-hub.log
	if !strings.Contains(log, "enqueue_batch") || !strings.Contains(log, "a request was refused") || !strings.Contains(facts, "token.created") {
		t.Fatalf("nothing was logged: %s\n%s", log, facts)
	}
	for where, text := range map[string]string{"the log": log, "the journal": facts, "the metrics": metrics} {
		for what, secret := range map[string]string{"the payload": canary, "the token of this machine": mine[15:], "sam's token": sam[15:], "the lease token": claimed["lease_token"].(string)} {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %s:\n%s", where, what, text)
			}
		}
	}
}

func TestProfilesAreForThisMachineAlone(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir(), "USER": "ann", "TQ_DB": filepath.Join(t.TempDir(), "tq.db")}
	hub := serveFor(t, env, "--pprof", "127.0.0.1:0")
	_, rest, _ := strings.Cut(strings.Join(hub.said, "\n"), "profiles at ")
	url, _, _ := strings.Cut(rest, "\n")
	if status, text := fetch(t, url, "", ""); status != http.StatusOK || !strings.Contains(text, "goroutine") {
		t.Errorf("%s: %d %s", url, status, text)
	}
	if status, _ := fetch(t, url, "evil.example.com:6060", ""); status != http.StatusMisdirectedRequest {
		t.Errorf("another host gets %d", status)
	}
	hub.refused(2, "not a loopback address", "serve", "--addr", "127.0.0.1:0", "--pprof", "0.0.0.0:6060")
	hub.refused(2, "log-level", "serve", "--addr", "127.0.0.1:0", "--log-level", "loud")
}
