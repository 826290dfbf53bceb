package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The one sanitizer. Payloads, errors, names and notes come from strangers; what
// reaches a terminal must not steer it. Escape sequences, other control
// characters, invisible and direction-changing ones are shown, not sent.

// safe makes s fit for one line: newlines and tabs are shown as well.
func safe(s string) string { return clean(s, "") }

// safeBlock makes s fit for a terminal and keeps its lines and tabs.
func safeBlock(s string) string { return clean(s, "\n\t") }

func clean(s, keep string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || steers(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case steers(r) && !strings.ContainsRune(keep, r):
			b.WriteString(shown(r))
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// steers reports whether r does something to a terminal or to the order of the
// text around it instead of being seen.
func steers(r rune) bool {
	const joiner, nonJoiner = '\u200d', '\u200c' // parts of emoji and of Persian words
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == joiner, r == nonJoiner:
		return false
	case r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

func shown(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// safeJSON does the same for encoded JSON, whose meaning it keeps: what steers
// can only stand inside a string there, so it is written as \u escapes.
func safeJSON(encoded string) string {
	if !strings.ContainsFunc(encoded, func(r rune) bool { return r != '\n' && steers(r) }) {
		return encoded
	}
	var b strings.Builder
	for _, r := range encoded {
		switch {
		case r == '\n' || !steers(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

// gist is a text on one line of at most limit runes: its first line, which says
// what went wrong, and its last, which mostly says why.
func gist(s string, limit int) string {
	s = strings.TrimSpace(s)
	first, rest, more := strings.Cut(s, "\n")
	first = strings.TrimSpace(first)
	if !more {
		return cut(safe(first), limit)
	}
	last := strings.TrimSpace(rest[strings.LastIndex(rest, "\n")+1:])
	return cut(safe(first+" … "+last), limit)
}

func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
