package cli

import (
	"context"
	"time"

	"example.com/tq"
)

// Rates and waits over time, as lines of small bars.

// barWidth is how many bars a line has at most.
const barWidth = 60

func (a *app) series(ctx context.Context, in tq.SeriesIn, beside *tq.StatsIn) error {
	if beside.Project != "" || beside.By != "" {
		return usage("a series is kept by queue and type: leave out --project and --by")
	}
	return a.ask(ctx, func(ctx context.Context, c tq.Client) error {
		out, err := c.Series(ctx, in)
		switch {
		case err != nil:
			return err
		case a.out.json:
			a.out.object(out)
		default:
			a.printSeries(&out)
		}
		return nil
	})
}

func (a *app) printSeries(s *tq.SeriesOut) {
	width := barsOf(s)
	each := s.Now.Sub(s.From.Time) / time.Duration(width)
	t := newTable("", "EACH BAR "+span(each), ">TOTAL", "")
	for _, l := range []struct {
		name  string
		style style
		of    func(*tq.Point) int64
	}{
		{"enqueued", blue, func(p *tq.Point) int64 { return p.Enqueued }},
		{"completed", green, func(p *tq.Point) int64 { return p.Completed }},
		{"failed", amber, func(p *tq.Point) int64 { return p.Failed }},
		{"dead", red, func(p *tq.Point) int64 { return p.Dead }},
	} {
		t.row(l.name, cell{bars(s, width, l.of), l.style}, cell{itoa(l.of(&s.Total)), plain}, "")
	}
	t.row("wait p95", cell{bars(s, width, func(p *tq.Point) int64 { return int64(p.Wait.P95) }), plain}, "", spreadText(&s.Total.Wait))
	t.row("run p95", cell{bars(s, width, func(p *tq.Point) int64 { return int64(p.Run.P95) }), plain}, "", spreadText(&s.Total.Run))
	t.print(a.out)
}

func spreadText(s *tq.Spread) string {
	if s.N == 0 {
		return "-"
	}
	return "p50 " + span(s.P50.Std()) + ", p95 " + span(s.P95.Std()) + ", p99 " + span(s.P99.Std())
}

func barsOf(s *tq.SeriesOut) int {
	steps := int(s.Now.Sub(s.From.Time)/s.Step.Std()) + 1
	return min(barWidth, steps)
}

// bars draws the largest value of each part of the series, the tallest bar for
// the largest of all.
func bars(s *tq.SeriesOut, width int, of func(*tq.Point) int64) string {
	values, most := make([]int64, width), int64(0)
	whole := s.Now.Sub(s.From.Time) + s.Step.Std()
	for i := range s.Points {
		p := &s.Points[i]
		at := min(width-1, int(int64(p.At.Sub(s.From.Time))*int64(width)/int64(whole)))
		values[max(0, at)] = max(values[max(0, at)], of(p))
		most = max(most, of(p))
	}
	heights := []rune("▁▂▃▄▅▆▇█")
	line := make([]rune, width)
	for i, v := range values {
		line[i] = '·'
		if v > 0 {
			line[i] = heights[v*int64(len(heights)-1)/most]
		}
	}
	return string(line)
}
