package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// How a request becomes the one JSON object that an operation takes: its body,
// or its query, and the fields in its path.

// reader reads the requests of one route.
type reader struct {
	op     *ops.Op
	route  string
	inPath []string
}

func (in *reader) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var raw []byte
	var err error
	if ops.HasBody(in.route) {
		raw, err = in.body(w, r)
	} else {
		raw, err = in.query(r)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range in.inPath {
		raw = withMember(raw, name, in.literal(name, r.PathValue(name)))
	}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		raw = in.keyed(raw, quoted(unquoted(key)))
	}
	if tag := r.Header.Get("If-Match"); tag != "" && tag != "*" && in.op.In.Properties["if_epoch"] != nil {
		raw = withMember(raw, "if_epoch", in.literal("if_epoch", unquoted(tag)))
	}
	return raw, nil
}

// keyed adds the key of an enqueue: to one task its own, to many that of the
// call.
func (in *reader) keyed(raw, key []byte) []byte {
	for _, name := range []string{"idempotency_key", "enqueue_id"} {
		if in.op.In.Properties[name] != nil {
			return withMember(raw, name, key)
		}
	}
	return raw
}

// body reads the whole body. Without one, what stands in the path may be all.
func (in *reader) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.URL.RawQuery != "" {
		return nil, malformed("unknown_field", "this route takes no query, its fields go into the body")
	}
	if err := wantJSON(r); err != nil {
		return nil, err
	}
	if r.ContentLength > int64(in.op.MaxBody) {
		return nil, ops.TooLarge(in.op.MaxBody)
	}
	raw, err := readAll(http.MaxBytesReader(w, r.Body, int64(in.op.MaxBody)), r.ContentLength)
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, ops.TooLarge(in.op.MaxBody)
	case err != nil:
		return nil, malformed("invalid_json", "the body ended early: %v", err)
	case len(raw) == 0 && len(in.inPath) > 0:
		return []byte("{}"), nil
	}
	return raw, nil
}

// readAll reads r, with room for what was announced.
func readAll(r io.Reader, size int64) ([]byte, error) {
	const most = 1 << 16 // announced is not sent
	var b bytes.Buffer
	if size > 0 {
		b.Grow(int(min(size+bytes.MinRead, most)))
	}
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// wantJSON refuses bodies that a form could send, and packed ones.
func wantJSON(r *http.Request) error {
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return unsupported("Content-Encoding %q is not taken, send the body as it is", enc)
	}
	given := r.Header.Get("Content-Type")
	if given == "application/json" || given == "" && r.ContentLength == 0 {
		return nil
	}
	media, _, err := mime.ParseMediaType(given)
	if err != nil || media != "application/json" {
		return unsupported("Content-Type is %q, want application/json", given)
	}
	return nil
}

// query makes an object of the query: names as they stand, values by the types
// that the operation wants.
func (in *reader) query(r *http.Request) ([]byte, error) {
	if r.ContentLength != 0 {
		return nil, malformed("trailing_data", "%s takes no body here", r.Method)
	}
	raw := []byte("{}")
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, malformed("invalid_json", "the query is malformed: %v", err)
	}
	for _, name := range sorted(values) {
		field := in.op.In.Properties[name]
		texts := values[name]
		switch {
		case field != nil && field.Type == "array":
			raw = withMember(raw, name, list(texts))
		case slices.Contains(in.inPath, name) || len(texts) > 1:
			return nil, malformed("duplicate_field", "%s stands twice", name)
		default:
			raw = withMember(raw, name, in.literal(name, texts[0]))
		}
	}
	return raw, nil
}

func sorted(values url.Values) []string {
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// list takes values given several times, or between commas.
func list(texts []string) []byte {
	rows := []json.RawMessage{}
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			if part != "" {
				rows = append(rows, quoted(part))
			}
		}
	}
	b, _ := json.Marshal(rows) // strings always encode
	return b
}

// literal writes a text from a path or query as the type that its field has. A
// text that is not of that type stays text, so that its refusal shows it.
func (in *reader) literal(name, text string) []byte {
	field := in.op.In.Properties[name]
	if field == nil || field.Type == "string" {
		return quoted(text)
	}
	isNumber := field.Type == "integer" || field.Type == "number"
	isBool := field.Type == "boolean" && (text == "true" || text == "false")
	if isBool || isNumber && json.Valid([]byte(text)) && strings.Trim(text, "0123456789.eE+-") == "" {
		return []byte(text)
	}
	return quoted(text)
}

// quoted is text as JSON. Broken UTF-8 stays broken, so that it is refused and
// not mended in silence.
func quoted(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // strings always encode
	if strings.ToValidUTF8(text, "") != text {
		return []byte("\"\xff\"")
	}
	return bytes.TrimSpace(b.Bytes())
}

// unquoted takes the quotes off a structured header.
func unquoted(header string) string {
	if len(header) >= 2 && header[0] == '"' && header[len(header)-1] == '"' {
		return strings.ReplaceAll(strings.ReplaceAll(header[1:len(header)-1], `\"`, `"`), `\\`, `\`)
	}
	return header
}

// withMember adds a member to a JSON object. What is no object stays what it
// was, and is refused as that; one that has the member already has it twice.
func withMember(object []byte, name string, value []byte) []byte {
	inside, ok := bytes.CutSuffix(bytes.TrimRight(object, " \t\r\n"), []byte("}"))
	if !ok {
		return object
	}
	inside = bytes.TrimRight(inside, " \t\r\n")
	out := append(make([]byte, 0, len(inside)+len(name)+len(value)+5), inside...)
	if len(inside) > 0 && inside[len(inside)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(out, quoted(name)...), ':')
	return append(append(out, value...), '}')
}

// isPlain reports whether a path is one that no cleaning would change.
func isPlain(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}

func malformed(reason, format string, args ...any) *tq.Error {
	e := tq.Errorf(tq.CodeInvalid, format, args...)
	e.Reason = reason
	return e
}
