package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// desk runs commands against one store in memory, as one user after another
// would type them.
type desk struct {
	t      *testing.T
	client tq.Client
	env    map[string]string
	stdin  string
	now    func() time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	store := memory.Open(memory.Options{})
	broker := tq.New(store, tq.Options{Actor: "ann"})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- broker.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("broker: %v", err)
		}
		broken, err := store.Check(context.Background())
		if err != nil || len(broken) > 0 {
			t.Errorf("check: %v, %v", broken, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &desk{t: t, client: broker, env: map[string]string{"LANG": "C.UTF-8"}, now: time.Now}
}

// answer is what a command printed and how it ended.
type answer struct {
	code     int
	out, err string
}

func (d *desk) run(args ...string) answer {
	d.t.Helper()
	var out, err bytes.Buffer
	code := Process{
		Args: args, Stdin: strings.NewReader(d.stdin), Stdout: &out, Stderr: &err,
		Getenv: func(name string) string { return d.env[name] },
		Now:    func() time.Time { return d.now().UTC() },
		Client: d.client,
	}.Run(d.t.Context())
	d.t.Logf("$ tq %s → %d\n%s%s", strings.Join(args, " "), code, out.String(), err.String())
	return answer{code, out.String(), err.String()}
}

// ok runs a command that has to succeed and returns what it printed.
func (d *desk) ok(args ...string) string {
	d.t.Helper()
	got := d.run(args...)
	if got.code != 0 {
		d.t.Fatalf("tq %s: exit %d: %s", strings.Join(args, " "), got.code, got.err)
	}
	return strings.TrimSuffix(got.out, "\n")
}

// refused runs a command that has to end with code and to say want.
func (d *desk) refused(code int, want string, args ...string) {
	d.t.Helper()
	got := d.run(args...)
	if got.code != code || !strings.Contains(got.err, want) {
		d.t.Errorf("tq %s: exit %d, %q; want exit %d and %q", strings.Join(args, " "), got.code, got.err, code, want)
	}
}

// object runs a command with --json and decodes its one line.
func (d *desk) object(args ...string) map[string]any {
	d.t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(d.ok(append(args, "--json")...)), &v); err != nil {
		d.t.Fatalf("tq %s: %v", strings.Join(args, " "), err)
	}
	return v
}
