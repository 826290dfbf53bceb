package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// A session belongs to whoever opened it: a request with another token does not
// find it. The owner is signed into the session's name, so that nothing has to
// be kept.

type owners struct{ key []byte }

func newOwners() owners {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails, see crypto/rand
	return owners{key}
}

func (o *owners) sign(owner, session string) string {
	mac := hmac.New(sha256.New, o.key)
	mac.Write([]byte(session + "\x00" + owner))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// seal is the session's name as its owner gets it.
func (o *owners) seal(owner, session string) string { return session + "." + o.sign(owner, session) }

// open answers the name that was sealed, and whether it is this owner's. No
// session is anybody's.
func (o *owners) open(owner, sealed string) (session string, known bool) {
	if sealed == "" {
		return "", true
	}
	session, mac, _ := strings.Cut(sealed, ".")
	return session, hmac.Equal([]byte(mac), []byte(o.sign(owner, session)))
}

// sessionWriter seals the session's name on its way out.
type sessionWriter struct {
	http.ResponseWriter
	owners *owners
	owner  string
	sealed bool
}

// Unwrap lets http.ResponseController through.
func (w *sessionWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *sessionWriter) seal() {
	if id := w.Header().Get(sessionHeader); id != "" && !w.sealed {
		w.Header().Set(sessionHeader, w.owners.seal(w.owner, id))
	}
	w.sealed = true
}

func (w *sessionWriter) WriteHeader(status int) {
	w.seal()
	w.ResponseWriter.WriteHeader(status)
}

func (w *sessionWriter) Write(b []byte) (int, error) {
	w.seal()
	return w.ResponseWriter.Write(b)
}
