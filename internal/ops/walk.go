package ops

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.com/tq"
)

// walker goes through valid JSON beside a shape. Since the text is known to be
// valid, it only has to find where values end.
type walker struct {
	b []byte
	i int
}

// peek is the next byte that is no space.
func (w *walker) peek() byte {
	for w.i < len(w.b) {
		switch c := w.b[w.i]; c {
		case ' ', '\t', '\r', '\n':
			w.i++
		default:
			return c
		}
	}
	return 0
}

// value walks one value, at the field of that name.
func (w *walker) value(s *shape, field string) *tq.Error {
	switch c := w.peek(); {
	case len(s.kinds) == 0:
		w.skip()
		return nil
	case c == '{' && s.admits("object"):
		return w.object(s, field)
	case c == '[' && s.admits("array"):
		return w.list(s, field)
	}
	start := w.i
	w.skip()
	return s.scalar(w.b[start:w.i], field)
}

func (s *shape) admits(kind string) bool { return slices.Contains(s.kinds, kind) }

// scalar holds a literal to its type; lists and objects come here to be
// refused.
func (s *shape) scalar(literal []byte, field string) *tq.Error {
	switch c := literal[0]; {
	case c == '"' && s.isTime:
		var t tq.Time
		if err := t.UnmarshalJSON(literal); err != nil {
			return refusal(field, "out_of_range", "%s", err)
		}
		return nil
	case c == '"' && s.admits("string"):
		return s.word(literal, field)
	case (c == 't' || c == 'f') && s.admits("boolean"):
		return nil
	case (c == '-' || c >= '0' && c <= '9') && s.admits("number"):
		return s.zero(literal, field)
	case (c == '-' || c >= '0' && c <= '9') && s.admits("integer"):
		whole, fits := wholeNumber(literal)
		if fits {
			return s.zero(literal, field)
		}
		if whole {
			return refusal(field, "out_of_range", "is %s, want a whole number of 64 bits", short(literal))
		}
	}
	return refusal(field, reasonType, "is %s, want %s", short(literal), s.wanted())
}

// zero refuses a zero that is out of range. To the hall it would be a field
// that was left out, and its default would be taken; who writes it means it.
func (s *shape) zero(literal []byte, field string) *tq.Error {
	if f, err := strconv.ParseFloat(string(literal), 64); s.limits == "" || err != nil || f != 0 {
		return nil
	}
	return refusal(field, "out_of_range", "is %s, want %s", literal, s.limits)
}

// word holds a text to the words that it may be, if they are few.
func (s *shape) word(literal []byte, field string) *tq.Error {
	if s.some && len(literal) == len(`""`) {
		return refusal(field, "required", "is empty: leave it out, or give it")
	}
	if len(s.words) == 0 {
		return nil
	}
	var text string
	if err := json.Unmarshal(literal, &text); err != nil || !slices.Contains(s.words, text) {
		return refusal(field, "unknown_value", "is %s, want %s", short(literal), strings.Join(s.words, " or "))
	}
	return nil
}

// short shows a literal inside an error.
func short(literal []byte) string {
	const limit = 60
	switch {
	case literal[0] == '{':
		return "an object"
	case literal[0] == '[':
		return "a list"
	case len(literal) > limit:
		return strings.ToValidUTF8(string(literal[:limit]), "") + "…"
	}
	return string(literal)
}

func (s *shape) wanted() string {
	var names []string
	for _, k := range s.kinds {
		switch k {
		case "object":
			names = append(names, "an object")
		case "array":
			names = append(names, "a list")
		case "string":
			names = append(names, "text")
		case "boolean":
			names = append(names, "true or false")
		case "integer":
			names = append(names, "a whole number")
		default:
			names = append(names, "a number")
		}
	}
	return strings.Join(names, " or ")
}

func (w *walker) list(s *shape, field string) *tq.Error {
	w.i++
	for n := 0; w.peek() != ']'; n++ {
		if w.b[w.i] == ',' {
			w.i++
		}
		if s.row == nil {
			w.peek()
			w.skip()
			continue
		}
		if err := w.value(s.row, join(field, strconv.Itoa(n))); err != nil {
			return err
		}
	}
	w.i++
	return nil
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

func (w *walker) object(s *shape, field string) *tq.Error {
	w.i++
	seen := make([]string, 0, 8)
	for w.peek() != '}' {
		if w.b[w.i] == ',' {
			w.i++
		}
		name := w.name()
		if err := s.known(name, field, seen); err != nil {
			return err
		}
		seen = append(seen, name)
		w.peek()
		w.i++ // the colon
		if err := w.member(s, name, field); err != nil {
			return err
		}
	}
	w.i++
	return nil
}

func (w *walker) member(s *shape, name, field string) *tq.Error {
	if of := s.names[name]; of != nil {
		return w.value(of, join(field, name))
	}
	w.peek()
	w.skip()
	return nil
}

// name reads the name of a member.
func (w *walker) name() string {
	w.peek()
	start := w.i
	w.skip()
	literal := w.b[start:w.i]
	if !slices.Contains(literal, '\\') {
		return string(literal[1 : len(literal)-1])
	}
	var text string
	_ = json.Unmarshal(literal, &text) // it is a string in valid JSON
	return text
}

// known refuses a name that the object does not have or has had already.
func (s *shape) known(name, field string, seen []string) *tq.Error {
	at := join(field, name)
	for _, other := range seen {
		if other == name {
			return refusal(at, reasonDuplicate, "stands twice")
		}
		if strings.EqualFold(other, name) {
			return refusal(at, reasonDuplicate, "stands beside %s, which differs only in case", other)
		}
	}
	if !s.closed || s.names[name] != nil {
		return nil
	}
	e := refusal(at, reasonUnknown, "is not a field here")
	if near := tq.Nearest(strings.ToLower(name), s.sorted()); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("the fields are %s", strings.Join(s.sorted(), ", "))
}

func (s *shape) sorted() []string {
	var names []string
	for name := range s.names {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// skip goes behind the value that begins here.
func (w *walker) skip() {
	depth := 0
	for w.i < len(w.b) {
		switch c := w.b[w.i]; c {
		case '"':
			w.skipString()
		case '{', '[':
			depth++
			w.i++
		case '}', ']':
			depth--
			w.i++
		case ',', ':', ' ', '\t', '\r', '\n':
			w.i++
			continue
		default:
			w.skipWord()
		}
		if depth == 0 {
			return
		}
	}
}

func (w *walker) skipString() {
	for w.i++; w.b[w.i] != '"'; w.i++ {
		if w.b[w.i] == '\\' {
			w.i++
		}
	}
	w.i++
}

// skipWord goes behind a number, true, false or null.
func (w *walker) skipWord() {
	for w.i < len(w.b) {
		switch w.b[w.i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return
		}
		w.i++
	}
}
