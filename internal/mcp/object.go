package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"example.com/tq"
)

// object is the arguments of a call: members in their order, values byte for
// byte, doubled names and all, so that what a tool adds or renames changes
// nothing else and the operation's own strictness sees everything.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// objectOf reads arguments. What is no object breaks the protocol, not a rule
// of the queue.
func objectOf(raw json.RawMessage) (object, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "arguments: want an object"}
	}
	var o object
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, badArguments(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, badArguments(err)
		}
		o = append(o, member{name.(string), value})
	}
	return o, nil
}

func badArguments(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "arguments: " + err.Error()}
}

// encode writes the object again.
func (o object) encode() []byte {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quoted(m.name)...)
		b = append(b, ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

func quoted(text string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // text always encodes
	return bytes.TrimSpace(b.Bytes())
}

func integer(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// get finds the value of a name.
func (o object) get(name string) (json.RawMessage, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// lack adds a member that is not there.
func (o *object) lack(name string, value json.RawMessage) {
	if _, there := o.get(name); !there {
		*o = append(*o, member{name, value})
	}
}

// rename gives all members of a name another one.
func (o object) rename(from, to string) {
	for i := range o {
		if o[i].name == from {
			o[i].name = to
		}
	}
}

// replace rewrites the values of a name.
func (o object) replace(name string, with func(json.RawMessage) json.RawMessage) {
	for i := range o {
		if o[i].name == name {
			o[i].value = with(o[i].value)
		}
	}
}

// cut takes the members of a name out and answers the last value.
func (o *object) cut(name string) (json.RawMessage, bool) {
	var found json.RawMessage
	kept := (*o)[:0:0]
	for _, m := range *o {
		if m.name == name {
			found = m.value
			continue
		}
		kept = append(kept, m)
	}
	*o = kept
	return found, found != nil
}

// text reads a member that has to be text.
func (o object) text(name string) (string, error) {
	raw, there := o.get(name)
	if !there {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || raw[0] != '"' {
		return "", invalid(name, "is %s, want text", brief(raw))
	}
	return text, nil
}

// whole reads a member that has to be a whole number within limits.
func (o object) whole(name string, low, high, usual int64) (int64, error) {
	raw, there := o.get(name)
	if !there {
		return usual, nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0, invalid(name, "is %s, want a whole number", brief(raw))
	}
	if n < low || n > high {
		return 0, invalid(name, "is %d, want %d to %d", n, low, high)
	}
	return n, nil
}

func brief(raw []byte) string {
	const limit = 60
	if len(raw) > limit {
		return string(bytes.ToValidUTF8(raw[:limit], nil)) + "…"
	}
	return string(raw)
}

// invalid is the refusal of an argument that the tool, not the operation, reads.
func invalid(field, format string, args ...any) *tq.Error {
	e := tq.Errorf(tq.CodeInvalid, format, args...)
	e.Errors = []tq.FieldError{{Pointer: "/" + field, Detail: e.Message}}
	e.Message = field + ": " + e.Message
	return e
}
