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
	maxWrite   = 64 << 10         // bytes, about, of one write: what a slow line can take in that time
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

// event adds one event, whose data is one line of JSON; flush sends what was
// added.
func (s *stream) event(name string, id int64, data []byte) {
	if id > 0 {
		s.b.WriteString("id: " + strconv.FormatInt(id, 10) + "\n")
	}
	s.b.WriteString("event: " + name + "\ndata: ")
	s.b.Write(bytes.TrimSpace(data))
	s.b.WriteString("\n\n")
}

// asLine writes what always encodes: facts, counts, our own words.
func asLine(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // see above
	return b.Bytes()
}

// comment sends what clients pass over; an empty one shows them that the stream
// lives.
func (s *stream) comment(text string) error {
	s.b.WriteString(":" + text + "\n\n")
	return s.flush()
}

// farewell tells why the stream ends: clients come again, and elsewhere if they
// can.
func (s *stream) farewell() { _ = s.comment(" this hub is stopping") } // it ends either way

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
