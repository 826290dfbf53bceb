package style

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// SetDefensive of the SQLite driver hands SQLite one argument where it reads
// two, so that SQLite wrote a 1 through whatever lay behind: into the text of a
// fact, one time in some hundred thousand. SetInterrupt stops a statement from
// another goroutine on memory that belongs to the connection.
func TestTheSQLiteEngineLeavesTheDriversUnsafeCallsAlone(t *testing.T) {
	t.Parallel()
	unsafe := []string{"SetDefensive", "SetInterrupt"}
	looked := 0
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.path, "store/sqlite/") {
			continue
		}
		looked++
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok && slices.Contains(unsafe, call.Sel.Name) {
				t.Errorf("%s:%d: %s of the driver writes into memory of others: see docs/decisions/001-sqlite-driver.md", s.path, s.line(n), call.Sel.Name)
			}
			return true
		})
	}
	if looked == 0 {
		t.Fatal("found no file of the SQLite engine: the rule would hold for nothing")
	}
}
