package server

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"

	"example.com/tq"
)

// Sessions of the dashboard: who logs in with a token, or with the code in the
// link that the hub printed, gets a cookie. A session is as good as its token:
// when that is revoked or expires, so does the session. It outlives the hub
// (sessions.go).
//
//	GET    /login?code=…   the printed link: logs in once and goes to the dashboard
//	POST   /session        {"token": …} or {"code": …}: logs in
//	GET    /session        who am I
//	DELETE /session        logs out
//	POST   /session/code   a code for the link, with the rights of the bearer

const (
	sessionFor  = 7 * 24 * time.Hour
	codeFor     = 15 * time.Minute
	maxSessions = 10_000
	maxCodes    = 1_000
	maxLogin    = 4 << 10 // bytes of a request to log in
)

// Code makes a code that logs in once with the rights of a token.
func (g *Gate) Code(secret string) string {
	return g.codes.add(secret, time.Now())
}

// KeepSessions reads the sessions that a hub before this one kept in a file, and
// keeps them there. Call it before the first request.
func (g *Gate) KeepSessions(path string) {
	if err := g.sessions.keep(path, time.Now()); err != nil {
		g.Log.Warn("everybody has to log in anew", "error", err)
	}
}

// cookieOf is what the cookie of r says, "" for none.
func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// cookieName tells hubs on one machine apart: cookies do not know of ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return "tq_session"
	}
	return "tq_session_" + port
}

// session answers the routes of sessions, and reports whether r was one.
func (g *Gate) session(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodGet && r.URL.Query().Get("code") != "":
		g.logInByLink(w, r)
	case r.URL.Path == "/session/code" && r.Method == http.MethodPost:
		g.newCode(w, r)
	case r.URL.Path == "/session/code":
		Refuse(w, r, notAllowed(r, "POST"))
	case r.URL.Path != "/session":
		return false
	case r.Method == http.MethodPost:
		g.logIn(w, r)
	case r.Method == http.MethodDelete:
		g.logOut(w, r)
	case r.Method == http.MethodGet:
		g.whoAmI(w, r)
	default:
		Refuse(w, r, notAllowed(r, "GET, POST, DELETE"))
	}
	return true
}

// logInByLink spends the code and goes on, so that it stays in no history.
func (g *Gate) logInByLink(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	if secret := g.codes.spend(r.URL.Query().Get("code")); secret != "" {
		g.begin(w, r, secret)
	} else {
		g.Refused("code")
	}
	http.Redirect(w, r, "./", http.StatusSeeOther) // the dashboard asks who is not in
}

func (g *Gate) logIn(w http.ResponseWriter, r *http.Request) {
	if err := wantJSON(r); err != nil {
		g.refuse(w, r, "content_type", err)
		return
	}
	var in struct{ Token, Code string }
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLogin))
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		g.refuse(w, r, "login", malformed("invalid_json", "want {\"token\": …} or {\"code\": …}"))
		return
	}
	if in.Token == "" && in.Code != "" {
		in.Token = g.codes.spend(in.Code)
	}
	_, token, err := g.Broker.Admit(r.Context(), in.Token)
	if tq.CodeOf(err) == tq.CodeUnauthenticated && g.failures.tooMany(addressOf(r), g.Failures) {
		e := tq.Errorf(tq.CodeTooMany, "too many tokens from your address were not valid")
		e.RetryAfter = failuresFor
		err = e
	}
	if err != nil {
		g.refuse(w, r, "login", err)
		return
	}
	g.begin(w, r, in.Token)
	writeWho(w, token)
}

// logOut forgets the session. When that could not be written down the session
// would be back with the next start of the hub, so it says so.
func (g *Gate) logOut(w http.ResponseWriter, r *http.Request) {
	g.setCookie(w, r, "", -1)
	if err := g.sessions.end(cookieOf(r)); err != nil {
		g.Log.Error("forget a session", "error", err)
		g.refuse(w, r, "logout", tq.Errorf(tq.CodeInternal, "you are logged out until the hub starts anew: its file of sessions could not be written").
			WithHint("revoke the token to be sure: tq token revoke ID"))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// newCode answers a bearer with a code, so that a program can print a link that
// logs a person in without showing the token.
func (g *Gate) newCode(w http.ResponseWriter, r *http.Request) {
	secret, given := bearer(r)
	if !given {
		g.refuse(w, r, "code", tq.Errorf(tq.CodeUnauthenticated, "only the bearer of a token gets a code").
			WithHint("send Authorization: Bearer TOKEN"))
		return
	}
	if _, _, err := g.caller(r); err != nil {
		g.refuse(w, r, reasonOf(err), err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]any{"code": g.Code(secret), "expires_seconds": codeFor.Seconds()}) // the client is gone
}

// begin opens a session.
func (g *Gate) begin(w http.ResponseWriter, r *http.Request, secret string) {
	value, err := g.sessions.begin(secret, time.Now().Add(sessionFor))
	if err != nil {
		g.Log.Warn("a session ends with this hub", "error", err)
	}
	g.setCookie(w, r, value, int(sessionFor.Seconds()))
}

func (g *Gate) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.Secure || r.TLS != nil,
	})
}

func (g *Gate) whoAmI(w http.ResponseWriter, r *http.Request) {
	_, token, err := g.caller(r)
	if err != nil {
		g.refuse(w, r, reasonOf(err), err)
		return
	}
	writeWho(w, token)
}

func writeWho(w http.ResponseWriter, t tq.Token) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(t) // the client is gone
}
