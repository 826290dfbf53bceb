package harvest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Point is one box of a task list, as it stands in the file.
type Point struct {
	Line     int    // from 1
	Heading  string // the nearest one above
	Text     string // without the box, on one line, without the priority mark
	First    string // its first line as it stands behind the box
	Done     bool
	Blocked  string // why, of one that says BLOCKED: …
	Priority int    // of a mark P1 to P4: 90, 70, 50, 30; 0 without one
}

// Points reads the boxes of a Markdown file, nested and numbered ones too, in
// the order of the file. What stands in code blocks is no box.
func Points(source []byte) ([]Point, error) {
	switch {
	case bytes.IndexByte(source, 0) >= 0:
		return nil, errors.New("is not text")
	case !utf8.Valid(source):
		return nil, errors.New("is not UTF-8")
	}
	md := goldmark.New(goldmark.WithExtensions(extension.TaskList))
	root := md.Parser().Parse(text.NewReader(source))
	var all []Point
	heading := ""
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			heading = oneLine(linesOf(n, source))
		case *extast.TaskCheckBox:
			all = append(all, point(n, source, heading))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	return all, nil
}

func point(box *extast.TaskCheckBox, source []byte, heading string) Point {
	block := box.Parent()
	full := boxMark().ReplaceAllString(linesOf(block, source), "")
	first, _, _ := strings.Cut(full, "\n")
	p := Point{
		Line:    1 + bytes.Count(source[:block.Lines().At(0).Start], []byte("\n")),
		Heading: heading, First: strings.TrimSpace(first), Done: box.IsChecked,
	}
	p.Text, p.Priority = cutPriority(oneLine(full))
	if _, why, blocked := strings.Cut(p.Text, "BLOCKED:"); blocked {
		p.Blocked = or(strings.TrimSpace(why), "it does not say by what")
	}
	return p
}

func linesOf(n ast.Node, source []byte) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		b.Write(at.Value(source))
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func boxMark() *regexp.Regexp { return regexp.MustCompile(`^\s*\[[ \txX]\]\s*`) }

// cutPriority takes a mark such as "— P2" off the end.
func cutPriority(s string) (string, int) {
	m := regexp.MustCompile(`^(.*?)\s*(?:—|–|--|-)\s*P([1-4])$`).FindStringSubmatch(s)
	if m == nil {
		return s, 0
	}
	return m[1], map[string]int{"1": 90, "2": 70, "3": 50, "4": 30}[m[2]]
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
