package tq

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestJSONIsHeldToItsNesting(t *testing.T) {
	t.Parallel()
	nested := func(open, closing string, n int) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(closing, n)
	}
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"128 arrays":            {nested("[", "]", 128), true},
		"129 arrays":            {nested("[", "]", 129), false},
		"128 objects":           {nested(`{"a":`, "}", 128), true},
		"129 objects":           {nested(`{"a":`, "}", 129), false},
		"100,000 arrays":        {strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000), false},
		"brackets in a string":  {`"` + strings.Repeat("[", 500) + `"`, true},
		"behind an escape":      {`"\\` + `", ` + `1`, false}, // two values
		"escaped quote":         {`"\"` + strings.Repeat("{", 500) + `"`, true},
		"siblings are not deep": {"[" + strings.Repeat("[],", 500) + "[]]", true},
	} {
		err := CheckJSON("payload", []byte(c.text), MaxPayload)
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPayloadsAreJSONInUTF8(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"":                     true,
		"1":                    true,
		"null":                 true,
		`"\u0000"`:             true,
		`"\ud800"`:             true,
		`{"a":1,"a":2}`:        true,
		"1e400":                true,
		"1.0e2":                true,
		" [1] ":                true,
		"12345678901234567890": true,
		"01":                   false,
		"nul":                  false,
		"{":                    false,
		"1 2":                  false,
		"\"a\x00\"":            false,
		"\"a\xff\"":            false,
		"text":                 false,
		"\xef\xbb\xbf1":        false,
	} {
		if err := CheckJSON("payload", []byte(text), MaxPayload); (err == nil) != ok {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestAPayloadIsHeldToItsSize(t *testing.T) {
	t.Parallel()
	text := `"` + strings.Repeat("x", MaxPayload-2) + `"`
	if err := CheckJSON("payload", []byte(text), MaxPayload); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	err := CheckJSON("payload", []byte(text+" "), MaxPayload)
	if err == nil || err.Code != CodeTooLarge || err.Errors[0].Reason != "payload_too_large" {
		t.Errorf("one byte more: got %+v", err)
	}
}

func TestShellPayloadTakesABareCommandLine(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`go test ./...`:     `"go test ./..."`,
		`true`:              `"true"`,
		`123`:               `"123"`,
		`null`:              `"null"`,
		`"echo hi"`:         `"echo hi"`,
		`{"cmd":"ls"}`:      `{"cmd":"ls"}`,
		`{"argv":["ls"]}`:   `"{\"argv\":[\"ls\"]}"`,
		`["ls"]`:            `"[\"ls\"]"`,
		`echo "a" && b > c`: `"echo \"a\" && b > c"`,
		`-n`:                `"-n"`,
		"a\nb":              `"a\nb"`,
	} {
		if got := string(ShellPayload([]byte(raw))); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
	if got := string(ShellPayload([]byte("\xff"))); got != "\xff" {
		t.Errorf("invalid UTF-8 was changed to %q: it must be refused later", got)
	}
}

func TestCleanTextIsSafeAndNeverTooLong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, want string
		limit    int
	}{
		{"plain", "plain", 20},
		{"", "", 20},
		{"a\x00b", "a\uFFFDb", 20},
		{"a\xffb", "a\uFFFDb", 20},
		{"\x1b[2J stays, doors escape it", "\x1b[2J stays, doors escape it", 100},
		{strings.Repeat("x", 20), strings.Repeat("x", 20), 20},
		{strings.Repeat("x", 21), strings.Repeat("x", 12) + "\n… cut", 20},
		{strings.Repeat("ä", 11), strings.Repeat("ä", 6) + "\n… cut", 20},
		{strings.Repeat("€", 10), strings.Repeat("€", 4) + "\n… cut", 20},
	} {
		got := CleanText(c.in, c.limit)
		if got != c.want {
			t.Errorf("%q in %d bytes: got %q, want %q", c.in, c.limit, got, c.want)
		}
		if len(got) > c.limit || !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Errorf("%q is not clean", got)
		}
	}
}

func TestAnErrorOfTenMegabytesIsCut(t *testing.T) {
	t.Parallel()
	got := CleanText(strings.Repeat("\x00", 10<<20), MaxError)
	if len(got) > MaxError || len(got) < MaxError-10 || !strings.HasSuffix(got, "… cut") {
		t.Errorf("got %d bytes, ending in %q", len(got), got[max(0, len(got)-10):])
	}
}

// Whatever a payload or a command line is made of, it is taken or refused: what
// is taken is one JSON value, byte for byte, and asking again changes nothing.
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `true`, `"echo hi"`, `echo "hi"`, `{"cmd":"x","dir":"/"}`, `{"cmd":1}`, `{"other":1}`, `{"cmd":"a"} trailing`, `-n`, `$(reboot)`,
		"\x00", "\xff", "\"\\ud800\"", "\"\\u0000\"", `1e400`, ` {"cmd": "x"} `, "[[[[", "a\r\nb", "\u2028<>&", strings.Repeat("[", 300),
	} {
		f.Add([]byte(seed), 16)
	}
	f.Fuzz(func(t *testing.T, raw []byte, limit int) {
		payload := ShellPayload(raw)
		refused := CheckJSON("payload", payload, MaxPayload)
		if valid := utf8.Valid(raw); valid != utf8.Valid(payload) || valid && len(raw) > 0 && len(raw) < MaxPayload/8 && refused != nil && refused.Reason != "too_deep" {
			t.Fatalf("%q became %q, which is refused: %v", raw, payload, refused)
		}
		if again := ShellPayload(payload); string(again) != string(payload) {
			t.Fatalf("%q became %q, and that %q", raw, payload, again)
		}
		limit = 16 + (limit&0xffff)%MaxDetail
		clean := CleanText(string(raw), limit)
		if !utf8.ValidString(clean) || strings.ContainsRune(clean, 0) || len(clean) > limit || CleanText(clean, limit) != clean {
			t.Fatalf("%q was made clean as %q, the limit was %d", raw, clean, limit)
		}
	})
}
