package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Server-sent events: how they are written, whatever they tell.

const (
	aliveEvery = 15 * time.Second // a comment, so that proxies and clients see a living stream
	writeTime  = 10 * time.Second // for one write; a client that does not read is gone
	streamTime = 15 * time.Minute // then the client comes again, and its token is looked at again
)

// stream writes events to one client.
type stream struct {
	w    http.ResponseWriter
	conn *http.ResponseController
	b    bytes.Buffer
}

// wantsStream reports whether a client asked for events.
func wantsStream(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// openStream sends the headers at once.
func openStream(w http.ResponseWriter) (*stream, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // asks a proxy not to hold events back
	s := &stream{w: w, conn: http.NewResponseController(w)}
	w.WriteHeader(http.StatusOK)
	s.b.WriteString("retry: 1000\n\n")
	return s, s.flush()
}

// event adds one event; flush sends what was added.
func (s *stream) event(name string, id int64, data any) error {
	if id > 0 {
		s.b.WriteString("id: " + strconv.FormatInt(id, 10) + "\n")
	}
	s.b.WriteString("event: " + name + "\ndata: ")
	enc := json.NewEncoder(&s.b) // writes one line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return err
	}
	s.b.WriteByte('\n')
	return nil
}

// alive sends a comment.
func (s *stream) alive() error {
	s.b.WriteString(":\n\n")
	return s.flush()
}

func (s *stream) flush() error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	_, err := s.w.Write(s.b.Bytes())
	s.b.Reset()
	if err != nil {
		return err
	}
	return s.conn.Flush()
}
