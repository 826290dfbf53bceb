package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.com/tq"
)

// How long ended tasks and their facts are kept: --keep, on every command, since
// whoever waits sweeps as well.

// forEver is how a length of time without an end is written.
const forEver = "forever"

func keepFlag(f *pflag.FlagSet, to *tq.Retention) {
	parse := func(s string) (tq.Retention, error) {
		return *to, parseKeep(to, s)
	}
	f.Var(value[tq.Retention]{to, "times", parse, func(tq.Retention) string { return "" }}, "keep",
		"how long ended tasks stay, as in completed=7d,dead=forever,completed@builds=1d,facts=30d")
}

// parseKeep reads completed=7d,dead@builds=30d into keep.
func parseKeep(keep *tq.Retention, s string) error {
	for part := range strings.SplitSeq(s, ",") {
		what, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return fmt.Errorf("%q has no time: write completed=7d or dead@builds=forever", part)
		}
		d, err := parseKept(text)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		status, queue, one := strings.Cut(what, "@")
		if !one {
			err = keepAll(keep, status, d)
		} else {
			err = keepIn(keep, status, queue, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseKept reads one length of time. Nothing is not kept at all: somebody may
// still want to look at the result.
func parseKept(s string) (time.Duration, error) {
	if s == forEver || s == "-1" {
		return -1, nil
	}
	d, err := parseDuration(s)
	if err == nil && d < time.Second {
		return 0, fmt.Errorf("is %s, want 1s or more, or %s", s, forEver)
	}
	return d, err
}

func keepAll(keep *tq.Retention, what string, d time.Duration) error {
	switch what {
	case "completed":
		keep.Completed = d
	case "cancelled":
		keep.Cancelled = d
	case "dead":
		keep.Dead = d
	case "facts":
		keep.Facts = d
	default:
		return fmt.Errorf("%q is not kept: want completed, cancelled, dead or facts", what)
	}
	return nil
}

// keepIn sets the time of one queue; facts have none of their own.
func keepIn(keep *tq.Retention, status, queue string, d time.Duration) error {
	if err := tq.CheckQueue("keep", queue); err != nil {
		return err
	}
	own := keep.Queues[queue]
	switch status {
	case "completed":
		own.Completed = d
	case "cancelled":
		own.Cancelled = d
	case "dead":
		own.Dead = d
	default:
		return fmt.Errorf("%q is not kept by queue: want completed, cancelled or dead", status)
	}
	if keep.Queues == nil {
		keep.Queues = map[string]tq.Keep{}
	}
	keep.Queues[queue] = own
	if len(keep.Queues) > tq.MaxKeepQueues {
		return fmt.Errorf("names more than %d queues", tq.MaxKeepQueues)
	}
	return nil
}
