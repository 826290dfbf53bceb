package bench

import (
	"fmt"
	"time"
)

// Measure is what came out of one run of tasks.
type Measure struct {
	Scenario string  `json:"scenario"`
	Name     string  `json:"measure"`
	Tasks    int     `json:"tasks"` // counted in Seconds
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"tasks_per_second,omitempty"`

	Latency *Latency `json:"latency,omitempty"`

	// Bytes that the database took for each task; 0 when nobody knows.
	Bytes float64 `json:"bytes_per_task,omitempty"`

	// Kept is the rate in the end, or under load, by that in the beginning, or
	// without.
	Kept float64 `json:"rate_kept,omitempty"`

	Delivery Delivery `json:"delivery"`
}

// Latency says how long one thing took, in milliseconds.
type Latency struct {
	Of  string  `json:"of"`
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

// timed sets how many tasks were done in which time.
func (m *Measure) timed(n int, took time.Duration) {
	m.Tasks, m.Seconds = n, took.Seconds()
	if took > 0 {
		m.Rate = float64(n) / took.Seconds()
	}
}

func (l *Latency) String() string {
	return fmt.Sprintf("p50 %s  p95 %s  p99 %s", ms(l.P50), ms(l.P95), ms(l.P99))
}

// ms writes milliseconds with three digits.
func ms(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f ms", v)
	case v < 100:
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}
