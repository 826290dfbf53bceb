package style

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines = 400
	maxFuncLines = 60
	maxTestLines = 100 // a table of cases is data
)

func TestFilesAreAtMost400Lines(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if n := s.fset.File(s.file.Pos()).LineCount(); n > maxFileLines && !s.isTest() {
			t.Errorf("%s has %d lines, the limit is %d: is a second noun hiding in it?", s.path, n, maxFileLines)
		}
	}
}

func TestFunctionsAreAtMost60Lines(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		limit := maxFuncLines
		if s.isTest() {
			limit = maxTestLines
		}
		s.functions(func(fn *ast.FuncDecl) {
			if n := s.lines(fn); n > limit {
				t.Errorf("%s:%d: %s has %d lines, the limit is %d: let it decide and helpers compute", s.path, s.line(fn), fn.Name.Name, n, limit)
			}
		})
	}
}

func TestNoPackageHasAnInit(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		s.functions(func(fn *ast.FuncDecl) {
			if fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s:%d: init() runs unasked: do it where the thing is made", s.path, s.line(fn))
			}
		})
	}
}

func TestPackagesKeepNoState(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		for _, d := range s.file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR || embeds(decl.Doc) {
				continue
			}
			for _, spec := range decl.Specs {
				v := spec.(*ast.ValueSpec)
				if !constantInEffect(v) {
					t.Errorf("%s:%d: package-level var %s: make it a const, a function that returns it, or a field of what owns it", s.path, s.line(v), v.Names[0].Name)
				}
			}
		}
	}
}

// constantInEffect tells the vars that nobody changes: error values, compiled
// patterns, embedded files, and assertions (var _ I = T{}).
func constantInEffect(v *ast.ValueSpec) bool {
	if v.Names[0].Name == "_" || embeds(v.Doc) {
		return true
	}
	return len(v.Values) > 0 && !slices.ContainsFunc(v.Values, func(e ast.Expr) bool {
		return !isCall(e, "errors", "New") && !isCall(e, "regexp", "MustCompile")
	})
}

func embeds(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

func TestPackagesAreNamedForWhatTheyHold(t *testing.T) {
	t.Parallel()
	empty := []string{"util", "utils", "common", "helper", "helpers", "types", "models", "pkg", "misc", "shared"}
	for _, s := range sources(t) {
		if name := s.file.Name.Name; slices.Contains(empty, name) {
			t.Errorf("%s: package %s says nothing of what it holds", s.path, name)
		}
	}
}
