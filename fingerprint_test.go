package tq_test

import (
	"strings"
	"testing"

	"example.com/tq"
)

func TestErrorsOfOneCauseShareTheirFingerprint(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"exit status 1\ntest run timed out after 30 s", "exit status 1\ntest run timed out after 7.5 s\nmore"},
		{"502 from registry-19.example.com", "502 from eu.registry.example.com:8443"},
		{"open /home/sam/w1/main.go: no such file", "open /tmp/x/other: no such file"},
		{"job 3fa85f64-5717-4562-b3fc-2c963f66afa6 is gone", "job 00000000-0000-4000-8000-000000000000 is gone"},
		{`unknown field "a"`, `unknown field "b c"`},
		{"commit 1a2b3c4 is not there", "commit deadbeef01 is not there"},
		{"", "\n \n"},
	} {
		first, _ := tq.Fingerprint("sh", same[0])
		for _, other := range same[1:] {
			if got, title := tq.Fingerprint("sh", other); got != first {
				t.Errorf("%q and %q differ: %s", same[0], other, title)
			}
		}
	}
}

func TestErrorsOfDifferentCausesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, text := range []string{
		"exit status 1", "exit status 2", "exit status 1\nundefined: parseFlags", "exit status 1\nundefined: parseArgs", "timed out", "502 from a.example.com", "503 from a.example.com", "",
	} {
		fp, _ := tq.Fingerprint("sh", text)
		if before, taken := seen[fp]; taken {
			t.Errorf("%q and %q have the same fingerprint", before, text)
		}
		seen[fp] = text
	}
	shell, _ := tq.Fingerprint("sh", "timed out")
	if agent, _ := tq.Fingerprint("agent", "timed out"); agent == shell {
		t.Error("two types share a cause")
	}
}

func TestTitleSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	_, title := tq.Fingerprint("sh", "exit status 1\n  go build: /srv/app/main.go:12: undefined: parseFlags")
	if want := "go build: <path>:<n>: undefined: parseFlags"; title != want {
		t.Errorf("title is %q, want %q", title, want)
	}
	if _, long := tq.Fingerprint("sh", strings.Repeat("ä", 5000)); len([]rune(long)) != 200 {
		t.Errorf("title has %d characters", len([]rune(long)))
	}
}
