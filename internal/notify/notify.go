// Package notify tells the world of dead tasks. It reads the journal by cursor
// and makes a task of each alert, in a queue of its own: so alerts are retried,
// kept when nobody takes them, and seen like any other work.
//
// What is told, and from where it goes on after a restart, stands in follow.go;
// how it is sent in deliver.go; the languages of receivers in format.go.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"syscall"
	"time"

	"example.com/tq"
)

// Notifier tells one receiver. Client and URL are all it needs. Whoever works
// on the queue alerts delivers: all of them are to be told the same receiver.
type Notifier struct {
	Client tq.Client
	URL    string // the operator's own word: it may be anywhere, loopback too
	Format Format
	Key    []byte // signs webhooks, or is the bearer token of other formats; may be empty
	App    string // who we say we are; default tq
	Log    *slog.Logger

	Timeout time.Duration // of one request; default 30 s

	// Guard is asked before a connection is made to where a receiver redirects
	// (see net.Dialer.Control). Nil: redirects are not followed.
	Guard func(network, address string, c syscall.RawConn) error

	Now func() time.Time // default time.Now

	watch  map[int64]bool // rescued tasks that were told of as dead
	marked time.Time      // when the cursor was kept last
}

// Queue holds alerts; Type is theirs.
const (
	Queue = "alerts"
	Type  = "alert"
)

const (
	maxAttempts = 20 // with the usual backoff more than a day
	watchEvery  = 5 * time.Second
	markEvery   = 24 * time.Hour
)

// Alert is one thing to tell: the payload of a task of type alert.
type Alert struct {
	Seq      int64   `json:"seq"`            // of the fact that it tells of
	Mark     bool    `json:"mark,omitempty"` // tells nobody anything: it keeps how far the journal was read
	Resolved bool    `json:"resolved,omitempty"`
	TaskID   int64   `json:"task_id"`
	Queue    string  `json:"queue"`
	Type     string  `json:"type"`
	Project  string  `json:"project,omitempty"`
	Attempts int     `json:"attempts"`
	Error    string  `json:"error,omitempty"`
	At       tq.Time `json:"at"`
}

// Check refuses an address, a format or a key that nothing could be sent with.
// Errors begin with the name of the field: url, format or key.
func (n *Notifier) Check() error {
	to, err := url.Parse(n.URL)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return fmt.Errorf("url: is %q, want http:// or https:// and a host", n.URL)
	}
	if err := CheckFormat(n.Format); err != nil {
		return fmt.Errorf("format: %w", err)
	}
	if _, err := n.secret(); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	return nil
}

// Run follows the journal and delivers until ctx ends. It outlasts a queue that
// does not answer; what ends it is the lack of a right.
func (n *Notifier) Run(ctx context.Context) error {
	if err := n.Check(); err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	if n.Log == nil {
		n.Log = slog.Default()
	}
	if len(n.Key) == 0 {
		n.Log.Warn("alerts are not signed: there is no key", "to", n.host())
	}
	n.watch = map[int64]bool{}
	w := &tq.Worker{Client: n.Client, Queues: []string{Queue}, Name: "alerts", Concurrency: 4, Log: n.Log}
	w.Handle(Type, tq.ExecutorFunc(n.deliver))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var delivering sync.WaitGroup
	var workErr error
	delivering.Go(func() {
		defer stop()
		workErr = w.Run(ctx)
	})
	err := n.follow(ctx)
	stop()
	delivering.Wait()
	return errors.Join(err, workErr)
}

// host is all of the address that a log may hold: the rest may be a secret.
func (n *Notifier) host() string {
	to, err := url.Parse(n.URL)
	if err != nil {
		return ""
	}
	return to.Host
}

func (n *Notifier) now() time.Time {
	if n.Now != nil {
		return n.Now()
	}
	return time.Now()
}
