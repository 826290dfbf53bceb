package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/tq"
)

func TestDurationsNeedAUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0": 0, "90s": 90 * time.Second, "5m": 5 * time.Minute, "1.5h": 90 * time.Minute, "3d": 72 * time.Hour,
		"1d12h": 36 * time.Hour, "0.5d": 12 * time.Hour, "-1s": -time.Second, "-1d": -24 * time.Hour, "250ms": 250 * time.Millisecond,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"5": "has no unit: write 5s or 5m", "1e18": "has no unit", "-1": "has no unit", "NaN": "is not a length of time",
		"": "is not a length", "s": "is not a length", "999999999d": "is too long", "..d": "is too long", "5 m": "is not a length",
	} {
		if _, err := parseDuration(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestSpansHaveTwoUnitsAtMost(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 7 * time.Millisecond: "7ms", 1500 * time.Millisecond: "1.5s", 2 * time.Second: "2s",
		59 * time.Second: "59s", 252 * time.Second: "4m12s", 5 * time.Minute: "5m", 26 * time.Hour: "1d2h",
		-3 * time.Second: "-3s", 72 * time.Hour: "3d",
	} {
		if got := span(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

func TestTimesToKeepAreReadByStatusAndQueue(t *testing.T) {
	t.Parallel()
	var got tq.Retention
	for _, text := range []string{"completed=7d,dead=forever", "facts=-1, completed@builds=1d", "dead@a/b=2h,completed@builds=2d,cancelled=1s"} {
		if err := parseKeep(&got, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	want := tq.Retention{
		Completed: 168 * time.Hour, Cancelled: time.Second, Dead: -1, Facts: -1,
		Queues: map[string]tq.Keep{"builds": {Completed: 48 * time.Hour}, "a/b": {Dead: 2 * time.Hour}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for text, want := range map[string]string{
		"": "has no time", "7d": "has no time", "done=7d": "is not kept", "completed=7": "has no unit", "completed=0": "want 1s or more",
		"completed=-1d": "want 1s or more", "facts@a=1d": "is not kept by queue", "dead@=1d": "keep", "dead@a b=1d": "keep",
	} {
		if err := parseKeep(&got, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	full := tq.Retention{}
	for n := range tq.MaxKeepQueues + 1 {
		err := parseKeep(&full, fmt.Sprintf("dead@q%d=1d", n))
		if refused := err != nil; refused != (n == tq.MaxKeepQueues) {
			t.Errorf("queue %d: %v", n, err)
		}
	}
}

func TestBackoffsAreReadWhole(t *testing.T) {
	t.Parallel()
	b, err := parseBackoff("2s..1hx3")
	if err != nil || *b != (tq.Backoff{Base: tq.Duration(2 * time.Second), Cap: tq.Duration(time.Hour), Factor: 3}) {
		t.Errorf("got %+v, %v", b, err)
	}
	if b, err := parseBackoff("500ms"); err != nil || *b != (tq.Backoff{Base: tq.Duration(500 * time.Millisecond)}) {
		t.Errorf("got %+v, %v", b, err)
	}
	for _, text := range []string{"", "2", "2s..", "..1h", "2s..1hx", "2s..1hxx2"} {
		if _, err := parseBackoff(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestInstantsAreShownShort(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 11, 29, 1, 0, 0, 0, zone)
	at := func(text string) tq.Time {
		parsed, err := parseTime(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	if got := clock(at("2026-11-28T22:30:00Z"), now); got != "00:30:00" {
		t.Errorf("today: %s", got)
	}
	if got := clock(at("2026-11-28T21:30:00Z"), now); got != "2026-11-28 23:30:00" {
		t.Errorf("yesterday: %s", got)
	}
	for _, text := range []string{"2026-11-29", "2026-11-29T16:00:00", "24:61", "2026-11-29T24:61:00Z", "", "now", "\x1b"} {
		if _, err := parseTime(text); err == nil {
			t.Errorf("%q is a time", text)
		}
	}
}

func TestTextsComeFromArgumentsFilesAndStdin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	if err := os.WriteFile(path, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{Process: Process{Stdin: strings.NewReader("from stdin")}}
	for arg, want := range map[string]string{"x": "x", "@" + path: "from a file\n", "-": "from stdin", "@": "@"} {
		got, err := a.text(t.Context(), "payload", arg, 100)
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v", arg, got, err)
		}
	}
	if got, err := a.text(t.Context(), "payload", "@"+path, 4); err != nil || string(got) != "from " {
		t.Errorf("over the limit: got %q, %v; want one byte too many", got, err)
	}
	for arg, want := range map[string]string{
		"@/nonexistent": "no such file", "@" + dir: "neither a file nor a pipe", "@/dev/zero": "neither a file nor a pipe",
		"-": "- is empty", // it was read above
	} {
		if _, err := a.text(t.Context(), "payload", arg, 100); tq.CodeOf(err) != tq.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", arg, err, want)
		}
	}
}

func TestSilenceIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		a := &app{Process: Process{Stdin: r}}
		start := time.Now()
		_, err := a.text(t.Context(), "payload", "-", 100)
		if tq.CodeOf(err) != tq.CodeInvalid || time.Since(start) != patience {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
		if err := w.Close(); err != nil { // lets the reader end
			t.Error(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			for range 3 { // slow, but never silent for long
				time.Sleep(patience - time.Second)
				_, _ = w.Write([]byte("x"))
			}
			_ = w.Close()
		}()
		a := &app{Process: Process{Stdin: r}}
		if got, err := a.text(t.Context(), "payload", "-", 100); string(got) != "xxx" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestDepthsAreReadForAllQueuesAndForSome(t *testing.T) {
	t.Parallel()
	var got tq.Depth
	for _, text := range []string{"100000", "shop=5000, bulk=none", "shop=7"} {
		if err := parseDepth(&got, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	want := tq.Depth{Each: 100_000, Queues: map[string]int64{"shop": 7, "bulk": 0}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for text, want := range map[string]string{
		"": "is no number", "0": "want 1 to", "-5": "want 1 to", "shop=": "is no number", "a b=1": "max-depth",
		"=1": "max-depth", "1000000001": "want 1 to", "1e5": "is no number",
	} {
		if err := parseDepth(&got, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	full := tq.Depth{}
	for n := range tq.MaxDepthQueues + 1 {
		err := parseDepth(&full, fmt.Sprintf("q%d=1", n))
		if refused := err != nil; refused != (n == tq.MaxDepthQueues) {
			t.Errorf("queue %d: %v", n, err)
		}
	}
}
