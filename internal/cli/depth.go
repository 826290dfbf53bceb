package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.com/tq"
)

// How many open tasks queues may hold: --max-depth, on every command, since each
// enqueues through a broker of its own when it is given a file.

func depthFlag(f *pflag.FlagSet, to *tq.Depth) {
	parse := func(s string) (tq.Depth, error) {
		return *to, parseDepth(to, s)
	}
	f.Var(value[tq.Depth]{to, "counts", parse, func(tq.Depth) string { return "" }}, "max-depth",
		"most open tasks in a queue, as in 100000,shop=5000,bulk=none (default no limit); more are refused")
}

// parseDepth reads 100000,shop=5000 into depth.
func parseDepth(depth *tq.Depth, s string) error {
	for part := range strings.SplitSeq(s, ",") {
		queue, text, one := strings.Cut(strings.TrimSpace(part), "=")
		if !one {
			text = queue
		}
		n, err := parseMost(text)
		if err != nil {
			return err
		}
		if !one {
			depth.Each = n
			continue
		}
		if err := depthIn(depth, queue, n); err != nil {
			return err
		}
	}
	return nil
}

func parseMost(s string) (int64, error) {
	if s == "none" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > tq.MaxOpen {
		return 0, fmt.Errorf("%q is no number of tasks: want 1 to %d, or none", s, tq.MaxOpen)
	}
	return n, nil
}

func depthIn(depth *tq.Depth, queue string, n int64) error {
	if err := tq.CheckQueue("max-depth", queue); err != nil {
		return err
	}
	if depth.Queues == nil {
		depth.Queues = map[string]int64{}
	}
	depth.Queues[queue] = n
	if len(depth.Queues) > tq.MaxDepthQueues {
		return fmt.Errorf("names more than %d queues", tq.MaxDepthQueues)
	}
	return nil
}
