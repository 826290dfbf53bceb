package server_test

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/server"
)

// cookie is the session of an answer, as a header.
func cookie(t *testing.T, r reply) []string {
	t.Helper()
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, "tq_session") {
			if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
				t.Errorf("the cookie is %+v", c)
			}
			return []string{"Cookie", c.Name + "=" + c.Value}
		}
	}
	t.Fatalf("no session: %v", r.Header)
	return nil
}

// unfollowed sees redirects instead of following them.
func (g *guarded) unfollowed() *guarded {
	g.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return g
}

func TestThePrintedLinkLogsInOnce(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil).unfollowed()
	code := g.gate.Code(g.token(tq.CanRead))
	r := g.want(g.do("GET", "/login?code="+code, ""), http.StatusSeeOther)
	if strings.Contains(r.Header.Get("Location"), code) || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers %v", r.Header)
	}
	session := cookie(t, r)
	g.want(g.do("GET", "/v1/stats", "", session...), http.StatusOK)
	who := into[tq.Token](t, g.want(g.do("GET", "/session", "", session...), http.StatusOK))
	if who.Name != "sam" || !who.Allows(tq.CanRead) {
		t.Errorf("who am I: %+v", who)
	}
	for _, spent := range []string{code, "guess"} {
		if again := g.want(g.do("GET", "/login?code="+spent, ""), http.StatusSeeOther); len(again.Cookies()) > 0 {
			t.Error("the code is good twice")
		}
	}
	g.want(g.do("GET", "/v1/stats", "", "Cookie", "tq_session=guess"), http.StatusUnauthorized)
	if strings.Contains(g.log.String(), code) {
		t.Error("the log tells the code")
	}
}

func TestABearerGetsACodeForALink(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil).unfollowed()
	bearer := []string{"Authorization", "Bearer " + g.token(tq.CanRead)}
	got := into[struct {
		Code    string
		Expires float64 `json:"expires_seconds"`
	}](t, g.want(g.do("POST", "/session/code", "", bearer...), http.StatusOK))
	if got.Expires != 900 {
		t.Errorf("good for %v s", got.Expires)
	}
	session := cookie(t, g.want(g.do("GET", "/login?code="+got.Code, ""), http.StatusSeeOther))
	g.want(g.do("POST", "/session/code", "", session...), http.StatusUnauthorized)
	g.want(g.do("POST", "/session/code", ""), http.StatusUnauthorized)
	g.want(g.do("POST", "/session/code", "", "Authorization", "Bearer guess"), http.StatusUnauthorized)
	g.want(g.do("GET", "/session/code", "", bearer...), http.StatusMethodNotAllowed)
}

func TestASessionEndsByHandAndWithItsToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	secret := g.token(tq.CanRead)
	first := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+secret+`"}`), http.StatusOK))
	second := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+secret+`"}`), http.StatusOK))
	g.want(g.do("DELETE", "/session", "", first...), http.StatusNoContent)
	g.want(g.do("GET", "/v1/stats", "", first...), http.StatusUnauthorized)
	g.want(g.do("GET", "/v1/stats", "", second...), http.StatusOK)
	g.want(g.do("GET", "/v1/stats", "", append(second, bearer("bad")...)...), http.StatusUnauthorized)
	if _, err := g.broker.RevokeToken(t.Context(), tq.RevokeTokenIn{ID: secret[3:13]}); err != nil {
		t.Fatal(err)
	}
	g.want(g.do("GET", "/v1/stats", "", second...), http.StatusUnauthorized)
	g.want(g.do("GET", "/session", "", second...), http.StatusUnauthorized)
}

func TestLoggingInIsStrict(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *server.GateOptions) { o.Secure = true })
	for _, body := range []string{"", "{}", `{"token":""}`, `{"code":"x"}`, `[]`, `{"token":1}`, strings.Repeat(" ", 8<<10)} {
		if r := g.do("POST", "/session", body); r.StatusCode != http.StatusUnauthorized && r.StatusCode != http.StatusBadRequest {
			t.Errorf("body %.20q: %d %s", body, r.StatusCode, r.body)
		}
	}
	g.want(g.do("PUT", "/session", `{}`), http.StatusMethodNotAllowed)
	r := g.want(g.do("POST", "/session", `{"token":"`+g.token(tq.CanRead)+`"}`), http.StatusOK)
	for _, c := range r.Cookies() {
		if !c.Secure {
			t.Errorf("over TLS the cookie is %+v", c)
		}
	}
}

