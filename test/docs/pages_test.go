// Package docs tries what the documents say: their commands are run, their
// programs compiled, their links followed, the tests they name looked up.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// page is one document.
type page struct {
	path string // from the module root, with slashes
	text string
}

// block is one fenced block of a page.
type block struct {
	info   string // what stands behind the opening fence
	text   string
	line   int    // of its first line in the page
	before string // the text since the block before it
}

// pages reads the documents at the root and under docs/.
func pages(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatalf("list the documents: %v", err)
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatalf("list docs/: %v", err)
	}
	var all []page
	for _, path := range paths {
		all = append(all, read(t, path))
	}
	return all
}

func read(t *testing.T, path string) page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read a document: %v", err)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatalf("name %s from the root: %v", path, err)
	}
	return page{path: filepath.ToSlash(rel), text: string(text)}
}

// blocks cuts the fenced blocks out of a page.
func (p page) blocks() []block {
	var all []block
	var b *block
	var before strings.Builder
	for i, line := range strings.SplitAfter(p.text, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && b == nil:
			b = &block{info: strings.TrimSpace(fence), line: i + 2, before: before.String()}
		case isFence:
			all = append(all, *b)
			b = nil
			before.Reset()
		case b != nil:
			b.text += line
		default:
			before.WriteString(line)
		}
	}
	return all
}

func TestBlocksAreCutOutOfPages(t *testing.T) {
	t.Parallel()
	p := page{text: "one\n```sh\necho 1\n```\ntwo\n```output\n1\n```\n"}
	got := p.blocks()
	if len(got) != 2 {
		t.Fatalf("found %d blocks, want 2", len(got))
	}
	if got[0] != (block{info: "sh", text: "echo 1\n", line: 3, before: "one\n"}) {
		t.Errorf("first block is %+v", got[0])
	}
	if got[1].info != "output" || got[1].before != "two\n" {
		t.Errorf("second block is %+v", got[1])
	}
}
