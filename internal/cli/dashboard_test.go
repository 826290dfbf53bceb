package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hubWith stands for a hub that answers one route, and says who asked.
func hubWith(t *testing.T, route, body string, status int) (url string, bearer *string) {
	t.Helper()
	var heard string
	mux := http.NewServeMux()
	mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
		heard = r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the test sees what is missing
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, &heard
}

func TestTheLinkToTheDashboardHasACodeAndNoToken(t *testing.T) {
	t.Parallel()
	url, bearer := hubWith(t, "POST /session/code", `{"code":"abc","expires_seconds":900}`, http.StatusOK)
	d := newDesk(t)
	d.client = nil
	d.env["TQ_TOKEN"] = "tq_secret"
	if got := strings.TrimSpace(d.ok("--db", url, "dashboard")); got != url+"/login?code=abc" {
		t.Errorf("printed %q", got)
	}
	if *bearer != "Bearer tq_secret" {
		t.Errorf("asked as %q", *bearer)
	}
	got := strings.TrimSpace(d.ok("--db", url, "dashboard", "--at", "https://tasks.example.com"))
	if got != "https://tasks.example.com/login?code=abc" {
		t.Errorf("for a browser elsewhere it printed %q", got)
	}
}

func TestReadinessIsAnExitStatus(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.client = nil
	up, _ := hubWith(t, "GET /readyz", `{"status":"ready"}`, http.StatusOK)
	d.ok("--db", up, "ready")
	down, _ := hubWith(t, "GET /readyz", ``, http.StatusServiceUnavailable)
	d.refused(6, "503", "--db", down, "ready")
	d.refused(2, "asks a hub", "ready", "--db", filepath.Join(t.TempDir(), "tq.db"))
}

func TestATokenComesFromTheFileThatTheEnvironmentNames(t *testing.T) {
	t.Parallel()
	url, bearer := hubWith(t, "POST /session/code", `{"code":"abc"}`, http.StatusOK)
	d := newDesk(t)
	d.client = nil
	path := filepath.Join(t.TempDir(), "token")
	d.env["TQ_TOKEN_FILE"] = path
	d.refused(2, "TQ_TOKEN_FILE", "--db", url, "dashboard")
	if err := os.WriteFile(path, []byte("tq_mounted\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.ok("--db", url, "dashboard")
	if *bearer != "Bearer tq_mounted" {
		t.Errorf("asked as %q", *bearer)
	}
}

func TestASetupMayMakeItsTokenAtEveryStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := filepath.Join(t.TempDir(), "sub", "token")
	create := []string{"token", "create", "--name", "worker", "--queue", "*", "--can", "claim", "--file", path}
	if printed := d.ok(create...); printed != "" {
		t.Errorf("printed %q, the secret belongs into the file", printed)
	}
	first, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(first), "tq_") {
		t.Fatalf("the file has %q (%v)", first, err)
	}
	d.ok(create...)
	again, err := os.ReadFile(path)
	if err != nil || string(again) != string(first) {
		t.Errorf("the second start wrote %q over %q (%v)", again, first, err)
	}
	if list := d.ok("token", "list"); strings.Count(list, "worker") != 1 {
		t.Errorf("more than one token was made:\n%s", list)
	}
}
