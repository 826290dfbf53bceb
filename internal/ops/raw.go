package ops

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"reflect"
	"strconv"
)

// Payloads and results go out byte for byte (spec S27). encoding/json takes the
// spaces out of what others wrote, so a text with spaces is first replaced by a
// name that nobody can guess, and put back afterwards.

// Encoder writes values of one type as JSON.
type Encoder struct{ raws finder }

// NewEncoder makes the Encoder for values of type T.
func NewEncoder[T any]() Encoder { return Encoder{finderFor(reflect.TypeFor[T]())} }

// Encode writes v on one line. What v holds is touched meanwhile, so v must not
// be shared.
func (e Encoder) Encode(v any) ([]byte, error) {
	kept, restore := e.hide(v)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	restore()
	if err != nil || len(kept) == 0 {
		return b.Bytes(), err
	}
	return putBack(b.Bytes(), kept), nil
}

// hidden is a text and the name that stands for it.
type hidden struct {
	name, text []byte
}

// hide puts names in the place of texts that encoding/json would rewrite.
func (e Encoder) hide(v any) (kept []hidden, restore func()) {
	restore = func() {}
	if e.raws == nil {
		return nil, restore
	}
	var places []*json.RawMessage
	e.raws(reflect.ValueOf(v), func(r *json.RawMessage) {
		if hasSpace(*r) {
			places = append(places, r)
		}
	})
	if len(places) == 0 {
		return nil, restore
	}
	nonce := rand.Text()
	for i, p := range places {
		name := []byte(strconv.Quote(nonce + strconv.Itoa(i)))
		kept = append(kept, hidden{name, *p})
		*p = name
	}
	return kept, func() {
		for i, p := range places {
			*p = kept[i].text
		}
	}
}

// putBack: the texts stand in b in their order.
func putBack(b []byte, kept []hidden) []byte {
	var out bytes.Buffer
	for _, h := range kept {
		before, after, found := bytes.Cut(b, h.name)
		if !found {
			continue
		}
		out.Write(before)
		out.Write(h.text)
		b = after
	}
	out.Write(b)
	return out.Bytes()
}

// hasSpace reports whether there is space between the tokens of b.
func hasSpace(b []byte) bool {
	inString := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && c <= ' ':
			return true
		}
	}
	return false
}

// finder visits every json.RawMessage inside a value, in the order in which
// they are written; nil when the type has none.
type finder func(v reflect.Value, visit func(*json.RawMessage))

func finderFor(t reflect.Type) finder {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return func(v reflect.Value, visit func(*json.RawMessage)) {
			if v.CanAddr() && v.Len() > 0 {
				visit(v.Addr().Interface().(*json.RawMessage))
			}
		}
	case t.Kind() == reflect.Pointer:
		return inPointer(finderFor(t.Elem()))
	case t.Kind() == reflect.Slice:
		return inSlice(finderFor(t.Elem()))
	case t.Kind() == reflect.Struct:
		return inStruct(t)
	}
	return nil
}

func inPointer(of finder) finder {
	if of == nil {
		return nil
	}
	return func(v reflect.Value, visit func(*json.RawMessage)) {
		if !v.IsNil() {
			of(v.Elem(), visit)
		}
	}
}

func inSlice(of finder) finder {
	if of == nil {
		return nil
	}
	return func(v reflect.Value, visit func(*json.RawMessage)) {
		for i := range v.Len() {
			of(v.Index(i), visit)
		}
	}
}

func inStruct(t reflect.Type) finder {
	parts := map[int]finder{}
	var order []int
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			continue
		}
		if f := finderFor(t.Field(i).Type); f != nil {
			parts[i] = f
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return nil
	}
	return func(v reflect.Value, visit func(*json.RawMessage)) {
		for _, i := range order {
			parts[i](v.Field(i), visit)
		}
	}
}
