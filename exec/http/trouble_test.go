package httpexec_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// Answers that are too much, too slow or none.

func TestAHugeAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	sent := make(chan int, 1)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk, n := []byte(strings.Repeat("x", 64<<10)), 0
		for n < 1<<30 {
			m, err := w.Write(chunk)
			n += m
			if err != nil {
				break
			}
		}
		sent <- n
	})
	const text = ", but the answer is larger than 131072 bytes, the limit of a result: let it answer with an address"
	mustFail(t, local(), object(s.URL), "200 OK from "+s.Listener.Addr().String()+text, permanent)
	if n := <-sent; n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}

	// Within the limit as it comes, beyond it as JSON.
	s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("\x01", 131_072))
	})
	mustFail(t, local(), object(s.URL), "200 OK from "+s.Listener.Addr().String()+text, permanent)
}

func TestHugeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) })
	_, err := execute(t, local(), object(s.URL))
	if err == nil || !strings.Contains(err.Error(), "headers exceeded 65536 bytes") || wishOf(err) != retried {
		t.Errorf("error %v", err)
	}
}

func TestCompressedAnswersAreNotUnpacked(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(make([]byte, 10<<20))
		_ = z.Close()
	})
	for _, accept := range []string{"identity", "gzip", ""} {
		got, err := execute(t, local(), object(map[string]any{
			"url": s.URL, "headers": map[string]string{"Accept-Encoding": accept},
		}))
		if err != nil || len(got) > 64<<10 || tq.CheckJSON("result", got, tq.MaxPayload) != nil {
			t.Errorf("accepting %q: %d bytes, error %v", accept, len(got), err)
		}
	}
}

// hang takes the request and answers no more than begin, until it is given up.
func hang(begin string, taken chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server hears of the end only then
		if begin != "" {
			_, _ = io.WriteString(w, begin)
			_ = http.NewResponseController(w).Flush()
		}
		taken <- struct{}{}
		<-r.Context().Done()
	}
}

func TestASlowAnswerRunsOutOfTime(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"", "{"} {
		s := serve(t, hang(begin, make(chan struct{}, 1)))
		x := local()
		x.Timeout = 50 * time.Millisecond
		mustFail(t, x, object(s.URL), "no complete answer within 50ms", retried)
	}
}

func TestEndOfContextEndsTheRequest(t *testing.T) {
	t.Parallel()
	lost := errors.New("lease no longer held")
	for _, begin := range []string{"", "{"} {
		taken := make(chan struct{}, 1)
		s := serve(t, hang(begin, taken))
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() {
			// The task's own timeout stands in place of the executor's.
			x := local()
			x.Timeout = time.Nanosecond
			_, err := x.Execute(ctx, &tq.Task{Payload: object(s.URL), Timeout: tq.Duration(time.Hour)})
			ended <- err
		}()
		<-taken
		cancel(lost)
		if err := <-ended; !errors.Is(err, lost) {
			t.Errorf("error %v, want the cause", err)
		}
		_, err := local().Execute(ctx, &tq.Task{Payload: object(s.URL)})
		if n := s.hits.Load(); !errors.Is(err, lost) || n != 1 {
			t.Errorf("error %v after %d requests: an ended context sends nothing", err, n)
		}
	}
}

func TestABrokenAnswerFailsTheAttempt(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"nothing":    "",
		"no HTTP":    "SSH-2.0-OpenSSH\r\n\r\n",
		"cut short":  "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123",
		"bad length": "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, raw)
			_ = conn.Close()
		})
		_, err := execute(t, local(), object(s.URL+"?token=s3cret"))
		if err == nil || wishOf(err) != retried || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error %v, settled as %+v", name, err, wishOf(err))
		}
	}
}

func TestAnUntrustedCertificateIsNamed(t *testing.T) {
	t.Parallel()
	s := serveTLS(t)
	mustFail(t, local(), object(s.URL), "request to "+s.Listener.Addr().String()+
		": tls: failed to verify certificate: x509: certificate signed by unknown authority", retried)
	if n := s.hits.Load(); n != 0 {
		t.Errorf("%d requests went through", n)
	}
}
