package main

import (
	"fmt"
	"html"
	"strings"
)

// The chart: for each of a few measures, a bar for each system.

const (
	chartWidth  = 760
	labelWidth  = 150
	valueWidth  = 90
	barHeight   = 18
	barGap      = 5
	panelGap    = 34
	chartMargin = 20
)

// chart draws the first run as SVG.
func (r *record) chart() string {
	var b strings.Builder
	y := chartMargin
	if len(r.Runs) > 0 {
		for _, group := range []string{onPostgres, onSQLite} {
			for _, x := range rows() {
				switch x.name {
				case "enqueue 16", "enqueue 100", "drain best":
					y = r.Runs[0].panel(&b, group, x, y)
				}
			}
		}
	}
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="Tasks a second, tq and its peers" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%%" height="100%%" rx="8" fill="#ffffff"/>
`, chartWidth, y)
	return head + b.String() + "</svg>\n"
}

// panel draws the bars of one measure and answers where the next begins.
func (m *measured) panel(b *strings.Builder, group string, r row, y int) int {
	names := systemsOf(group)
	most := 0.0
	for _, name := range names {
		most = max(most, r.of(m, name))
	}
	if most == 0 {
		return y
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="600" fill="#222">%s: %s, tasks a second</text>`+"\n", chartMargin, y+12, group, r.name)
	y += 22
	for i, name := range names {
		v := r.of(m, name)
		if v == 0 {
			continue
		}
		color := "#9aa5b1"
		if i == 0 {
			color = "#1f6feb"
		}
		long := v / most * (chartWidth - labelWidth - valueWidth - 2*chartMargin)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="#222">%s</text>`, chartMargin, y+13, html.EscapeString(name))
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`, chartMargin+labelWidth, y, max(1, long), barHeight, color)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="#222">%s</text>`+"\n", chartMargin+labelWidth+max(1, long)+6, y+13, thousands(v))
		y += barHeight + barGap
	}
	return y + panelGap - barGap
}
