// Vet looks at tq as other systems would compile it, with the analyzers of go vet:
// go run ./vet ROOT OS/ARCH…, in the folder of the tools. go vet itself compiles
// the engine's driver for each of them first, which takes minutes; here the code
// of others is read without its function bodies and nothing is compiled.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: vet ROOT OS/ARCH…")
		os.Exit(2)
	}
	root, err := filepath.Abs(os.Args[1])
	for _, target := range os.Args[2:] {
		if err == nil {
			err = look(root, target)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vet:", err)
		os.Exit(1)
	}
}

// look analyzes every package below root, with its tests, as target sees it.
func look(root, target string) error {
	system, arch, _ := strings.Cut(target, "/")
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedTypesSizes | packages.NeedModule,
		Dir:       root,
		Env:       append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS="),
		Tests:     true,
		ParseFile: parse(root),
	}, "./...")
	if err != nil {
		return err
	}
	if n := complain(loaded); n > 0 {
		return fmt.Errorf("%s: %d errors", target, n)
	}
	graph, err := checker.Analyze(suite(), loaded, nil)
	if err != nil {
		return fmt.Errorf("analyze for %s: %w", target, err)
	}
	if n := print(graph); n > 0 {
		return fmt.Errorf("%s: %d findings", target, n)
	}
	fmt.Printf("vet: %s: %d packages\n", target, len(loaded))
	return nil
}

// suite is that of go vet, without what only a later Go looks for: the gate shall
// find the same here as for its own system.
func suite() []*analysis.Analyzer {
	return slices.DeleteFunc(slices.Clone(vet.Suite), func(a *analysis.Analyzer) bool { return a.Name == "scannererr" })
}

// complain writes what does not compile in tq itself. Of what others wrote the
// bodies are missing, and that is no error of theirs.
func complain(loaded []*packages.Package) int {
	wrong := 0
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main && !strings.HasSuffix(p.PkgPath, ".test") {
			wrong += len(p.Errors)
			for _, err := range p.Errors {
				fmt.Fprintln(os.Stderr, err)
			}
		}
		p.Errors, p.IllTyped = nil, false
	})
	return wrong
}

// parse reads files below root whole, and what others wrote for its declarations.
func parse(root string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || strings.HasPrefix(name, root+string(filepath.Separator)) {
			return file, err
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
		return file, nil
	}
}

// print writes the findings about the packages that were asked for.
func print(graph *checker.Graph) int {
	found := 0
	for _, act := range graph.Roots {
		if act.Err != nil && !errors.Is(act.Err, os.ErrNotExist) {
			fmt.Fprintln(os.Stderr, act.Err)
			found++
		}
		for _, d := range act.Diagnostics {
			fmt.Fprintf(os.Stderr, "%s: %s (%s)\n", act.Package.Fset.Position(d.Pos), d.Message, act.Analyzer.Name)
			found++
		}
	}
	return found
}
