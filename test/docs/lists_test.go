package docs

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Lists that are written from the constants of the hall and their comments.

const limitsHead = `# Limits

<!-- Generated from limits.go: make docs -->

All are inclusive: a value equal to the limit is accepted, one more is refused with an error that names the field, and changes nothing. Sizes are bytes of UTF-8.

| limit | value | of |
|---|---:|---|
`

const errorsHead = `# Errors

<!-- Generated from errors.go: make docs -->

One word on every door: ` + "`code`" + ` of problem+json and of MCP tool errors, ` + "`Code`" + ` of Go's ` + "`*tq.Error`" + `, and behind each exit status of the command line (` + "`tq help exit-status`" + `). ` + "`errors.Is`" + ` compares with the family. A body that is no JSON, or JSON that cannot be taken, is ` + "`invalid`" + ` with status 400.

| code | HTTP | family | what it means |
|---|---:|---|---|
`

func TestTheListOfLimitsIsFresh(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(limitsHead)
	for _, c := range constants(t, "limits.go") {
		if c.comment == "" {
			t.Errorf("%s does not say of what", c.name)
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", c.name, c.value(), c.comment)
	}
	fresh(t, "docs/reference/limits.md", text.String())
}

func TestTheListOfErrorsIsFresh(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(errorsHead)
	for _, c := range constants(t, "errors.go") {
		if c.comment == "" {
			t.Errorf("%s does not say what it means", c.name)
		}
		code := tq.Code(constant.StringVal(c.exact))
		status := ops.StatusOf(tq.Errorf(code, "of that code"))
		fmt.Fprintf(&text, "| `%s` | %d | %s | %s |\n", code, status, family(code), c.comment)
	}
	fresh(t, "docs/reference/errors.md", text.String())
}

// family is the name of the target that a code compares with.
func family(code tq.Code) string {
	targets := map[string]error{
		"ErrLeaseLost": tq.ErrLeaseLost, "ErrNotFound": tq.ErrNotFound, "ErrConflict": tq.ErrConflict,
		"ErrTooLarge": tq.ErrTooLarge, "ErrInvalid": tq.ErrInvalid, "ErrForbidden": tq.ErrForbidden, "ErrUnavailable": tq.ErrUnavailable,
	}
	for name, target := range targets {
		if tq.Errorf(code, "of that code").Is(target) {
			return "`" + name + "`"
		}
	}
	return ""
}

// declared is one exported constant of the hall.
type declared struct {
	name, comment string
	exact         constant.Value
	duration      bool
}

func (d declared) value() string {
	if d.exact.Kind() != constant.Int {
		return d.exact.String()
	}
	n, _ := constant.Int64Val(d.exact)
	if d.duration {
		return span(time.Duration(n))
	}
	return grouped(n)
}

// span writes a duration in its largest whole unit.
func span(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "days"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= unit.of && d%unit.of == 0 {
			return grouped(int64(d/unit.of)) + " " + unit.name
		}
	}
	return grouped(int64(d/time.Second)) + " s"
}

// grouped writes a number with a comma between thousands.
func grouped(n int64) string {
	if n < 0 {
		return "−" + grouped(-n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// constants reads the exported constants of one file of the hall, in its order.
func constants(t *testing.T, file string) []declared {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, filepath.Join(root, file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	// Of this one file alone: what it does not declare stays unknown.
	config := types.Config{Importer: importer.ForCompiler(files, "source", nil), Error: func(error) {}}
	_, _ = config.Check("tq", files, []*ast.File{parsed}, info) // the constants are what is wanted
	var all []declared
	for _, d := range parsed.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			spec := s.(*ast.ValueSpec)
			for _, name := range spec.Names {
				c, ok := info.Defs[name].(*types.Const)
				if !ok || !name.IsExported() {
					continue
				}
				said := strings.Join(strings.Fields(cmp.Or(spec.Comment.Text(), spec.Doc.Text(), group.Doc.Text())), " ")
				said = strings.TrimPrefix(said, name.Name+" is ")
				all = append(all, declared{name.Name, said, c.Val(), strings.HasSuffix(c.Type().String(), "time.Duration")})
			}
		}
	}
	if len(all) < 10 {
		t.Fatalf("%s declares %d constants", file, len(all))
	}
	return all
}