// restarted is the next hub over the same store and the same file of sessions.
func (g *guarded) restarted(file string) *guarded {
	g.t.Helper()
	next := newGuarded(g.t, func(o *server.GateOptions) { o.Broker = g.broker })
	next.gate.KeepSessions(file)
	return next
}

// under is the session of a cookie at another hub: a browser names the cookie by the port.
func (g *guarded) under(session []string) []string {
	_, value, _ := strings.Cut(session[1], "=")
	u, err := url.Parse(g.url)
	if err != nil {
		g.t.Fatal(err)
	}
	return []string{"Cookie", "tq_session_" + u.Port() + "=" + value}
}

func TestASessionOutlivesTheHubAndItsEndDoesToo(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	file := filepath.Join(t.TempDir(), "sessions")
	g.gate.KeepSessions(file)
	secret := g.token(tq.CanRead)
	stays := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+secret+`"}`), http.StatusOK))
	ends := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+secret+`"}`), http.StatusOK))
	g.want(g.do("DELETE", "/session", "", ends...), http.StatusNoContent)

	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, value, _ := strings.Cut(stays[1], "=")
	for _, told := range []string{secret, value} {
		if bytes.Contains(kept, []byte(told)) {
			t.Errorf("the file tells %s", told)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the file: %v %v", info.Mode(), err)
	}

	next := g.restarted(file)
	next.want(next.do("GET", "/v1/stats", "", next.under(stays)...), http.StatusOK)
	next.want(next.do("GET", "/v1/stats", "", next.under(ends)...), http.StatusUnauthorized)
	if _, err := g.broker.RevokeToken(t.Context(), tq.RevokeTokenIn{ID: secret[3:13]}); err != nil {
		t.Fatal(err)
	}
	next.want(next.do("GET", "/v1/stats", "", next.under(stays)...), http.StatusUnauthorized)
}

func TestAFileOfSessionsThatMakesNoSenseLogsEverybodyOut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "null", "[]", `{"x":{"token":"AA==","until":"2999-01-01T00:00:00Z"}}`, "\x00"} {
		file := filepath.Join(t.TempDir(), "sessions")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		g := newGuarded(t, nil)
		g.gate.KeepSessions(file)
		g.want(g.do("GET", "/v1/stats", "", g.under([]string{"Cookie", "a=x"})...), http.StatusUnauthorized)
		session := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+g.token(tq.CanRead)+`"}`), http.StatusOK))
		next := g.restarted(file)
		next.want(next.do("GET", "/v1/stats", "", next.under(session)...), http.StatusOK)
	}
}

func TestALogOutThatCannotBeKeptSaysSo(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	folder := filepath.Join(t.TempDir(), "sub")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	g.gate.KeepSessions(filepath.Join(folder, "sessions"))
	session := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+g.token(tq.CanRead)+`"}`), http.StatusOK))
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	g.want(g.do("GET", "/v1/stats", "", session...), http.StatusOK)
	g.want(g.do("DELETE", "/session", "", session...), http.StatusInternalServerError)
	g.want(g.do("GET", "/v1/stats", "", session...), http.StatusUnauthorized)
}

func TestSessionsStayInMemoryWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	g.gate.KeepSessions(filepath.Join(t.TempDir(), "no such folder", "sessions"))
	session := cookie(t, g.want(g.do("POST", "/session", `{"token":"`+g.token(tq.CanRead)+`"}`), http.StatusOK))
	g.want(g.do("GET", "/v1/stats", "", session...), http.StatusOK)
	g.want(g.do("DELETE", "/session", "", session...), http.StatusNoContent)
	g.want(g.do("GET", "/v1/stats", "", session...), http.StatusUnauthorized)
}
