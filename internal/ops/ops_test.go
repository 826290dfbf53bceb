package ops_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

func find(t *testing.T, name string) *ops.Op {
	t.Helper()
	for _, o := range ops.Table() {
		if o.Name == name {
			return &o
		}
	}
	t.Fatalf("there is no operation %s", name)
	return nil
}

// each visits every property inside a schema.
func each(s *jsonschema.Schema, at string, visit func(at, name string, p *jsonschema.Schema)) {
	for name, p := range s.Properties {
		visit(at, name, p)
		each(p, at+"/"+name, visit)
	}
	if s.Items != nil {
		each(s.Items, at+"/0", visit)
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	t.Parallel()
	fields := 0
	for _, o := range ops.Table() {
		visit := func(at, name string, p *jsonschema.Schema) {
			fields++
			if p.Description == "" {
				t.Errorf("%s: %s/%s has no description: add it to words.go", o.Name, at, name)
			}
			if slices.Contains(p.Types, "null") {
				t.Errorf("%s: %s/%s may be null: absent is absent", o.Name, at, name)
			}
		}
		each(o.In, "in", visit)
		each(o.Out, "out", visit)
	}
	if fields == 0 {
		t.Error("there are no fields")
	}
}

func TestEveryOperationSaysWhoMayAndWhatItIs(t *testing.T) {
	t.Parallel()
	for _, o := range ops.Table() {
		if o.Summary == "" || !strings.HasSuffix(o.Summary, ".") {
			t.Errorf("%s: the summary is %q, want a sentence", o.Name, o.Summary)
		}
		if len(o.Scopes) == 0 || len(o.Routes) == 0 {
			t.Errorf("%s: scopes %v, routes %v", o.Name, o.Scopes, o.Routes)
		}
		if get := ops.Method(o.Routes[0]) == "GET"; get && !o.ReadOnly() && o.Name != "check" && o.Name != "tokens" {
			t.Errorf("%s: a GET changes something", o.Name)
		}
		for _, r := range o.Routes {
			for _, name := range ops.PathNames(r) {
				if o.In.Properties[name] == nil {
					t.Errorf("%s: %s in the path is no field", o.Name, name)
				}
			}
		}
	}
}

// The strict decoder and the schema that is published say the same about
// shapes: what one of them lets in, the other does too.
func TestTheDecoderAgreesWithTheSchema(t *testing.T) {
	t.Parallel()
	o := find(t, "enqueue")
	schema, err := o.In.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"type":"a"}`, `{"type":1}`, `{"type":null}`, `{"type":"a","priority":1.5}`, `{"type":"a","priority":"high"}`,
		`{"type":"a","nope":1}`, `{"type":"a","deps":[1,"$0",true]}`, `{"type":"a","deps":[1,"$0"]}`, `{"type":"a","deps":{}}`,
		`{"type":"a","payload":{"a":[null]}}`, `{"type":"a","payload":null}`, `{"type":"a","tags":["x"]}`, `{"type":"a","tags":[1]}`,
		`{"type":"a","key_until":"never"}`, `{"type":"a","key_until":"terminal"}`, `{"type":"a","backoff":{"base_seconds":1}}`,
		`{"type":"a","backoff":{"base":1}}`, `{"type":"a","backoff":[]}`, `{"type":"a","delay_seconds":1.5}`, `[]`, `1`, `null`,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		_, strict := o.Decode([]byte(text))
		if bySchema := schema.Validate(v); (strict == nil) != (bySchema == nil) {
			t.Errorf("%s: the decoder says %v, the schema %v", text, strict, bySchema)
		}
	}
}

// The limits in the schema are those that the hall enforces.
func TestTheLimitsInTheSchemaAreThoseOfTheHall(t *testing.T) {
	t.Parallel()
	o := find(t, "enqueue")
	schema, err := o.In.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, edge := range []string{
		`"priority":32767`, `"priority":32768`, `"priority":-32768`, `"priority":-32769`,
		`"delay_seconds":0`, `"delay_seconds":-1`, `"delay_seconds":31536000`, `"delay_seconds":31536001`,
		`"max_attempts":1`, `"max_attempts":1000`, `"max_attempts":1001`, `"max_attempts":-1`,
		`"timeout_seconds":604800`, `"timeout_seconds":604801`,
		`"idempotency_key":"` + strings.Repeat("k", 200) + `"`, `"idempotency_key":"` + strings.Repeat("k", 201) + `"`,
		`"project":"` + strings.Repeat("p", 128) + `"`, `"project":"` + strings.Repeat("p", 129) + `"`,
		`"queue":"a b"`, `"queue":"a/b:c.d-e_f"`, `"queue":"` + strings.Repeat("q", 128) + `"`, `"queue":"` + strings.Repeat("q", 129) + `"`,
	} {
		text := `{"type":"a",` + edge + `}`
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		in, err := o.Decode([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		_, byHall := in.(tq.NewTask).Normal()
		if bySchema := schema.Validate(v); (byHall == nil) != (bySchema == nil) {
			t.Errorf("%s: the hall says %v, the schema %v", text, byHall, bySchema)
		}
	}
}

func TestTheDecoderRefusesWhatGoLetsPass(t *testing.T) {
	t.Parallel()
	o := find(t, "enqueue")
	for text, want := range map[string]struct{ reason, pointer, part string }{
		``:                                 {"invalid_json", "", "empty"},
		`  `:                               {"invalid_json", "", "empty"},
		`{"type":"a"`:                      {"invalid_json", "", "byte 11"},
		`{"type":"a"}{}`:                   {"trailing_data", "", "byte 12"},
		`{"type":"a"} x`:                   {"trailing_data", "", "byte 12"},
		`{"type":'a'}`:                     {"invalid_json", "", "byte 9"},
		`null`:                             {"not_an_object", "", "is null, want a JSON object"},
		` [ ] `:                            {"not_an_object", "", "is a list"},
		`[{"type":"a"}]`:                   {"not_an_object", "", "into braces; they are backoff"},
		`"x"`:                              {"not_an_object", "", `is "x"`},
		`-1`:                               {"not_an_object", "", "is -1"},
		`true`:                             {"not_an_object", "", "is true"},
		`{"type":"a","type":"b"}`:          {"duplicate_field", "/type", "twice"},
		`{"type":"a","Queue":"b"}`:         {"unknown_field", "/Queue", "queue"},
		`{"queue":"a","QUEUE":"b"}`:        {"duplicate_field", "/QUEUE", "case"},
		`{"\u0074ype":"a","type":"b"}`:     {"duplicate_field", "/type", "twice"},
		`{"type":"a","priorty":1}`:         {"unknown_field", "/priorty", "priority"},
		`{"type":"a","backoff":{"bas":1}}`: {"unknown_field", "/backoff/bas", "base_seconds"},
		"{\"type\":\"\xff\"}":              {"invalid_utf8", "", "byte 9"},
		`{"type":"a","parent":1e2}`:        {"wrong_type", "/parent", "whole number"},
		`{"type":"a","parent":99999999999999999999}`:                              {"out_of_range", "/parent", "64 bits"},
		`{"type":"a","run_at":"tomorrow"}`:                                        {"out_of_range", "/run_at", "RFC 3339"},
		`{"type":"a","tags":["x",["y"]]}`:                                         {"wrong_type", "/tags/1", "a list"},
		`{"payload":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: {"too_deep", "", "deeper"},
	} {
		_, err := o.Decode([]byte(text))
		var e *tq.Error
		if !errors.As(err, &e) || e.Code != tq.CodeInvalid || len(e.Errors) != 1 {
			t.Errorf("%.60s: %v, want invalid and one field", text, err)
			continue
		}
		if e.Reason != want.reason || e.Errors[0].Pointer != want.pointer || !strings.Contains(e.Message+e.Hint, want.part) {
			t.Errorf("%.60s: %s at %q: %s (%s), want %+v", text, e.Reason, e.Errors[0].Pointer, e.Message, e.Hint, want)
		}
	}
}

func TestAPayloadMayBeAnyJSON(t *testing.T) {
	t.Parallel()
	o := find(t, "enqueue")
	for _, payload := range []string{
		`{"a":1,"a":2,"A":3}`, `null`, `1e400`, `"\ud800"`, `[[[]]]`, `{"type":{"priorty":1}}`, ` [ 1 , 2 ] `, `"}{"`, `"\\\"}"`,
	} {
		in, err := o.Decode([]byte(`{"type":"a","payload":` + payload + `,"queue":"q"}`))
		if err != nil {
			t.Errorf("%s: %v", payload, err)
			continue
		}
		if n := in.(tq.NewTask); string(n.Payload) != strings.TrimSpace(payload) || n.Queue != "q" {
			t.Errorf("%s: came out as %s, queue %s", payload, n.Payload, n.Queue)
		}
	}
}

func TestAnswersKeepPayloadsByteForByte(t *testing.T) {
	t.Parallel()
	o := find(t, "tasks")
	texts := []string{`{ "a" : 1.0e2 }`, `[1]`, "[\n\"<&>\"\n]", `"x y"`, ``}
	out := tq.TasksOut{}
	for _, text := range texts {
		out.Tasks = append(out.Tasks, tq.Task{Payload: json.RawMessage(text), Result: json.RawMessage(text)})
	}
	b, err := o.Encode(out)
	if err != nil {
		t.Fatal(err)
	}
	var back tq.TasksOut
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	for i, text := range texts {
		if string(back.Tasks[i].Payload) != text || string(back.Tasks[i].Result) != text || string(out.Tasks[i].Payload) != text {
			t.Errorf("%q came back as %q and %q", text, back.Tasks[i].Payload, back.Tasks[i].Result)
		}
	}
}

func TestProblemsBecomeTheErrorThatTheyWere(t *testing.T) {
	t.Parallel()
	for _, e := range []*tq.Error{
		{Code: tq.CodeLeaseLost, Message: "lease no longer held", Hint: "claim again", TaskID: 7, Status: tq.Running, Epoch: 3, Reason: "reclaimed"},
		{Code: tq.CodeInvalid, Message: "x: y", Reason: "required", Errors: []tq.FieldError{{Pointer: "/x", Detail: "y", Reason: "required"}}},
		{Code: tq.CodeTooMany, Message: "slow down", RetryAfter: 3e9},
	} {
		p := ops.ProblemOf(e)
		back := p.Err()
		was, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		now, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		if string(was) != string(now) || back.RetryAfter != e.RetryAfter {
			t.Errorf("%s came back as %s", was, now)
		}
	}
	secret := ops.ProblemOf(errors.New("password=1234"))
	if b, err := json.Marshal(secret); err != nil || strings.Contains(string(b), "1234") || secret.Status != 500 {
		t.Errorf("a stranger is told %s (%v)", b, err)
	}
}
