package tally

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// heard keeps what a test says.
type heard struct {
	testing.TB
	said   string
	failed bool
}

func (h *heard) Helper()               {}
func (h *heard) Log(args ...any)       { h.said = args[0].(string) }
func (h *heard) Errorf(string, ...any) { h.failed = true }

// each has a number of its own in every field.
func each() Counts {
	var c Counts
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(uint64(i + 1))
		default:
			f.SetInt(int64(i + 1))
		}
	}
	return c
}

func TestWhatIsReportedIsRead(t *testing.T) {
	t.Parallel()
	h := &heard{TB: t}
	want := each()
	want.Report(h)
	got, found, err := Read("    rig_test.go:7: " + h.said)
	if err != nil || !found || got != want {
		t.Errorf("read %+v (%v, %v), want %+v", got, found, err, want)
	}
	if !h.failed {
		t.Error("a loss was reported, and the test did not fail")
	}
	if _, found, err := Read("ok  	example.com/tq	0.1s"); found || err != nil {
		t.Errorf("found %v, %v in a line without counts", found, err)
	}
	if _, _, err := Read(Mark + "{"); err == nil || !strings.Contains(err.Error(), "read a tally") {
		t.Errorf("half a line was read: %v", err)
	}
}

func TestEveryCounterIsAdded(t *testing.T) {
	t.Parallel()
	sum, one := each(), each()
	sum.Add(one)
	v, w := reflect.ValueOf(sum), reflect.ValueOf(one)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case name == "Seed" || name == "Longest":
			if !v.Field(i).Equal(w.Field(i)) {
				t.Errorf("%s is %v, want the larger one, %v", name, v.Field(i), w.Field(i))
			}
		case v.Field(i).Int() != 2*w.Field(i).Int():
			t.Errorf("%s is %v, want twice %v", name, v.Field(i), w.Field(i))
		}
	}
	quiet := &heard{TB: t}
	Counts{Attempted: 3, Acknowledged: 2, Indeterminate: 1, Recovered: 1, Longest: time.Second}.Report(quiet)
	if quiet.failed {
		t.Error("nothing was lost, and the test failed")
	}
}
