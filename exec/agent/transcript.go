package agent

import (
	"bytes"
	"strings"
	"sync"
	"time"

	"example.com/tq"
)

// What an agent prints: kept in bounded memory, told as progress, secrets
// scrubbed before anybody sees it.

const (
	keptTail  = 32 << 10 // bytes of each stream, its end
	keptLine  = 1 << 20  // longest line that a parser sees
	keptLines = 200      // newest lines that a parser sees
	noteSize  = 1 << 10
	noteEvery = 2 * time.Second
)

// transcript is stdout and stderr of one run.
type transcript struct {
	out, errs *stream
}

func newTranscript(scrub scrubber, note func(string)) *transcript {
	n := &notes{tell: note}
	return &transcript{
		out:  &stream{scrub: scrub, notes: n},
		errs: &stream{scrub: scrub, notes: n},
	}
}

// lines are the newest lines of stdout that may be JSON.
func (t *transcript) lines() [][]byte { return t.out.jsonLines() }

// tail is the end of both streams, for people.
func (t *transcript) tail() string {
	return strings.TrimSpace(strings.TrimSpace(t.out.tail()) + "\n" + strings.TrimSpace(t.errs.tail()))
}

// stream takes what is written, line by line.
type stream struct {
	scrub scrubber
	notes *notes

	mu    sync.Mutex
	rest  []byte   // of a line that has not ended
	kept  []byte   // the end of it all, scrubbed
	json  [][]byte // whole lines that begin with {
	skips bool     // the line is too long to be kept whole
}

// Write implements io.Writer; it never fails.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(b)
	for len(b) > 0 {
		line, after, ended := bytes.Cut(b, []byte("\n"))
		s.add(line)
		if ended {
			s.endLine()
		}
		b = after
	}
	return n, nil
}

func (s *stream) add(part []byte) {
	if len(s.rest)+len(part) > keptLine {
		s.skips = true
		part = part[:max(0, min(len(part), keptLine-len(s.rest)))]
	}
	s.rest = append(s.rest, part...)
}

func (s *stream) endLine() {
	line := bytes.TrimSpace(s.scrub.bytes(s.rest))
	if len(line) > 0 && line[0] == '{' && !s.skips {
		s.json = append(s.json, bytes.Clone(line))
		if len(s.json) > keptLines {
			s.json = s.json[1:]
		}
	}
	s.kept = append(append(s.kept, line...), '\n')
	if len(s.kept) > 2*keptTail {
		s.kept = append([]byte(nil), s.kept[len(s.kept)-keptTail:]...)
	}
	s.rest, s.skips = s.rest[:0], false
	s.notes.add(line)
}

func (s *stream) jsonLines() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	return s.json
}

// tail is the end of what was printed, as text.
func (s *stream) tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	return tq.CleanText(string(lastBytes(s.kept, keptTail)), tq.MaxPayload)
}

func (s *stream) finish() {
	if len(s.rest) > 0 {
		s.endLine()
	}
}

// notes tells the newest lines, not too often.
type notes struct {
	tell func(string)

	mu   sync.Mutex
	last time.Time
}

func (n *notes) add(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(line) == 0 || time.Since(n.last) < noteEvery {
		return
	}
	n.last = time.Now()
	n.tell(tq.CleanText(string(line), noteSize))
}

func lastBytes(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	b = b[len(b)-limit:]
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < limit/2 {
		return b[i+1:]
	}
	return b
}
