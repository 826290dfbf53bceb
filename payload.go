package tq

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Types that run something on the worker's machine. A claimer without handlers
// gets them only by name (spec S28).
const (
	TypeShell = "sh"
	TypeHTTP  = "http"
	TypeAgent = "agent"
	TypeTask  = "task" // what a task without a type is, where a door allows that
)

// ExecutableTypes lists the types that must be named to be claimed by a caller
// without handlers.
func ExecutableTypes() []string { return []string{TypeShell, TypeHTTP, TypeAgent} }

// CheckJSON holds b to what a payload or result may be: at most limit bytes of
// valid JSON in valid UTF-8, nested at most MaxNesting deep. Empty is fine. The
// bytes are kept as they came: no number, key or space inside is rewritten (spec S27).
func CheckJSON(field string, b []byte, limit int) *Error {
	switch {
	case len(b) == 0:
		return nil
	case len(b) > limit:
		return tooLarge(field, len(b), limit)
	case !utf8.Valid(b):
		return invalidField(field, "invalid_utf8", "is not valid UTF-8")
	case nesting(b) > MaxNesting:
		return invalidField(field, "too_deep", "is nested deeper than %d", MaxNesting)
	case !json.Valid(b):
		return invalidField(field, "invalid_json", "is not valid JSON").
			WithHint("quote plain text: \"...\"; only tasks of type sh take a bare command line")
	}
	return nil
}

// bareJSON is the JSON itself, without the space around it, which belongs to
// whatever carried it. Space alone stays, to be refused.
func bareJSON(b []byte) []byte {
	if bare := bytes.Trim(b, " \t\r\n"); len(bare) > 0 {
		return bare
	}
	return b
}

// nesting is the depth of arrays and objects in b, brackets inside strings not
// counted. It stops counting one past MaxNesting.
func nesting(b []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(b) && deepest <= MaxNesting; i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// ShellPayload is the payload of an sh task: a JSON string or an object with
// "cmd" as it stands; anything else is the command line itself, kept as a JSON
// string (so `true` and `123` are commands too).
func ShellPayload(raw []byte) json.RawMessage {
	if !utf8.Valid(raw) || isShellJSON(raw) {
		return raw
	}
	b := new(bytes.Buffer)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(string(raw)); err != nil {
		return raw
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func isShellJSON(raw []byte) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return true
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return false
	}
	_, ok := object["cmd"]
	return ok
}

// CleanText makes text that a task printed safe to keep: valid UTF-8, no NUL,
// at most limit bytes, cut with a mark. It never refuses (spec S26, S27).
func CleanText(s string, limit int) string {
	const mark = "\n… cut"
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= limit {
		return s
	}
	cut := limit - len(mark)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}
