package tq

import (
	"slices"
	"strconv"
	"strings"
)

// What a caller may do: scopes, over the queues and types that it may touch.
// The Broker asks here before each call and hands the same Rights to the store,
// which shows nothing else (Only in its queries). All of it is pure.

// Scope is a kind of thing that a caller may do.
type Scope string

// The scopes. None of them implies another.
const (
	CanEnqueue Scope = "enqueue" // enqueue, cancel, requeue what has not ended
	CanClaim   Scope = "claim"   // claim and settle
	CanRead    Scope = "read"    // tasks, facts, counts, workers
	CanAdmin   Scope = "admin"   // rescue, delete, pause, purge, remove workers, tokens
)

// Scopes lists every scope.
func Scopes() []Scope { return []Scope{CanEnqueue, CanClaim, CanRead, CanAdmin} }

// Any stands for every queue, and for every type but those that run what a
// payload says: NamedTypes must be named.
const Any = "*"

// NamedTypes lists the types that Rights hold only when they name them: whoever
// may enqueue one has a program run on the machine of its worker.
func NamedTypes() []string { return []string{TypeShell, TypeAgent} }

// Rights are what a caller may do. The zero value is nothing at all.
type Rights struct {
	Can []Scope `json:"can"`
	// Queues are names, or patterns in which each * stands for any run of
	// characters: "shop:*", or Any.
	Queues []string `json:"queues"`
	// Types are names, or Any.
	Types []string `json:"types"`
	// MaxOpen is how many open tasks, those that have not ended, there may be in
	// those queues and of those types before an enqueue with these rights is
	// refused with too_many; 0 is no limit. See Depth for how exactly it holds.
	MaxOpen int64 `json:"max_open,omitempty"`
}

// EveryRight is what a caller in the same process may do.
func EveryRight() Rights {
	return Rights{Can: Scopes(), Queues: []string{Any}, Types: append([]string{Any}, NamedTypes()...)}
}

// Allows reports whether these rights hold a scope.
func (r *Rights) Allows(s Scope) bool { return slices.Contains(r.Can, s) }

// Sees reports whether tasks of that queue and type are within these rights.
// Everything is within nil.
func (r *Rights) Sees(queue, typ string) bool {
	return r == nil || r.SeesQueue(queue) && r.seesType(typ)
}

// SeesQueue reports whether some tasks of that queue are.
func (r *Rights) SeesQueue(queue string) bool {
	return r == nil || slices.ContainsFunc(r.Queues, func(pattern string) bool { return fits(pattern, queue) })
}

func (r *Rights) seesType(typ string) bool {
	return r == nil || slices.Contains(r.Types, typ) ||
		slices.Contains(r.Types, Any) && !slices.Contains(NamedTypes(), typ)
}

// SeesAll reports whether every task is within these rights.
func (r *Rights) SeesAll() bool {
	if r == nil {
		return true
	}
	return slices.Contains(r.Queues, Any) && slices.Contains(r.Types, Any) &&
		!slices.ContainsFunc(NamedTypes(), func(typ string) bool { return !r.seesType(typ) })
}

// Covers reports whether other allows nothing that r does not. A caller hands
// on no more than it has.
func (r *Rights) Covers(other *Rights) bool {
	for _, s := range other.Can {
		if !r.Allows(s) {
			return false
		}
	}
	for _, q := range other.Queues {
		if !r.SeesQueue(q) { // the * of a pattern is covered only by a *
			return false
		}
	}
	for _, typ := range other.Types {
		if !r.seesType(typ) {
			return false
		}
	}
	return r.MaxOpen == 0 || other.MaxOpen > 0 && other.MaxOpen <= r.MaxOpen
}

// fits reports whether name is one that the pattern stands for.
func fits(pattern, name string) bool {
	parts := strings.Split(pattern, Any)
	if len(parts) == 1 {
		return pattern == name
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = rest
	}
	return true
}

// Check says what is wrong with rights that somebody is to be given, or nil.
func (r *Rights) Check() *Error {
	switch {
	case len(r.Can) == 0:
		return invalidField("can", "required", "is empty, want some of enqueue, claim, read, admin")
	case len(r.Queues) == 0:
		return invalidField("queues", "required", "is empty, want names, patterns such as shop:*, or *")
	case len(r.Types) == 0:
		return invalidField("types", "required", "is empty, want names, or * for all but sh and agent")
	}
	for _, s := range r.Can {
		if err := checkWord("can", string(s), scopeWords()...); err != nil {
			return err
		}
	}
	if r.MaxOpen < 0 || r.MaxOpen > MaxOpen {
		return invalidField("max_open", "out_of_range", "is %d, want 0 (no limit) to %d", r.MaxOpen, MaxOpen)
	}
	if len(r.Queues) > MaxRights || len(r.Types) > MaxRights {
		return invalidField("queues", "too_many", "more than %d queues or types", MaxRights)
	}
	for i, p := range r.Queues {
		if err := checkPattern("queues."+strconv.Itoa(i), p); err != nil {
			return err
		}
	}
	for i, typ := range r.Types {
		field := "types." + strconv.Itoa(i)
		if err := checkName(field, typ, MaxTypeName); err != nil {
			return err
		}
		if typ != Any && strings.Contains(typ, Any) {
			return invalidField(field, "unknown_value", "is %s: a type is a name or *", quote(typ))
		}
	}
	return nil
}

func scopeWords() []string {
	var words []string
	for _, s := range Scopes() {
		words = append(words, string(s))
	}
	return words
}

// checkPattern: a pattern is a queue name with stars in it.
func checkPattern(field, pattern string) *Error {
	bare := strings.ReplaceAll(pattern, Any, "x")
	if pattern != "" && strings.Trim(pattern, Any) == "" || CheckQueue(field, bare) == nil {
		return nil
	}
	return invalidField(field, "invalid_queue", "%s is neither a queue name nor a pattern such as shop:*", quote(pattern))
}
