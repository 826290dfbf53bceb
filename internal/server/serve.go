package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Time-outs of connections, so that slow clients cannot hold them. The body has
// its own, see slow.go; there is none for writing, since long polls and streams
// set a deadline at each write.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 30 * time.Second
	idleTimeout   = 120 * time.Second
	maxHeader     = 16 << 10
)

// Serve answers on l until ctx ends, then drains: long polls are answered at
// once, requests that are under way are finished, up to Options.Drain (default
// 30 s).
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	conns := newBounded(l, cmp.Or(s.Conns, maxConns))
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnState:         conns.state,
		BaseContext:       func(net.Listener) context.Context { return life },
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(conns) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	if !s.draining.Swap(true) {
		close(s.stopping)
	}
	grace := s.Drain
	if grace == 0 {
		grace = 30 * time.Second
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	err := h.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		end()
		err = h.Close()
	}
	return errors.Join(err, ignoreClosed(<-served))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
