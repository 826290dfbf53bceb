package test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The echo: what net/http itself can do here, in a process of its own, which is
// this binary run again.

// echoPart is the variable of the environment that makes it the echo.
const echoPart = "TQ_TEST_ECHO"

// serveEcho reads JSON and sends it back, until its standard input ends. It
// prints its address first.
func serveEcho() error {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	h := &http.Server{Handler: http.HandlerFunc(echo), ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // only its end counts
		_ = h.Close()
	}()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func echo(w http.ResponseWriter, r *http.Request) {
	var v map[string]any
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

// startEcho answers where an echo is, that ends with the test.
func startEcho(tb testing.TB) string {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), echoPart+"=1")
	stop, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(stop.Close(), cmd.Wait()); err != nil {
			tb.Error(err)
		}
	})
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address)
}
