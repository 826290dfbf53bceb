package sh

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/tq"
)

const (
	keptOutput = 32 << 10    // bytes of a command's output that are kept, its end
	noteSize   = 1 << 10     // bytes of it in a progress note
	noteEvery  = time.Second // between two notes
)

// output takes what a command prints, stdout and stderr in the order they came,
// and keeps the end of it in constant memory. It reports the newest lines as
// they come, at most once in noteEvery, and the last of a burst for certain.
type output struct {
	report func(note string)

	mu      sync.Mutex
	buf     []byte // the end of the output, up to 2 × keptOutput
	total   int64
	noted   time.Time
	pending *time.Timer // reports what came within noteEvery of the last note
	closed  bool
}

func newOutput(report func(note string)) *output {
	return &output{report: report, buf: make([]byte, 0, 2*keptOutput)}
}

// ReadFrom reads r to its end.
func (o *output) ReadFrom(r io.Reader) (int64, error) {
	chunk := make([]byte, keptOutput)
	var read int64
	for {
		n, err := r.Read(chunk)
		read += int64(n)
		o.add(chunk[:n])
		if err == io.EOF {
			return read, nil
		}
		if err != nil {
			return read, err
		}
	}
}

// add takes at most keptOutput bytes.
func (o *output) add(b []byte) {
	if len(b) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total += int64(len(b))
	if len(o.buf)+len(b) > cap(o.buf) {
		keep := copy(o.buf, o.buf[len(o.buf)-keptOutput:])
		o.buf = o.buf[:keep]
	}
	o.buf = append(o.buf, b...)
	o.announce()
}

// announce reports now or, soon after the last note, when its time has come.
func (o *output) announce() {
	if o.pending != nil || o.closed {
		return
	}
	if wait := noteEvery - time.Since(o.noted); wait > 0 {
		o.pending = time.AfterFunc(wait, o.late)
		return
	}
	o.note()
}

func (o *output) late() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = nil
	if !o.closed {
		o.note()
	}
}

func (o *output) note() {
	o.noted = time.Now()
	lines := strings.TrimSpace(tq.CleanText(string(lastLines(o.buf, noteSize)), tq.MaxDetail))
	if lines != "" {
		o.report(lines)
	}
}

// close ends the reports.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.pending != nil {
		o.pending.Stop()
	}
}

// tail is the kept end as text, headed by what is missing.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := lastLines(o.buf, keptOutput)
	text := tq.CleanText(string(kept), tq.MaxPayload)
	if missing := o.total - int64(len(kept)); missing > 0 {
		return fmt.Sprintf("[%d bytes before this were not kept]\n%s", missing, text)
	}
	return text
}

// quote is the tail as the rest of an error's text.
func (o *output) quote() string {
	text := strings.TrimRight(o.tail(), "\n")
	if text == "" {
		return ""
	}
	return "\n" + text
}

// lastLines is the end of b, at most limit bytes, from the start of a line if
// one starts in its first half and of a character in any case.
func lastLines(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	b = b[len(b)-limit:]
	for i := 0; i < len(b)/2; i++ {
		if b[i] == '\n' {
			return b[i+1:]
		}
	}
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
