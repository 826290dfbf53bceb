package docs

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program whose page shows what it prints, in the block behind it, prints that.
func TestProgramsInTheDocumentsPrintWhatIsShown(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, p := range pages(t) {
		blocks := p.blocks()
		for i, b := range blocks[:max(0, len(blocks)-1)] {
			shown := blocks[i+1]
			if b.info != "go" || !strings.Contains(b.text, "package main\n") || shown.info != "output" {
				continue
			}
			ran++
			t.Run(fmt.Sprintf("%s:%d", p.path, b.line), func(t *testing.T) {
				t.Parallel()
				if said := printed(t, b.text); !matches(shown.text, said) {
					t.Errorf("it printed\n%s\nthe page says\n%s", said, shown.text)
				}
			})
		}
	}
	if ran == 0 {
		t.Error("no page shows what its program prints")
	}
}

// printed builds a program against tq as it stands here, and runs it in a folder
// of its own.
func printed(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	path, bin := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatalf("write the program: %v", err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, path)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s\n%s", err, out, program)
	}
	run := exec.CommandContext(t.Context(), bin)
	run.Dir = dir
	out, err := run.Output()
	if err != nil {
		t.Fatalf("the program ended with %v: %s", err, out)
	}
	return string(out)
}

func TestProgramsInTheDocumentsCompile(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, b := range p.blocks() {
			if b.info != "go" || !strings.Contains(b.text, "package main\n") {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", p.path, b.line), func(t *testing.T) {
				t.Parallel()
				vet(t, b.text)
			})
		}
	}
}

// The program in doc.go is the first one that a Go user copies.
func TestTheProgramInDocGoCompiles(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "doc.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatalf("parse doc.go: %v", err)
	}
	program := indented(file.Doc.Text())
	if !strings.Contains(program, "package main\n") {
		t.Fatal("doc.go shows no whole program")
	}
	vet(t, program)
}

// indented returns the code of a doc comment: what stands behind a tab.
func indented(doc string) string {
	var code strings.Builder
	for line := range strings.Lines(doc) {
		if rest, ok := strings.CutPrefix(line, "\t"); ok || strings.TrimSpace(line) == "" {
			code.WriteString(strings.TrimRight(rest, "\n") + "\n")
		}
	}
	return strings.TrimSpace(code.String()) + "\n"
}

// vet compiles a program against tq as it stands here.
func vet(t *testing.T, program string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatalf("write the program: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", path)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s\n%s", err, out, program)
	}
}
