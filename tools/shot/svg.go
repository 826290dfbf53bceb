package main

import (
	"fmt"
	"html"
	"strings"
)

const (
	charWidth  = 8.4
	lineHeight = 20
	margin     = 18
)

// palette is the terminal's sixteen colours on a dark ground, readable at this size.
var palette = [17]string{
	"#d7dae0",
	"#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
	"#7f848e", "#ff7b86", "#b5e890", "#ffd68a", "#7cc4ff", "#dd9bf0", "#78d5e0", "#ffffff",
}

// draw makes the picture. Without animation every line is visible.
func draw(s *screen, title string) string {
	rows := s.rows
	for len(rows) > 0 && len(rows[len(rows)-1].cells) == 0 {
		rows = rows[:len(rows)-1]
	}
	columns := 40
	for _, r := range rows {
		columns = max(columns, len(r.cells))
	}
	width := int(float64(columns)*charWidth) + 2*margin
	height := len(rows)*lineHeight + 2*margin

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" xml:space="preserve" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(title))
	b.WriteString("<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}\n" +
		"@media (prefers-reduced-motion:no-preference){g{animation:show 1ms both}@keyframes show{from{opacity:0}}}</style>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#1e2127"/>`+"\n", width, height)
	for i, r := range rows {
		y := margin + i*lineHeight + 14
		fmt.Fprintf(&b, `<g style="animation-delay:%.2fs">`, r.at.Seconds())
		drawRow(&b, r, y)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawRow writes one text for each stretch of characters that look alike.
func drawRow(b *strings.Builder, r row, y int) {
	for from := 0; from < len(r.cells); {
		to := from
		var text strings.Builder
		for to < len(r.cells) && r.cells[to].style == r.cells[from].style {
			text.WriteRune(r.cells[to].r)
			to++
		}
		if strings.TrimSpace(text.String()) != "" {
			fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s>%s</text>`,
				margin+float64(from)*charWidth, y, float64(to-from)*charWidth,
				palette[r.cells[from].color], weight(r.cells[from].style), html.EscapeString(text.String()))
		}
		from = to
	}
}

func weight(s style) string {
	switch {
	case s.bold:
		return ` font-weight="bold"`
	case s.faint:
		return ` opacity="0.65"`
	}
	return ""
}
