package harvest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
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
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	if tooDeep(source) {
		return nil, fmt.Errorf("has a line with more than %d marks of nesting", deepest)
	}
	root := blocks().Parse(text.NewReader(source))
	r := newReader(source)
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			r.heading = oneLine(linesOf(n, source))
		case *extast.TaskCheckBox:
			r.point(n)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	return r.all, nil
}

// blocks reads the structure of a file and, within the lines, boxes alone: bold
// and links tell nothing here, and lines can be made that take minutes over them.
func blocks() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(util.Prioritized(extension.NewTaskCheckBoxParser(), 0)),
	)
}

// deepest is how many marks may begin a line. A parser follows each of them
// down.
const deepest = 1000

func tooDeep(source []byte) bool {
	for line := range bytes.Lines(source) {
		if rest := bytes.TrimLeft(line, " \t>-*+"); len(line)-len(rest) > deepest {
			return true
		}
	}
	return false
}

// reader gathers the points of a file in their order.
type reader struct {
	source    []byte
	heading   string
	line, at  int // the line of an offset
	box, mark *regexp.Regexp
	all       []Point
}

func newReader(source []byte) *reader {
	return &reader{
		source: source, line: 1,
		box:  regexp.MustCompile(`^\s*\[[ \txX]\]\s*`),
		mark: regexp.MustCompile(`\s*(?:—|–|--|-)\s*P([1-4])$`),
	}
}

func (r *reader) point(box *extast.TaskCheckBox) {
	block := box.Parent()
	start := block.Lines().At(0).Start
	r.line += bytes.Count(r.source[r.at:start], []byte("\n"))
	r.at = start
	full := r.box.ReplaceAllString(linesOf(block, r.source), "")
	first, _, _ := strings.Cut(full, "\n")
	p := Point{Line: r.line, Heading: r.heading, First: strings.TrimSpace(first), Done: box.IsChecked}
	p.Text, p.Priority = r.cutPriority(oneLine(full))
	if _, why, blocked := strings.Cut(p.Text, "BLOCKED:"); blocked {
		p.Blocked = or(strings.TrimSpace(why), "it does not say by what")
	}
	r.all = append(r.all, p)
}

// cutPriority takes a mark such as "— P2" off the end.
func (r *reader) cutPriority(s string) (string, int) {
	m := r.mark.FindStringSubmatchIndex(s)
	if m == nil {
		return s, 0
	}
	return s[:m[0]], map[string]int{"1": 90, "2": 70, "3": 50, "4": 30}[s[m[2]:m[3]]]
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

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
