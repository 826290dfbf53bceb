package tq

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The filter language: queue:build,agents status:dead age:>2h -type:metrics
// "timed out". Terms are ANDed, commas are OR, a - in front negates. The vectors
// in testdata/filter-vectors.json hold for every parser of it. What a filter
// selects is in filter_picks.go.

// Filter selects tasks in the words of the filter language. The zero value, and
// nil, select all.
type Filter struct {
	Terms []FilterTerm
}

// FilterTerm is one condition: a field that has one of the values, or compares
// with one of them by Op (>, >=, <, <=). Key "text" stands for words without a
// field. Not turns it around.
type FilterTerm struct {
	Key    string   `json:"key"`
	Op     string   `json:"op,omitempty"`
	Values []string `json:"values"`
	Not    bool     `json:"not,omitempty"`
}

const textKey, payloadKey = "text", "payload."

// The fields by what their values are; payload.NAME is one more.
func namedFields() []string    { return words("queue type project worker tag error fp key") }
func numberedFields() []string { return words("id parent dep") }
func countedFields() []string  { return words("try prio") }
func timedFields() []string    { return words("age wait run") }

func words(list string) []string { return strings.Fields(list) }

// FilterFields lists the fields that a filter may name, beside payload.NAME.
func FilterFields() []string {
	return slices.Concat(words("status sort"), namedFields(), numberedFields(), countedFields(), timedFields())
}

// ParseFilter reads a filter of at most MaxFilter bytes. Its refusals name the
// character at which the term in question begins, from 1, and what is allowed.
func ParseFilter(text string) (*Filter, error) {
	if len(text) > MaxFilter {
		return nil, tooLarge("filter", len(text), MaxFilter)
	}
	if !utf8.ValidString(text) {
		return nil, invalidField("filter", "invalid_utf8", "is not valid UTF-8")
	}
	f := &Filter{}
	for at := 0; ; {
		word, begins, err := nextWord(text, at)
		if err == nil && word == "" {
			return f, nil
		}
		var t FilterTerm
		if err == nil {
			t, err = parseTerm(word)
		}
		if err != nil {
			return nil, err.at(text, begins)
		}
		f.Terms = append(f.Terms, t)
		at = begins + len(word)
	}
}

// wordError is what is wrong with one word of a filter.
type wordError struct{ detail, hint string }

func wrong(parts ...string) *wordError { return &wordError{detail: strings.Join(parts, "")} }

// at is the refusal, with the place of the word.
func (e *wordError) at(text string, begins int) *Error {
	place := utf8.RuneCountInString(text[:begins]) + 1
	err := invalidField("filter", "invalid_filter", "at character %d: %s", place, e.detail)
	if e.hint == "" {
		return err
	}
	return err.WithHint("%s", e.hint)
}

// isSpace is what separates words; a browser's idea of it.
func isSpace(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) }

// nextWord finds the word that begins at or behind a byte, "" at the end. Words
// are separated by space outside of quotes.
func nextWord(text string, from int) (word string, begins int, err *wordError) {
	begins = len(text)
	if i := strings.IndexFunc(text[from:], func(r rune) bool { return !isSpace(r) }); i >= 0 {
		begins = from + i
	}
	end, open := outsideQuotes(text[begins:], isSpace)
	if open {
		return "", begins, &wordError{"a quote is not closed", `a quote inside of quotes is written \"`}
	}
	return text[begins : begins+end], begins, nil
}

// outsideQuotes finds the first character that fits outside of quotes, or the
// end; open says that a quote is not closed there.
func outsideQuotes(text string, fits func(rune) bool) (at int, open bool) {
	quotes, skip := false, false
	for i, r := range text {
		switch {
		case skip:
			skip = false
		case quotes && r == '\\':
			skip = true
		case r == '"':
			quotes = !quotes
		case !quotes && fits(r):
			return i, false
		}
	}
	return len(text), quotes
}

func parseTerm(word string) (FilterTerm, *wordError) {
	body, not := strings.CutPrefix(word, "-")
	if body == "" {
		return FilterTerm{}, wrong("- stands alone")
	}
	if id, ok := strings.CutPrefix(body, "#"); ok && allDigits(id) {
		body = "id:" + id
	}
	name, value, isField := fieldOf(body)
	if !isField {
		text := unquoteText(body)
		if text == "" {
			return FilterTerm{}, wrong("the quotes are empty")
		}
		return FilterTerm{Key: textKey, Values: []string{text}, Not: not}, nil
	}
	key, err := fieldName(name)
	if err != nil {
		return FilterTerm{}, err
	}
	t, err := parseField(key, value)
	t.Not = not
	return t, err
}

