package cli

import (
	"fmt"
	"strings"
	"time"

	"example.com/tq/internal/move"
)

// meter shows how far long work has come: on a terminal as a bar that is drawn
// over, with --json as a line now and then, and on a pipe not at all.
type meter struct {
	out   *output
	stage string
	began time.Time
	last  time.Time
}

const (
	meterEvery     = 100 * time.Millisecond
	meterEveryJSON = time.Second
	meterWidth     = 24
)

// show is of work that is counted in tasks.
func (b *meter) show(p move.Progress) {
	stage := string(p.Stage)
	took, due := b.due(stage)
	if !due {
		return
	}
	text := stage + ": " + plural(int(p.Tasks), "task")
	if p.Of > 0 {
		text = barText(stage, p.Tasks, p.Of, took, itoa(p.Tasks), itoa(p.Of))
	}
	b.tell(p, text)
}

// bytes is of work that is counted in bytes.
func (b *meter) bytes(stage string) func(done, of int64) {
	type progress struct {
		Stage string `json:"stage"`
		Bytes int64  `json:"bytes"`
		Of    int64  `json:"of"`
	}
	return func(done, of int64) {
		if took, due := b.due(stage); due {
			b.tell(progress{stage, done, of}, barText(stage, done, of, took, sizeText(done), sizeText(of)))
		}
	}
}

// due reports whether it is time to tell, and for how long the stage has gone on.
func (b *meter) due(stage string) (took time.Duration, due bool) {
	now := time.Now()
	if stage != b.stage {
		b.stage, b.began, b.last = stage, now, time.Time{}
	}
	every := meterEvery
	if b.out.json {
		every = meterEveryJSON
	}
	if now.Sub(b.last) < every {
		return 0, false
	}
	b.last = now
	return now.Sub(b.began), true
}

func (b *meter) tell(progress any, text string) {
	if b.out.json {
		b.out.errObject(progress)
		return
	}
	b.out.progress(text)
}

// barText draws a bar.
func barText(stage string, done, of int64, took time.Duration, doneText, ofText string) string {
	part := min(1, float64(done)/float64(max(1, of)))
	full := int(part * meterWidth)
	text := fmt.Sprintf("%-8s [%s%s] %3.0f %%  %s of %s", stage, strings.Repeat("=", full),
		strings.Repeat(" ", meterWidth-full), 100*part, doneText, ofText)
	if part > 0.02 && part < 1 {
		left := time.Duration(float64(took) * (1 - part) / part).Round(time.Second)
		text += ", " + left.String() + " left"
	}
	return text
}
