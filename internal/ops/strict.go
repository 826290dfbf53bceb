package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/tq"
)

// Strict JSON: what encoding/json lets pass in silence is refused here, in the
// words of the hall. Go takes the last of two keys, any case of a name, unknown
// names, broken UTF-8 and whatever follows the value; a caller who sends those
// means something that he will not get.

// maxDepth leaves a payload its own nesting inside the rows of a batch.
const maxDepth = tq.MaxNesting + 4

// The reasons of refusals of the JSON itself: HTTP answers those with 400, and
// a value that breaks a rule with 422.
const (
	reasonJSON      = "invalid_json"
	reasonUTF8      = "invalid_utf8"
	reasonDeep      = "too_deep"
	reasonUnknown   = "unknown_field"
	reasonDuplicate = "duplicate_field"
	reasonTrailing  = "trailing_data"
	reasonObject    = "not_an_object"
	reasonType      = "wrong_type"
)

// Malformed reports whether a reason is about the JSON and not about a value.
func Malformed(reason string) bool {
	switch reason {
	case reasonJSON, reasonUTF8, reasonDeep, reasonUnknown, reasonDuplicate, reasonTrailing, reasonObject:
		return true
	}
	return false
}

// refusal is the refusal of one field, as the hall words it.
func refusal(field, reason, format string, args ...any) *tq.Error {
	detail := fmt.Sprintf(format, args...)
	message := detail
	if field != "" {
		message = field + ": " + detail
	}
	return &tq.Error{
		Code: tq.CodeInvalid, Message: message, Reason: reason,
		Errors: []tq.FieldError{{Pointer: pointer(field), Detail: detail, Reason: reason}},
	}
}

func pointer(field string) string {
	if field == "" {
		return ""
	}
	return "/" + strings.ReplaceAll(field, ".", "/")
}

func notJSON(format string, args ...any) *tq.Error {
	e := refusal("", reasonJSON, format, args...)
	e.Message = "the input " + e.Message
	return e
}

// shape is what check needs of a schema, laid out for a quick walk.
type shape struct {
	kinds  []string // JSON types that are let in; none: anything
	names  map[string]*shape
	closed bool // no other names
	row    *shape
	words  []string
	isTime bool
	some   bool   // text that is not empty
	limits string // of a number, when zero is below them
}

func shapeOf(s *jsonschema.Schema) *shape {
	sh := &shape{kinds: s.Types, isTime: s.Format == "date-time", some: s.MinLength != nil}
	if s.Minimum != nil && s.Maximum != nil && *s.Minimum > 0 {
		sh.limits = fmt.Sprintf("%v to %v", *s.Minimum, *s.Maximum)
		if s.Type == "number" {
			sh.limits += " seconds"
		}
	}
	if s.Type != "" {
		sh.kinds = []string{s.Type}
	}
	if s.Properties != nil || s.AdditionalProperties != nil {
		sh.names, sh.closed = make(map[string]*shape, len(s.Properties)), true
	}
	for name, p := range s.Properties {
		sh.names[name] = shapeOf(p)
	}
	if s.Items != nil {
		sh.row = shapeOf(s.Items)
	}
	for _, w := range s.Enum {
		if text, ok := w.(string); ok {
			sh.words = append(sh.words, text)
		}
	}
	return sh
}

// check refuses raw unless it is one JSON object of that shape.
func (s *shape) check(raw []byte) error {
	if err := wellFormed(raw); err != nil {
		return err
	}
	w := walker{b: raw}
	if w.peek() != '{' {
		return s.notAnObject(raw[w.i:])
	}
	if err := w.value(s, ""); err != nil {
		return err
	}
	return nil
}

// notAnObject refuses null, a list, a text, a number where all fields belong
// into one object: that is another input, not a field with a bad value.
func (s *shape) notAnObject(literal []byte) *tq.Error {
	e := refusal("", reasonObject, "is %s, want a JSON object", short(bytes.TrimSpace(literal)))
	e.Message = "the input " + e.Message
	return e.WithHint("put the fields into braces; they are %s", strings.Join(s.sorted(), ", "))
}

// wellFormed holds raw to one value of JSON in UTF-8, not nested too deep.
func wellFormed(raw []byte) error {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return notJSON("is empty, want a JSON object")
	case !utf8.Valid(raw):
		e := refusal("", reasonUTF8, "is not valid UTF-8 at byte %d", invalidAt(raw))
		e.Message = "the input " + e.Message
		return e
	case deeper(raw, maxDepth):
		return refusal("", reasonDeep, "the input is nested deeper than %d", maxDepth)
	case json.Valid(raw):
		return nil
	}
	return syntax(raw)
}

func invalidAt(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}

// syntax says what is wrong with raw, which is not valid JSON, and where.
func syntax(raw []byte) *tq.Error {
	d := json.NewDecoder(bytes.NewReader(raw))
	var first json.RawMessage
	err := d.Decode(&first)
	if err == nil {
		e := refusal("", reasonTrailing, "the input goes on after the JSON object, at byte %d", d.InputOffset())
		return e.WithHint("send one object in each call; many tasks go into one batch")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return notJSON("is not JSON: it ends at byte %d in the middle of a value", len(raw))
	}
	var at *json.SyntaxError
	if errors.As(err, &at) {
		return notJSON("is not JSON: %s at byte %d", at, at.Offset)
	}
	return notJSON("is not JSON: %s", err)
}

// deeper reports whether arrays and objects nest deeper than limit.
func deeper(b []byte, limit int) bool {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// wholeNumber tells whether a literal is whole, and whether it fits 64 bits.
func wholeNumber(literal []byte) (whole, fits bool) {
	digits := bytes.TrimPrefix(literal, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false, false
		}
	}
	_, err := strconv.ParseInt(string(literal), 10, 64)
	return true, err == nil
}
