package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// askable are the commands that only ask the queue: no file, no program, no
// network but for what a flag names.
func askable() []string {
	return []string{
		"enqueue", "wait", "claim", "complete", "fail", "extend", "release", "list", "show", "explain", "overview", "stats", "watch", "tail", "facts",
		"workers", "repos", "dlq", "bulk", "rescue", "requeue", "cancel", "delete", "queue", "token", "check", "version", "help",
	}
}

// leavesTheDesk reports whether a word may name a file, a hub or a program.
func leavesTheDesk(word string) bool {
	return strings.ContainsAny(word, "@/") || slices.ContainsFunc([]string{"--file", "--from", "--config", "--db", "--ca"}, func(flag string) bool {
		return strings.HasPrefix(word, flag)
	})
}

// Whatever stands behind tq, the command ends, without a panic and without a
// fault of our own; it says why it refuses, in text that steers no terminal.
func FuzzCommandLine(f *testing.F) {
	for i, line := range []string{
		"--type\nsh\n--payload\necho hi", "1", "--queue\na,b\n--wait\n1s", "1\n--lease-token\nx\n--result\n{", "1\n--error\nno\n--retry-delay\n-1s",
		"--lease\n3601s", "", "--filter\nstatus:dead age:>2h -type:x", "1\n--payload", "--json\n1", "", "--series\n48h", "--status\nbanana", "-f", "--limit\n1e9",
		"\x00", "--rescue-all\n--yes", "x", "1\n2\n--if-epoch\n7", "--filter\n\"", "--force\n\xff", "--\n-1", "pause\na b", "create\n--name\nx\n--can\nread\n--queue\n*", "--color\nnever",
		"--durability=x\n--keep\ncompleted=7", "enqueue", "--priority=0x10\n--delay\n9223372036854775807h", "--backoff\n1s,2s,NaN\n--tag\n\u202e",
	} {
		f.Add(uint8(i), line)
	}
	f.Fuzz(func(t *testing.T, command uint8, line string) {
		name := askable()[int(command)%len(askable())]
		words := append([]string{name}, strings.Split(line, "\n")...)
		if line == "" {
			words = words[:1]
		}
		if slices.ContainsFunc(words, leavesTheDesk) {
			return
		}
		answers(t, words)
	})
}

// answers runs one command over two tasks, one of them held.
func answers(t *testing.T, words []string) {
	t.Helper()
	store := memory.Open(memory.Options{})
	broker := tq.New(store, tq.Options{Actor: "ann"})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	defer time.AfterFunc(100*time.Millisecond, stop).Stop() // interrupts those that wait or follow
	if _, err := broker.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "a"}, {Type: "b"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Claim(ctx, tq.ClaimIn{Types: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	code := Process{
		Args: words, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said,
		Getenv: func(string) string { return "" }, Now: time.Now, Client: broker,
	}.Run(ctx)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	switch text := out.String() + said.String(); {
	case code == exitInternal:
		t.Fatalf("%q is a fault: %s", words, text)
	case code == exitInvalid && said.Len() == 0:
		t.Fatalf("%q is refused without a word", words)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && steers(r) }):
		t.Fatalf("%q prints %q", words, text)
	}
	if slices.Contains(words, "--json") && code == 0 && words[0] != "help" && !slices.Contains(words, "--help") && !slices.Contains(words, "-h") {
		for row := range strings.Lines(out.String()) {
			if !json.Valid([]byte(row)) {
				t.Fatalf("%q prints %q, which is no JSON", words, row)
			}
		}
	}
}
