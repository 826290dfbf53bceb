package cli

import (
	"strings"
	"unicode/utf8"
)

// table is columns of text, as wide as their widest cell. The same table is
// printed on a terminal and into a pipe, where only the color is missing.
type table struct {
	columns []column
	rows    [][]cell
}

// column is a heading; numbers are set to the right.
type column struct {
	name  string
	right bool
}

// cell is a text and its style.
type cell struct {
	text  string
	style style
}

func newTable(names ...string) *table {
	t := &table{}
	for _, name := range names {
		name, right := strings.CutPrefix(name, ">")
		t.columns = append(t.columns, column{name, right})
	}
	return t
}

// row adds a row of cells or texts.
func (t *table) row(cells ...any) {
	row := make([]cell, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case cell:
			row[i] = cell{safe(c.text), c.style}
		case string:
			row[i] = cell{text: safe(c)}
		}
	}
	t.rows = append(t.rows, row)
}

// print writes the table; one without rows prints nothing.
func (t *table) print(o *output) {
	if len(t.rows) == 0 {
		return
	}
	head := make([]cell, len(t.columns))
	for i, c := range t.columns {
		head[i] = cell{c.name, dim}
	}
	widths := t.widths()
	t.printRow(o, head, widths)
	for _, row := range t.rows {
		t.printRow(o, row, widths)
	}
}

func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = width(c.name)
	}
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], width(c.text))
		}
	}
	return widths
}

func (t *table) printRow(o *output, row []cell, widths []int) {
	var b strings.Builder
	for i, c := range row {
		pad := strings.Repeat(" ", widths[i]-width(c.text))
		text := string(o.style(c.style, c.text))
		switch {
		case t.columns[i].right:
			text = pad + text
		case i < len(row)-1:
			text += pad
		}
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(text)
	}
	o.line("%s", styled(strings.TrimRight(b.String(), " ")))
}

func width(s string) int { return utf8.RuneCountInString(s) }
