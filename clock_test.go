package tq_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

func TestAJumpOfTheClockIsLoggedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64
		store := memory.Open(memory.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
		var log bytes.Buffer
		b := tq.New(store, tq.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx) }()
		jump := func(by time.Duration, want string) {
			t.Helper()
			ahead.Add(int64(by))
			time.Sleep(2 * time.Minute) // of the bubble: two idle sweeps
			synctest.Wait()
			if got := log.String(); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("clock moved by %s: log is %q, want %q", by, got, want)
			}
			log.Reset()
		}
		jump(0, "")
		jump(time.Second, "") // what adjusts clocks may do this much
		jump(time.Hour, "by=1h0m0s jumps=1")
		jump(-10*time.Minute, "by=-10m0s jumps=2")
		jump(0, "")
		if out, err := b.Stats(ctx, tq.StatsIn{}); err != nil || out.ClockJumps != 2 {
			t.Errorf("stats count %d jumps, %v; want 2", out.ClockJumps, err)
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) && err != nil {
			t.Errorf("run: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}
