package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// How the input of a call becomes a request: fields that stand in the path go
// there, the rest into the body, or the query of a route that has none.

// message is a request that can be sent several times.
type message struct {
	method, url string
	body        []byte // nil: none
}

// write makes the message for a call. Payloads go out byte for byte.
func write[I any](r *Remote, c call, in *I) (message, error) {
	if err := sendable(reflect.ValueOf(in).Elem(), ""); err != nil {
		return message{}, err
	}
	body, err := ops.NewEncoder[*I]().Encode(in)
	if err != nil {
		return message{}, tq.Errorf(tq.CodeInvalid, "write the request: %w", err)
	}
	method, path, _ := strings.Cut(c.route, " ")
	m := message{method: method, body: body}
	if strings.Contains(path, "{") || !ops.HasBody(c.route) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(body, &fields); err != nil {
			return message{}, tq.Errorf(tq.CodeInternal, "read back the request: %w", err)
		}
		path = fillPath(path, fields)
		if m.body, err = json.Marshal(fields); err != nil {
			return message{}, tq.Errorf(tq.CodeInternal, "write the request: %w", err)
		}
		if !ops.HasBody(c.route) {
			path, m.body = path+asQuery(fields), nil
		}
	}
	m.url = r.base + path
	return m, nil
}

// sendable refuses text that is not UTF-8, which encoding/json would mend in
// silence, and numbers that JSON does not have.
func sendable(v reflect.Value, field string) error {
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return badField(field, "invalid_utf8", "is not valid UTF-8")
		}
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return badField(field, "out_of_range", "is %v, want a number", f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return sendable(v.Elem(), field)
		}
	case reflect.Slice:
		return sendableRows(v, field)
	case reflect.Struct:
		return sendableFields(v, field)
	}
	return nil
}

func sendableRows(v reflect.Value, field string) error {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return nil // JSON already
	}
	for i := range v.Len() {
		if err := sendable(v.Index(i), field+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func sendableFields(v reflect.Value, field string) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Type == reflect.TypeFor[time.Time]() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if err := sendable(v.Field(i), field+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

func badField(field, reason, format string, args ...any) error {
	e := tq.Errorf(tq.CodeInvalid, strings.TrimPrefix(field, "/")+": "+format, args...)
	e.Reason = reason
	e.Errors = []tq.FieldError{{Pointer: field, Detail: fmt.Sprintf(format, args...), Reason: reason}}
	return e
}

// fillPath puts fields into their places in the path and takes them out of
// fields.
func fillPath(path string, fields map[string]json.RawMessage) string {
	return placeholder.ReplaceAllStringFunc(path, func(in string) string {
		name := strings.Trim(in, "{}")
		text := plain(fields[name])
		delete(fields, name)
		return url.PathEscape(text)
	})
}

// placeholder is a field in a route's path. It never changes.
var placeholder = regexp.MustCompile(`\{\w+\}`)

// plain is a value as it stands in a path or query: text without its quotes.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func asQuery(fields map[string]json.RawMessage) string {
	q := url.Values{}
	for name, raw := range fields {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			list = []json.RawMessage{raw}
		}
		for _, v := range list {
			q.Add(name, plain(v))
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// request makes one sending of m.
func (r *Remote) request(ctx context.Context, m message) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, m.method, m.url, bytes.NewReader(m.body))
	if err != nil {
		return nil, tq.Errorf(tq.CodeInvalid, "make a request: %w", err)
	}
	if m.body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", r.agent)
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	return req, nil
}

// isOneOf is short for a status among others.
func isOneOf(status int, among ...int) bool { return slices.Contains(among, status) }
