//go:build unix

package sh

import (
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Of an end and a stop that are both there, the end counts, every time.
func TestAnEndThatCameWithTheStopIsNotTakenBack(t *testing.T) {
	t.Parallel()
	stop, gone := make(chan struct{}), make(chan struct{})
	close(stop)
	close(gone)
	for range 1000 {
		ended := make(chan string, 1)
		ended <- "exit status 3"
		f := &family{ended: ended, gone: gone, done: make(chan struct{}), signal: func(syscall.Signal) {}}
		if got := f.see(stop, time.Second); got.Stopped || got.Failure != "exit status 3" {
			t.Fatalf("report %+v", got)
		}
	}
}

func TestAFamilyThatOutlivesKillIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		close(stop)
		var sent []syscall.Signal
		f := &family{done: make(chan struct{}), signal: func(s syscall.Signal) { sent = append(sent, s) }}
		begin := time.Now()
		got := f.see(stop, time.Minute)
		if !got.Stopped || !got.Undead || !slices.Equal(sent, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}) {
			t.Errorf("report %+v after %v", got, sent)
		}
		if took := time.Since(begin); took != time.Minute+stubborn {
			t.Errorf("it took %s", took)
		}
	})
}
