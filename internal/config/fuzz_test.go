package config

import (
	"strconv"
	"strings"
	"testing"
)

// Whatever a file holds, it is read whole or refused by the number of a line
// that it has; and what was read is read again when it is written down.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "# mine\n\nlease = 45s\n queue=a, b \nname = \" x # y \"\nproject =\n", "lease 45s", "= 45s", "name = \"x", "name = \"", "name = \"\"\"",
		"a=1\na=2", "a==b", "a = \"\x00\"\r\nb=\xff\r", "\ufeffa=1", "a\u0085=\u00a0b", strings.Repeat("x", 70_000) + "=1", "keep = completed=1d,dead@b=2d",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("conf", strings.NewReader(text))
		if err != nil {
			namesItsLine(t, err, text)
			return
		}
		keys, last := map[string]bool{}, 0
		for _, s := range file.Settings {
			if s.Key == "" || keys[s.Key] || s.Line <= last || s.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("%q: %+v", text, s)
			}
			keys[s.Key], last = true, s.Line
			again, err := Parse("conf", strings.NewReader(s.Key+" = \""+s.Value+"\"\n"))
			if err != nil || len(again.Settings) != 1 || again.Settings[0].Key != s.Key || again.Settings[0].Value != s.Value {
				t.Fatalf("%+v came back as %+v, %v", s, again, err)
			}
		}
	})
}

func namesItsLine(t *testing.T, err error, text string) {
	t.Helper()
	rest, ok := strings.CutPrefix(err.Error(), "config conf:")
	number, _, _ := strings.Cut(rest, ":")
	line, wrong := strconv.Atoi(number)
	if !ok || wrong != nil || line < 1 || line > 1+strings.Count(text, "\n") {
		t.Fatalf("%q is refused with %v", text, err)
	}
}
