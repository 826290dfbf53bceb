package bench

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Machine is where a measure was made. Figures of two machines do not compare.
type Machine struct {
	System string  `json:"system"`
	CPU    string  `json:"cpu,omitempty"`
	Cores  int     `json:"cores"`
	Go     string  `json:"go"`
	Fsync  float64 `json:"fsync_ms,omitempty"` // the median of a small write and its fsync, 0 unknown
}

// ThisMachine describes this machine, with the disk that folder lies on; "" when
// the database is elsewhere.
func ThisMachine(folder string) Machine {
	m := Machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: processor(), Cores: runtime.NumCPU(), Go: runtime.Version(),
	}
	if folder != "" {
		m.Fsync = fsyncTime(folder)
	}
	return m
}

// processor is what Linux calls the first one.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

const fsyncs = 32

// fsyncTime is what a full durability pays for each commit at least.
func fsyncTime(folder string) float64 {
	f, err := os.CreateTemp(folder, "bench-fsync-")
	if err != nil {
		return 0
	}
	defer func() {
		_ = f.Close() // it is removed anyway
		_ = os.Remove(f.Name())
	}()
	page := make([]byte, 4096)
	var all []time.Duration
	for i := range fsyncs {
		begun := time.Now()
		if _, err := f.WriteAt(page, int64(i*len(page))); err != nil {
			return 0
		}
		if err := f.Sync(); err != nil {
			return 0
		}
		all = append(all, time.Since(begun))
	}
	slices.Sort(all)
	return inMS(all[len(all)/2])
}
