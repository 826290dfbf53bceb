package sh

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/tq"
)

func TestNotesFollowTheOutputAtALimitedRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		heard := make(chan string, 10)
		var notes []string
		hear := func() []string {
			synctest.Wait()
			for len(heard) > 0 {
				notes = append(notes, <-heard)
			}
			return notes
		}
		o := newOutput(func(note string) { heard <- note })
		o.add([]byte("step 1\n"))
		for range 1000 {
			o.add([]byte("chatter\n"))
		}
		o.add([]byte("step 2\n"))
		if notes := hear(); !slices.Equal(notes, []string{"step 1"}) {
			t.Fatalf("at once %q, want the first line alone", notes)
		}
		time.Sleep(noteEvery) // the bubble's clock
		if notes := hear(); len(notes) != 2 || !strings.HasSuffix(notes[1], "\nstep 2") {
			t.Fatalf("later %q, want the last of the burst", notes)
		}
		time.Sleep(time.Hour)
		o.add([]byte("step 3\n"))
		if notes := hear(); len(notes) != 3 || !strings.HasSuffix(notes[2], "\nstep 3") {
			t.Fatalf("after a pause %q, want a note at once", notes)
		}
		o.add([]byte("step 4\n"))
		o.close()
		time.Sleep(time.Hour)
		if notes := hear(); len(notes) != 3 {
			t.Errorf("a note after the end: %q", notes[3:])
		}
	})
}

func TestNotesAreShortAndClean(t *testing.T) {
	t.Parallel()
	var note string
	o := newOutput(func(n string) { note = n })
	o.add([]byte(strings.Repeat("old line\n", 500) + "a\x00b caf\xe9\n\n"))
	o.close()
	if !strings.HasPrefix(note, "old line\n") || !strings.HasSuffix(note, "a\uFFFDb caf\uFFFD") || len(note) > tq.MaxDetail {
		t.Errorf("note %q", note)
	}
}

func TestTailIsTheEndOfTheOutput(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, keptOutput - 1, keptOutput, keptOutput + 1, 2*keptOutput + 1, 10*keptOutput + 7} {
		o := newOutput(func(string) {})
		text := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		if _, err := o.ReadFrom(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		o.close()
		kept := o.tail()
		if size > keptOutput {
			var found bool
			if _, kept, found = strings.Cut(kept, "not kept]\n"); !found {
				t.Errorf("%d bytes: nothing says that some are missing", size)
			}
		}
		if !strings.HasSuffix(text, kept) || len(kept) != min(size, keptOutput) {
			t.Errorf("%d bytes: kept %d", size, len(kept))
		}
	}
}