// fieldOf takes a word apart at its colon: letters, perhaps with .NAME behind
// them. The address of a page is text.
func fieldOf(word string) (name, value string, ok bool) {
	name, value, found := strings.Cut(word, ":")
	head, path, dotted := strings.Cut(name, ".")
	letters := head != "" && strings.Trim(strings.ToLower(head), "abcdefghijklmnopqrstuvwxyz") == ""
	plain := !dotted || path != "" && !strings.ContainsFunc(path, func(r rune) bool { return r == '"' || isSpace(r) })
	return name, value, found && letters && plain && !strings.HasPrefix(value, "//")
}

func fieldName(written string) (string, *wordError) {
	key := strings.ToLower(written)
	if strings.HasPrefix(key, payloadKey) {
		return payloadKey + written[len(payloadKey):], nil
	}
	known := FilterFields()
	if slices.Contains(known, key) {
		return key, nil
	}
	e := wrong("unknown field ", written)
	e.hint = "the fields are " + strings.Join(known, ", ") + " and payload.NAME"
	for _, near := range known {
		if keystrokes(near, key) <= 2 {
			e.detail += ": did you mean " + near + "?"
			break
		}
	}
	return "", e
}

func parseField(key, text string) (FilterTerm, *wordError) {
	op, text := cutOp(text)
	t := FilterTerm{Key: key, Op: op, Values: splitValues(text)}
	timed := slices.Contains(timedFields(), key)
	switch {
	case len(t.Values) == 1 && t.Values[0] == "":
		return t, wrong(key, " has no value")
	case slices.Contains(t.Values, ""):
		return t, wrong(key, " has an empty value")
	case op != "" && !timed && !slices.Contains(countedFields(), key):
		return t, wrong(key, " cannot be compared with ", op)
	case op == "" && timed:
		return t, wrong(key, " needs one of > >= < <=")
	}
	for i, v := range t.Values {
		checked, err := checkValue(key, v)
		if err != nil {
			return t, err
		}
		t.Values[i] = checked
	}
	return t, nil
}

func cutOp(text string) (op, rest string) {
	for _, op := range []string{">=", "<=", ">", "<"} {
		if rest, ok := strings.CutPrefix(text, op); ok {
			return op, rest
		}
	}
	return "", text
}

func checkValue(key, value string) (string, *wordError) {
	switch {
	case key == "status":
		status, err := ParseStatus(strings.ToLower(value))
		if err != nil {
			return "", wrong("status is ", value, ", want blocked, pending, ready, scheduled, retrying, running, completed, dead or cancelled")
		}
		return status, nil
	case key == "sort" && !slices.Contains(words("age prio try"), strings.TrimPrefix(value, "-")):
		return "", wrong("sort is ", value, ", want age, prio or try")
	case slices.Contains(timedFields(), key):
		if _, ok := filterSpan(value); !ok {
			return "", wrong(key, " is ", value, ", want a duration such as 90s, 5m, 2h or 3d")
		}
	case slices.Contains(numberedFields(), key), slices.Contains(countedFields(), key):
		_, err := strconv.ParseInt(value, 10, 64)
		if err != nil || !allDigits(strings.TrimPrefix(value, "-")) {
			return "", wrong(key, " is ", value, ", want a whole number")
		}
	}
	return value, nil
}

// filterSpan reads 90s, 1.5m, 2h, 3d.
func filterSpan(text string) (time.Duration, bool) {
	if len(text) < 2 {
		return 0, false
	}
	number := text[:len(text)-1]
	whole, part, dotted := strings.Cut(number, ".")
	n, err := strconv.ParseFloat(number, 64)
	if !allDigits(whole) || dotted && !allDigits(part) || err != nil {
		return 0, false
	}
	unit := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[text[len(text)-1]]
	const ever = float64(1 << 62)
	return time.Duration(min(n*float64(unit), ever)), unit > 0
}

func allDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// splitValues splits at commas outside of quotes and takes the quotes off.
func splitValues(text string) []string {
	var values []string
	for {
		end, _ := outsideQuotes(text, func(r rune) bool { return r == ',' })
		values = append(values, unquoteText(text[:end]))
		if end == len(text) {
			return values
		}
		text = text[end+1:]
	}
}

// unquoteText takes away quotes, and inside of them the backslash in front of a
// character.
func unquoteText(text string) string {
	if !strings.Contains(text, `"`) {
		return text
	}
	var b strings.Builder
	quotes, skip := false, false
	for _, r := range text {
		switch {
		case !skip && quotes && r == '\\':
			skip = true
			continue
		case !skip && r == '"':
			quotes = !quotes
			continue
		}
		skip = false
		b.WriteRune(r)
	}
	return b.String()
}
