package style

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The words of the house: task, queue, lease, attempt, fact, worker, claim,
// settle. A second word for one of them starts a second meaning.
func otherWords() map[string]string {
	return map[string]string{
		"job": "task", "jobs": "tasks", "item": "task", "items": "tasks",
		"entry": "fact or row", "entries": "facts or rows",
		"execution": "attempt", "executions": "attempts",
		"pop": "claim", "pops": "claims", "popped": "claimed",
		"ack": "settle", "acks": "settles", "acked": "settled",
	}
}

// allowed lists where another word is not ours to choose, and why.
func allowed(path, word, text string) bool {
	switch {
	case strings.HasPrefix(path, "test/style/"):
		return true // the list above
	case word == "pop" && text == "Pop":
		return true // container/heap asks for a method of this name
	case strings.HasPrefix(word, "job") && strings.Contains(text, "/jobs"):
		return true // routes that users of an older queue know
	case strings.EqualFold(word, "item") && strings.HasPrefix(path, "exec/agent/"):
		return true // what Codex calls a part of its answer
	}
	return false
}

func TestNamesUseTheWordsOfTheHouse(t *testing.T) {
	t.Parallel()
	other := otherWords()
	for _, s := range sources(t) {
		for _, id := range declared(s.file) {
			for _, word := range split(id.Name) {
				if ours, ok := other[word]; ok && !allowed(s.path, word, id.Name) {
					t.Errorf("%s:%d: %s: say %s, not %s", s.path, s.line(id), id.Name, ours, word)
				}
			}
		}
	}
}

func TestCommentsAndTextsUseTheWordsOfTheHouse(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			checkText(t, s, group, group.Text())
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !s.isTest() {
				checkText(t, s, lit, lit.Value)
			}
			return true
		})
	}
}

func checkText(t *testing.T, s source, n ast.Node, text string) {
	t.Helper()
	other := otherWords()
	for _, found := range wordPattern.FindAllString(text, -1) {
		word := strings.ToLower(found)
		if ours, ok := other[word]; ok && !allowed(s.path, word, text) {
			t.Errorf("%s:%d: %q: say %s, not %s", s.path, s.line(n), cut(text), ours, word)
		}
	}
}

var wordPattern = regexp.MustCompile(`\w+`)

func cut(s string) string {
	if len(s) > 70 {
		return s[:70] + "…"
	}
	return s
}

// declared lists the names that a file itself chooses; those of libraries are theirs.
func declared(file *ast.File) []*ast.Ident {
	var ids []*ast.Ident
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			ids = append(ids, n.Name)
		case *ast.TypeSpec:
			ids = append(ids, n.Name)
		case *ast.ValueSpec:
			ids = append(ids, n.Names...)
		case *ast.Field:
			ids = append(ids, n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				ids = append(ids, idents(n.Lhs...)...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				ids = append(ids, idents(n.Key, n.Value)...)
			}
		}
		return true
	})
	return ids
}

func idents(exprs ...ast.Expr) []*ast.Ident {
	var ids []*ast.Ident
	for _, e := range exprs {
		if id, ok := e.(*ast.Ident); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// split cuts a name into its words: enqueueMany, LeaseID, max_wait.
func split(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || startsWord(runes[i-1], runes[i]) {
			words = append(words, strings.ToLower(strings.Trim(string(runes[start:i]), "_")))
			start = i
		}
	}
	return words
}

func startsWord(before, r rune) bool {
	return r == '_' || unicode.IsUpper(r) && !unicode.IsUpper(before)
}

func TestSplitCutsNamesIntoWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"enqueueMany": {"enqueue", "many"},
		"LeaseID":     {"lease", "id"},
		"max_wait":    {"max", "wait"},
		"x":           {"x"},
	} {
		if got := split(name); !slices.Equal(got, want) {
			t.Errorf("split(%q) = %q, want %q", name, got, want)
		}
	}
}
