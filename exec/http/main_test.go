package httpexec_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/tq"
	httpexec "example.com/tq/exec/http"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what should come at once.
const patience = 30 * time.Second

// server answers with handler on loopback, and counts.
type server struct {
	*httptest.Server
	hits atomic.Int64
}

func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		handler(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // what clients do here is meant
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// local is an executor that may call test servers.
func local() *httpexec.Executor {
	return &httpexec.Executor{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// object is the JSON of any payload.
func object(payload any) json.RawMessage {
	b, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	return b
}

func execute(t *testing.T, x *httpexec.Executor, payload json.RawMessage) (json.RawMessage, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return x.Execute(ctx, &tq.Task{
		ID: 42, Type: "http", Project: "shop", Attempt: 2, Epoch: 9, Payload: payload,
		CreatedAt: tq.FromMilli(1_700_000_000_000),
	})
}

// wish is how an error wants to be settled.
type wish struct {
	permanent bool
	unburnt   bool
	delay     time.Duration // -1: the backoff
}

// wishOf reads it from inside the error: it has no exported name.
func wishOf(err error) wish {
	found := reflect.New(reflect.TypeOf(tq.Permanent(errors.New(""))))
	if !errors.As(err, found.Interface()) {
		return wish{delay: -1}
	}
	asked := found.Elem().Elem()
	w := wish{permanent: asked.FieldByName("giveUp").Bool(), unburnt: asked.FieldByName("unburnt").Bool(), delay: -1}
	if delay := asked.FieldByName("delay"); !delay.IsNil() {
		w.delay = time.Duration(delay.Elem().Int())
	}
	return w
}

// mustFail wants the error of a payload, with that text, settled as wished.
func mustFail(t *testing.T, x *httpexec.Executor, payload json.RawMessage, text string, w wish) {
	t.Helper()
	result, err := execute(t, x, payload)
	if err == nil || err.Error() != text {
		t.Errorf("result %.100s, error %v, want %q", result, err, text)
	}
	if got := wishOf(err); got != w {
		t.Errorf("%q is settled as %+v, want %+v", text, got, w)
	}
}
