package ops

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/tq"
)

// The situation in a sentence or two, numbers first. The dashboard writes the
// same with links in it; testdata/situation-vectors.json binds both.

func situation(o *OverviewOut) string {
	parts := []string{aliveWords(o.Workers.Busy, o.Workers.Busy+o.Workers.Idle)}
	if n := o.Workers.Lost; n > 0 {
		parts = append(parts, amount(int64(n), "worker is lost.", "workers are lost."))
	}
	parts = append(parts, readyWords(&o.Total))
	if len(o.Starved) > 0 {
		parts = append(parts, namedWords(o.Starved, "has no worker.", "have no worker."))
	}
	if paused := pausedQueues(o.Queues); len(paused) > 0 {
		parts = append(parts, namedWords(paused, "is paused.", "are paused."))
	}
	parts = append(parts, deadWords(&o.Total, o.Causes))
	return strings.Join(parts, " ")
}

func aliveWords(busy, alive int) string {
	switch {
	case alive == 0:
		return "No worker is connected."
	case alive == 1 && busy == 1:
		return "The one worker is busy."
	case alive == 1:
		return "The one worker is idle."
	}
	all := "All " + spelled(alive)
	if alive == 2 {
		all = "Both"
	}
	switch busy {
	case 0:
		return all + " workers are idle."
	case alive:
		return all + " workers are busy."
	case 1:
		return fmt.Sprintf("One of %s workers is busy.", spelled(alive))
	}
	few := spelled(busy)
	return strings.ToUpper(few[:1]) + few[1:] + fmt.Sprintf(" of %s workers are busy.", spelled(alive))
}

func readyWords(t *tq.Stats) string {
	switch {
	case t.Ready == 0 && t.Scheduled+t.Blocked > 0:
		return "No task is ready."
	case t.Ready == 0 && t.Running > 0:
		return "No other task is waiting."
	case t.Ready == 0:
		return "No task is waiting."
	}
	words := amount(t.Ready, "task is ready", "tasks are ready")
	if seconds := int(t.OldestReady.Std().Seconds()); seconds >= 1 {
		words += ", the oldest for " + brief(seconds)
	}
	return words + "."
}

func deadWords(t *tq.Stats, causes int) string {
	if t.Dead == 0 {
		return "Nothing needs you."
	}
	words := amount(t.Dead, "dead letter", "dead letters")
	if t.Dead > 1 && causes > 0 {
		words += " of " + amount(int64(causes), "cause", "causes")
	}
	needs, them := " need you", "them"
	if t.Dead == 1 {
		needs, them = " needs you", "it"
	}
	words += needs
	if n := t.BlockedByDead; n > 0 {
		words += ", and " + amount(n, "task waits", "tasks wait") + " for " + them
	}
	return words + "."
}

func pausedQueues(queues []tq.Stats) []string {
	var names []string
	for i := range queues {
		if queues[i].Paused {
			names = append(names, queues[i].Queue)
		}
	}
	return names
}

// namedWords says something of the first few names.
func namedWords(names []string, ofOne, ofMany string) string {
	const shown = 3
	if len(names) == 1 {
		return names[0] + " " + ofOne
	}
	if len(names) > shown {
		names = []string{names[0], names[1], spelled(len(names)-2) + " more"}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last] + " " + ofMany
}

func amount(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// spelled writes small numbers as words.
func spelled(n int) string {
	words := strings.Fields("no one two three four five six seven eight nine")
	if n < len(words) {
		return words[n]
	}
	return grouped(int64(n))
}

// grouped writes 12,418.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// brief writes whole seconds in at most two units: 41 s, 2m 10s, 1h 04m, 3d 4h.
func brief(seconds int) string {
	const minute, hour, day = 60, 3600, 86_400
	switch {
	case seconds < minute:
		return fmt.Sprintf("%d s", seconds)
	case seconds < hour:
		return fmt.Sprintf("%dm %02ds", seconds/minute, seconds%minute)
	case seconds < day:
		return fmt.Sprintf("%dh %02dm", seconds/hour, seconds%hour/minute)
	}
	return fmt.Sprintf("%dd %dh", seconds/day, seconds%day/hour)
}
