// Package style holds the house to its few measurable rules of style. What a
// rule says is in the name of its test and in the text of its failure.
package style

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// source is one parsed Go file of the house.
type source struct {
	path string // from the module root, with slashes
	file *ast.File
	fset *token.FileSet
}

// isTest tells files that only tests are built from.
func (s source) isTest() bool {
	return strings.HasSuffix(s.path, "_test.go") || s.inTestRoom()
}

func (s source) inTestRoom() bool {
	return slices.ContainsFunc([]string{"test/", "tqtest/", "store/storetest/", "store/memory/"}, func(dir string) bool {
		return strings.HasPrefix(s.path, dir)
	})
}

func (s source) line(n ast.Node) int { return s.fset.Position(n.Pos()).Line }

// lines counts the lines that a node stands on.
func (s source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.line(n) + 1
}

// sources reads every Go file but the pinned tools, which are a module of their own.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"tools", "testdata", "bin", "dist", "node_modules"}, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		s, err := parse(path)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatalf("read the Go files: %v", err)
	}
	if len(all) == 0 {
		t.Fatal("found no Go file: the rules would hold for nothing")
	}
	return all
}

func parse(path string) (source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		return source{}, err
	}
	rel, err := filepath.Rel(root, path)
	return source{path: filepath.ToSlash(rel), file: file, fset: fset}, err
}

// functions calls f for every function that has a name.
func (s source) functions(f func(*ast.FuncDecl)) {
	for _, d := range s.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			f(fn)
		}
	}
}

// isCall tells a call of pkg.name, as in time.Sleep(…).
func isCall(n ast.Node, pkg, name string) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// within tells whether a call of pkg.name stands anywhere in n.
func within(n ast.Node, pkg, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || isCall(n, pkg, name)
		return !found
	})
	return found
}
