package main

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// style is how a character looks: a colour of the terminal's sixteen, or none.
type style struct {
	color int // 1 to 16, 0 is the default
	bold  bool
	faint bool
}

type cell struct {
	r rune
	style
}

// row is one line, and when it first had something on it.
type row struct {
	cells []cell
	at    time.Duration
}

// screen is as much of a terminal as plain commands use: colours, return to
// the start of the line, erase it, go up.
type screen struct {
	rows  []row
	y, x  int
	style style
	rest  []byte // an unfinished sequence
}

func newScreen() *screen { return &screen{rows: make([]row, 1)} }

func (s *screen) write(at time.Duration, b []byte) {
	b = append(s.rest, b...)
	s.rest = nil
	for len(b) > 0 {
		n := s.next(at, b)
		if n == 0 {
			s.rest = append([]byte(nil), b...)
			return
		}
		b = b[n:]
	}
}

// next takes one character or sequence off b; 0 when it is not whole yet.
func (s *screen) next(at time.Duration, b []byte) int {
	switch b[0] {
	case '\n':
		s.y, s.x = s.y+1, 0
		if s.y == len(s.rows) {
			s.rows = append(s.rows, row{at: at})
		}
		return 1
	case '\r':
		s.x = 0
		return 1
	case '\t':
		s.put(at, ' ')
		for s.x%8 != 0 {
			s.put(at, ' ')
		}
		return 1
	case 0x1b:
		return s.sequence(b)
	}
	if !utf8.FullRune(b) {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	s.put(at, r)
	return n
}

func (s *screen) put(at time.Duration, r rune) {
	line := &s.rows[s.y]
	if len(line.cells) == 0 {
		line.at = at
	}
	for len(line.cells) <= s.x {
		line.cells = append(line.cells, cell{r: ' '})
	}
	line.cells[s.x] = cell{r, s.style}
	s.x++
}

func (s *screen) sequence(b []byte) int {
	end := strings.IndexFunc(string(b), func(r rune) bool { return r >= '@' && r <= '~' && r != '[' })
	if end < 0 {
		return 0
	}
	args := strings.TrimPrefix(string(b[1:end]), "[")
	switch b[end] {
	case 'm':
		for _, arg := range strings.Split(args, ";") {
			s.paint(arg)
		}
	case 'K':
		line := &s.rows[s.y]
		line.cells = line.cells[:min(s.x, len(line.cells))]
	case 'A':
		n, err := strconv.Atoi(args)
		if err != nil {
			n = 1
		}
		s.y = max(0, s.y-n)
	}
	return end + 1
}

func (s *screen) paint(arg string) {
	n, _ := strconv.Atoi(arg) // an empty argument means 0
	switch {
	case n == 0:
		s.style = style{}
	case n == 1:
		s.style.bold = true
	case n == 2:
		s.style.faint = true
	case n == 22:
		s.style.bold, s.style.faint = false, false
	case n >= 30 && n <= 37:
		s.style.color = n - 29
	case n == 39:
		s.style.color = 0
	case n >= 90 && n <= 97:
		s.style.color = n - 81
	}
}
