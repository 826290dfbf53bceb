package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Texts that tried to steer somebody's terminal, and what is shown of them.
func corpus() map[string]string {
	return map[string]string{
		"plain":                    "plain",
		"grüße, 世界 🎉":              "grüße, 世界 🎉",
		"\x1b[2J":                  `\x1b[2J`,
		"\x1b]0;pwn\x07":           `\x1b]0;pwn\x07`,
		"\x1b]8;;http://x\x1b\\a":  `\x1b]8;;http://x\x1b\a`,
		"\u009b31mred":             `\x9b31mred`,
		"\x9b31mred":               `\x9b31mred`, // a bare C1 byte, not UTF-8
		"a\u202egnp.exe":           `a\u202egnp.exe`,
		"\u2066x\u2069":            `\u2066x\u2069`,
		"zero\u200bwidth\ufeff":    `zero\u200bwidth\ufeff`,
		"tag\U000e0041":            `tag\U000e0041`,
		"family 👨\u200d👩\u200d👧":   "family 👨\u200d👩\u200d👧",
		"one\ntwo\tthree\rfour":    `one\ntwo\tthree\rfour`,
		"nul\x00 bell\a back\b":    `nul\x00 bell\x07 back\x08`,
		"caf\xe9":                  `caf\xe9`,
		"del\x7f":                  `del\x7f`,
		"line\u2028sep\u2029":      `line\u2028sep\u2029`,
		"\ufffd is a replacement":  "\ufffd is a replacement",
		`C:\new is no escape`:      `C:\new is no escape`,
		"\x1b[1;31m\x1b[5mblink\n": `\x1b[1;31m\x1b[5mblink\n`,
	}
}

func TestNoTextSteersATerminal(t *testing.T) {
	t.Parallel()
	for text, want := range corpus() {
		if got := safe(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got, want := safeBlock("a\n\tb\r\x1b[m"), "a\n\tb\\r\\x1b[m"; got != want {
		t.Errorf("block: got %q, want %q", got, want)
	}
}

func TestTheGistIsShortAndSafe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"\n\n one \r\nmore\n two\n": "one … two",
		"one\n":                     "one",
		"\x1b[31mx":                 `\x1b[31mx`,
		strings.Repeat("ü", 30):     strings.Repeat("ü", 19) + "…",
	} {
		if got := gist(text, 20); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for text := range corpus() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, block := safe(text), safeBlock(text)
		for _, got := range []string{line, block} {
			if !utf8.ValidString(got) {
				t.Fatalf("%q became %q: not UTF-8", text, got)
			}
		}
		if strings.ContainsFunc(line, steers) {
			t.Fatalf("%q became %q: steers", text, line)
		}
		if strings.ContainsFunc(block, func(r rune) bool { return r != '\n' && r != '\t' && steers(r) }) {
			t.Fatalf("%q became %q: steers", text, block)
		}
		if safe(line) != line {
			t.Fatalf("%q is not at rest: %q", line, safe(line))
		}
	})
}

func FuzzSafeJSON(f *testing.F) {
	for text := range corpus() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		line := encodeJSON(text)
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), steers) {
			t.Fatalf("%q became %s: steers", text, line)
		}
		var back string
		if err := json.Unmarshal([]byte(line), &back); err != nil || back != text {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
	})
}
