package tq

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRightsSeeWhatTheyNameAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		queues, types string
		queue, typ    string
		want          bool
	}{
		{"", "*", "q", "work", false},
		{"q", "", "q", "work", false},
		{"*", "*", "any:queue", "work", true},
		{"*", "*", "q", "http", true},
		{"*", "*", "q", "sh", false},
		{"*", "*", "q", "agent", false},
		{"*", "*,sh", "q", "sh", true},
		{"*", "*,sh", "q", "agent", false},
		{"*", "sh", "q", "sh", true},
		{"*", "sh", "q", "work", false},
		{"shop:*", "*", "shop:tasks", "work", true},
		{"shop:*", "*", "shop:", "work", true},
		{"shop:*", "*", "shop", "work", false},
		{"shop:*", "*", "ashop:tasks", "work", false},
		{"*:low", "*", "shop:low", "work", true},
		{"*:low", "*", "shop:lower", "work", false},
		{"a*b*c", "*", "abc", "work", true},
		{"a*b*c", "*", "axbxbxc", "work", true},
		{"a*b*c", "*", "acb", "work", false},
		{"a*a", "*", "a", "work", false},
		{"shop", "*", "SHOP", "work", false},
		{"x,y", "work,play", "y", "play", true},
		{"x,y", "work,play", "y", "pay", false},
	} {
		r := Rights{Queues: fields(c.queues), Types: fields(c.types)}
		if got := r.Sees(c.queue, c.typ); got != c.want {
			t.Errorf("queues %s types %s: sees (%s, %s) = %v", c.queues, c.types, c.queue, c.typ, got)
		}
	}
}

func fields(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func TestNoRightsAtAllSeeEverythingOfAStore(t *testing.T) {
	t.Parallel()
	var none *Rights
	if !none.Sees("q", TypeShell) || !none.SeesQueue("q") || !none.SeesAll() {
		t.Error("nil rights hide something")
	}
	empty := &Rights{}
	if empty.Sees("q", "work") || empty.SeesQueue("q") || empty.SeesAll() || empty.Allows(CanRead) {
		t.Error("empty rights allow something")
	}
	every := EveryRight()
	if !every.SeesAll() || every.Check() != nil {
		t.Error("every right is not every right")
	}
	for _, s := range Scopes() {
		if !every.Allows(s) {
			t.Errorf("every right does not allow %s", s)
		}
	}
}

// A pattern means what the same pattern means as a regular expression.
func TestPatternsAgreeWithRegularExpressions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab.*]{0,8}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab.]{0,8}`).Draw(t, "name")
		same := regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `$`)
		if got := fits(pattern, name); got != same.MatchString(name) {
			t.Fatalf("fits(%q, %q) = %v", pattern, name, got)
		}
	})
}

// Rights that cover others see all that those see.
func TestCoveredRightsSeeNoMore(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T, label string) Rights {
		return Rights{
			Can:    rapid.SliceOfDistinct(rapid.SampledFrom(Scopes()), rapid.ID[Scope]).Draw(t, label+" can"),
			Queues: rapid.SliceOfN(rapid.StringMatching(`[ab*]{1,4}`), 0, 3).Draw(t, label+" queues"),
			Types:  rapid.SliceOfN(rapid.SampledFrom([]string{Any, "sh", "agent", "work"}), 0, 3).Draw(t, label+" types"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		if !a.Covers(&a) {
			t.Fatalf("%+v does not cover itself", a)
		}
		queue, typ := rapid.StringMatching(`[ab]{1,4}`).Draw(t, "queue"), rapid.SampledFrom([]string{"sh", "agent", "work", "x"}).Draw(t, "type")
		if a.Covers(&b) && b.Sees(queue, typ) && !a.Sees(queue, typ) {
			t.Fatalf("%+v covers %+v, which sees (%s, %s)", a, b, queue, typ)
		}
	})
}

func TestRightsThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	good := Rights{Can: []Scope{CanRead}, Queues: []string{"shop:*", "*", "x.y"}, Types: []string{Any, TypeShell}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	many := make([]string, MaxRights+1)
	for i := range many {
		many[i] = "q"
	}
	for name, spoil := range map[string]func(*Rights){
		"no scope":         func(r *Rights) { r.Can = nil },
		"an unknown scope": func(r *Rights) { r.Can = []Scope{"write"} },
		"no queue":         func(r *Rights) { r.Queues = nil },
		"an empty queue":   func(r *Rights) { r.Queues = []string{""} },
		"no queue's name":  func(r *Rights) { r.Queues = []string{"../*"} },
		"too many queues":  func(r *Rights) { r.Queues = many },
		"no type":          func(r *Rights) { r.Types = nil },
		"a type pattern":   func(r *Rights) { r.Types = []string{"s*"} },
		"an empty type":    func(r *Rights) { r.Types = []string{""} },
		"too many types":   func(r *Rights) { r.Types = many },
	} {
		r := good
		spoil(&r)
		if err := r.Check(); CodeOf(asPlain(err)) != CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func asPlain(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}
