package mcp

import (
	"net/http"
	"sync"
	"time"
)

// The answer on its way to a client: kept alive while nothing is said, and
// watched, since an answer that hands a task over must arrive.

// Clients give up on a request whose headers do not come within a minute, and
// on a stream that is silent for long. A comment is nothing to either.
const (
	firstSign = time.Second
	nextSigns = 15 * time.Second
)

// errGone is what writing to a client that has gone answers.
type errGone struct{}

func (errGone) Error() string { return "the client has gone" }

// writer is the http.ResponseWriter that the SDK sees. The SDK writes from
// several goroutines.
type writer struct {
	http.ResponseWriter
	call *call

	mu    sync.Mutex
	alive *time.Timer // says a sign of life; nil until there is a stream
	begun bool        // headers are out
	ended bool
}

// Unwrap lets http.ResponseController set deadlines. Flushing is ours.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun {
		return
	}
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	hands := w.call.holds()
	n, err := w.write(b)
	w.mu.Unlock()
	if hands || err != nil {
		w.call.wrote(err)
	}
	return n, err
}

// write wants w.mu. An answer is not given to a connection that is known to be
// dead: it would vanish in a buffer.
func (w *writer) write(b []byte) (int, error) {
	if w.ended || w.call.ctx.Err() != nil {
		return 0, errGone{}
	}
	w.begun = true
	n, err := w.ResponseWriter.Write(b)
	if err != nil {
		return n, err
	}
	if w.ResponseWriter.Header().Get("Content-Type") == "text/event-stream" {
		w.signIn(nextSigns)
		err = http.NewResponseController(w.ResponseWriter).Flush()
	}
	return n, err
}

// FlushError flushes what was written.
func (w *writer) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return errGone{}
	}
	w.begun = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher.
func (w *writer) Flush() { _ = w.FlushError() } // the next write tells

// hold begins to give signs of life. A tool calls it, so headers are set.
func (w *writer) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.alive == nil && w.ResponseWriter.Header().Get("Content-Type") == "text/event-stream" {
		w.signIn(firstSign)
	}
}

// signIn wants w.mu.
func (w *writer) signIn(d time.Duration) {
	switch {
	case w.ended:
	case w.alive == nil:
		w.alive = time.AfterFunc(d, w.sign)
	default:
		w.alive.Reset(d)
	}
}

// sign writes a comment, on a stream.
func (w *writer) sign() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended && w.ResponseWriter.Header().Get("Content-Type") == "text/event-stream" {
		_, _ = w.write([]byte(": still here\n\n")) // the request's context tells of a client that has gone
	}
}

// end lets nothing more out.
func (w *writer) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.alive != nil {
		w.alive.Stop()
	}
}
