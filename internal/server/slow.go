package server

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A body has its time, counted from its headers on, whether a route reads it or
// not: of a request that is refused net/http reads the rest by itself, so that
// the connection can be used again, and would wait for it as long as it takes.

// hurry sets that limit. It ends with the body, since one that stood on would
// end long polls.
func hurry(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			conn := http.NewResponseController(w)
			_ = conn.SetReadDeadline(time.Now().Add(bodyTimeout)) // a recorder in tests has none
			r.Body = &timedBody{r.Body, conn}
		}
		next.ServeHTTP(w, r)
	})
}

type timedBody struct {
	io.ReadCloser
	conn *http.ResponseController
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.conn.SetReadDeadline(time.Time{}) // as above
	}
	return n, err
}
