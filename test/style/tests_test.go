package style

import (
	"go/ast"
	"strings"
	"testing"
)

func TestTestsNeverSleep(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if !s.isTest() {
			continue
		}
		walk(s.file, func(n ast.Node, above []ast.Node) {
			if isCall(n, "time", "Sleep") && !anyOf(above, inBubble) {
				t.Errorf("%s:%d: time.Sleep on the real clock: wait for a signal, move the injected clock, or stand in a synctest bubble", s.path, s.line(n))
			}
		})
	}
}

// inBubble tells what runs on synctest's clock, where a sleep takes no time.
func inBubble(n ast.Node) bool { return isCall(n, "synctest", "Test") }

func TestTestsAreNotSkippedInSilence(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if !s.isTest() {
			continue
		}
		walk(s.file, func(n ast.Node, above []ast.Node) {
			if skips(n) && !anyOf(above, asksForShort) && !anyOf(above, drawsHistories) {
				t.Errorf("%s:%d: a skipped test is a failed test, unless testing.Short() asks for it: install what it needs, or fail", s.path, s.line(n))
			}
		})
	}
}

func skips(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow")
}

func asksForShort(n ast.Node) bool {
	cond, ok := n.(*ast.IfStmt)
	return ok && within(cond.Cond, "testing", "Short")
}

// drawsHistories tells functions of rapid, whose Skip only draws another case.
func drawsHistories(n ast.Node) bool {
	var params *ast.FieldList
	switch fn := n.(type) {
	case *ast.FuncDecl:
		params = fn.Type.Params
	case *ast.FuncLit:
		params = fn.Type.Params
	default:
		return false
	}
	for _, p := range params.List {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		if sel, ok := star.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "T" && isIdent(sel.X, "rapid") {
			return true
		}
	}
	return false
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func TestNothingIsLeftForLater(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, mark := range []string{"TODO:", "TODO(", "FIXME", "XXX:"} {
				if strings.Contains(group.Text(), mark) {
					t.Errorf("%s:%d: %s in a comment: do it, or write it into TODO_LIST.md", s.path, s.line(group), mark)
				}
			}
		}
	}
}

// walk calls f for each node with the nodes around it, the outermost first.
func walk(file *ast.File, f func(n ast.Node, above []ast.Node)) {
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		f(n, above)
		above = append(above, n)
		return true
	})
}

func anyOf(nodes []ast.Node, holds func(ast.Node) bool) bool {
	for _, n := range nodes {
		if holds(n) {
			return true
		}
	}
	return false
}
