package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What programs of others can name: once as lines to compare, so that a change of
// it is seen in the commit that makes it, and once as a page to read. Both are
// written from the sources.

// public lists the packages that others import. web and bench are ours.
func public() []string {
	return []string{
		".", "client", "exec/sh", "exec/http", "exec/agent",
		"store/sqlite", "store/postgres", "store/memory", "store/storetest", "tqtest",
	}
}

const apiHead = `# What programs of others can name, one thing a line. Generated: make docs.
# A line that changes or goes breaks somebody: say so in CHANGELOG.md.
`

const goHead = `# Go

<!-- Generated from the sources: make docs -->

Every exported name with its first sentence; ` + "`go doc example.com/tq.NAME`" + ` says the rest, and the package pages have examples. [api.txt](api.txt) has the signatures.
`

func TestTheListOfGoNamesIsFresh(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(apiHead)
	for _, dir := range public() {
		p := packageOf(t, dir)
		lines := p.lines()
		slices.Sort(lines)
		text.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	}
	fresh(t, "docs/reference/api.txt", text.String())
}

func TestThePageOfGoNamesIsFresh(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(goHead)
	for _, dir := range public() {
		p := packageOf(t, dir)
		fmt.Fprintf(&text, "\n## %s\n\n%s\n\n| name | what it is |\n|---|---|\n", p.path, p.sentence(p.doc.Doc))
		for _, n := range p.names(t) {
			fmt.Fprintf(&text, "| `%s` | %s |\n", n.name, n.sentence)
		}
	}
	fresh(t, "docs/reference/go.md", text.String())
}

// library is one package, read from its sources.
type library struct {
	path string
	set  *token.FileSet
	doc  *doc.Package
}

func packageOf(t *testing.T, dir string) *library {
	t.Helper()
	l := &library{path: strings.TrimSuffix("example.com/tq/"+dir, "/."), set: token.NewFileSet()}
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || elsewhere(name) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(l.set, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if l.doc, err = doc.NewFromFiles(l.set, files, l.path); err != nil {
		t.Fatalf("read %s: %v", dir, err)
	}
	return l
}

// elsewhere is whether a file is for another system than Linux, where the same
// names stand again.
func elsewhere(name string) bool {
	return strings.HasSuffix(name, "_windows.go") || strings.HasSuffix(name, "_other.go") || strings.HasSuffix(name, "_darwin.go")
}

// lines says each name with its signature, the fields of a struct and the methods
// of an interface apart.
func (l *library) lines() []string {
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, l.path+": "+fmt.Sprintf(format, args...))
	}
	funcs := func(all []*doc.Func) {
		for _, f := range all {
			say("%s", l.text(&ast.FuncDecl{Recv: f.Decl.Recv, Name: f.Decl.Name, Type: f.Decl.Type}))
		}
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					say("%s %s", v.Decl.Tok, name)
				}
			}
		}
	}
	values(l.doc.Consts)
	values(l.doc.Vars)
	funcs(l.doc.Funcs)
	for _, t := range l.doc.Types {
		values(t.Consts)
		values(t.Vars)
		funcs(t.Funcs)
		funcs(t.Methods)
		for _, spec := range t.Decl.Specs {
			l.parts(spec.(*ast.TypeSpec), say)
		}
	}
	return lines
}

// parts says what a type is made of, as far as others can name it.
func (l *library) parts(spec *ast.TypeSpec, say func(string, ...any)) {
	switch is := spec.Type.(type) {
	case *ast.StructType:
		say("type %s struct", spec.Name)
		for _, f := range is.Fields.List {
			if len(f.Names) == 0 {
				say("type %s struct, %s", spec.Name, l.text(f.Type))
			}
			for _, name := range f.Names {
				if name.IsExported() {
					say("type %s struct, %s %s", spec.Name, name, l.text(f.Type))
				}
			}
		}
	case *ast.InterfaceType:
		say("type %s interface", spec.Name)
		for _, f := range is.Methods.List {
			for _, name := range f.Names {
				say("type %s interface, %s%s", spec.Name, name, strings.TrimPrefix(l.text(f.Type), "func"))
			}
			if len(f.Names) == 0 {
				say("type %s interface, %s", spec.Name, l.text(f.Type))
			}
		}
	default:
		say("type %s %s", spec.Name, l.text(spec.Type))
	}
}

// text is source on one line.
func (l *library) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// named is one exported name and the first sentence about it.
type named struct{ name, sentence string }

// names lists what a package exports, and fails for what has no comment.
func (l *library) names(t *testing.T) []named {
	t.Helper()
	var all []named
	add := func(name, comment string) {
		if comment == "" {
			t.Errorf("%s.%s has no comment", l.path, name)
		}
		all = append(all, named{name, l.sentence(comment)})
	}
	for _, f := range l.doc.Funcs {
		add(f.Name, f.Doc)
	}
	for _, is := range l.doc.Types {
		add(is.Name, is.Doc)
		for _, f := range is.Funcs {
			add(f.Name, f.Doc)
		}
		for _, f := range is.Methods {
			add(is.Name+"."+f.Name, cmp.Or(f.Doc, wellKnown(f.Name)))
		}
	}
	return all
}

// wellKnown says what methods are that the standard library names.
func wellKnown(method string) string {
	return map[string]string{
		"Error": "Error is the sentence.", "String": "String is the text of it.", "Unwrap": "Unwrap is the cause.",
		"MarshalJSON": "MarshalJSON writes it.", "UnmarshalJSON": "UnmarshalJSON reads it.",
		"MarshalText": "MarshalText writes it.", "UnmarshalText": "UnmarshalText reads it.",
	}[method]
}

// sentence is the first one of a comment, fit for a cell of a table.
func (l *library) sentence(comment string) string {
	return strings.NewReplacer("\n", " ", "|", `\|`).Replace(l.doc.Synopsis(comment))
}
