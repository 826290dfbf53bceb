package ops

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/tq"
)

// Schemas are derived from the Go types, so they cannot disagree about names.
// What a name means and how far its value may go is said once, in words.go.

func inputSchema[I any]() *jsonschema.Schema {
	s := schemaFor[I]()
	eachSchema(s, func(s *jsonschema.Schema) {
		dropNull(s)
		if len(s.Required) == 0 {
			s.Required = nil
		}
	})
	return s
}

// answerSchema describes an answer: it may have more fields one day.
func answerSchema[O any]() *jsonschema.Schema {
	s := schemaFor[O]()
	eachSchema(s, func(s *jsonschema.Schema) {
		dropNull(s)
		if s.Properties != nil {
			s.AdditionalProperties = nil
		}
	})
	return s
}

func schemaFor[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: ownTypes()})
	if err != nil {
		panic(err) // the types are ours: any test finds it
	}
	describe(s)
	return s
}

// ownTypes describes the types that write their own JSON.
func ownTypes() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[tq.Time]():         {Type: "string", Format: "date-time"},
		reflect.TypeFor[tq.Duration]():     {Type: "number"},
		reflect.TypeFor[tq.Ref]():          {Types: []string{"integer", "string"}},
		reflect.TypeFor[tq.Status]():       words(tq.Statuses()...),
		reflect.TypeFor[tq.Kind]():         words(append(tq.Kinds(), tq.Acts()...)...),
		reflect.TypeFor[tq.Scope]():        words(tq.Scopes()...),
		reflect.TypeFor[tq.KeyUntil]():     words(tq.KeyUntilDeleted, tq.KeyUntilTerminal),
		reflect.TypeFor[tq.OnMismatch]():   words(tq.MismatchExisting, tq.MismatchError),
		reflect.TypeFor[tq.OnDepFailure](): words(tq.DepBlock, tq.DepCancel, tq.DepRun),
	}
}

func words[W ~string](all ...W) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range all {
		s.Enum = append(s.Enum, string(w))
	}
	return s
}

// dropNull: absent is absent, never null.
func dropNull(s *jsonschema.Schema) {
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	if len(s.Types) == 0 {
		s.Types = nil
	}
}

// eachSchema visits s and all schemas inside it.
func eachSchema(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	visit(s)
	for _, p := range s.Properties {
		eachSchema(p, visit)
	}
	if s.Items != nil {
		eachSchema(s.Items, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		eachSchema(s.AdditionalProperties, visit)
	}
}

// describe adds the words and limits to all fields inside s.
func describe(s *jsonschema.Schema) {
	all := fieldWords()
	eachSchema(s, func(s *jsonschema.Schema) {
		for name, p := range s.Properties {
			all[name].apply(p)
		}
	})
}
