package tq

import (
	"strconv"
	"strings"
)

// An enqueue id makes a whole enqueue repeatable (spec S40). It is kept as a
// key of each task that came without one. Such a key begins with a character
// that no key of a user has (spec S18), and no door shows it.

const hiddenKey = "\x01"

// keyedBy gives the tasks that have no key of their own one that a repeat of
// the same enqueue finds again. It is taken as long as the task is there: a
// worker may have finished the task before the repeat comes.
func keyedBy(id string, tasks []NewTask) {
	if id == "" {
		return
	}
	for i := range tasks {
		if n := &tasks[i]; n.IdempotencyKey == "" {
			n.IdempotencyKey = hiddenKey + id + "/" + strconv.Itoa(i)
			n.KeyUntil, n.OnMismatch = KeyUntilDeleted, MismatchExisting
		}
	}
}

// shown takes from a task what is kept for the store alone.
func shown(t Task) Task {
	if strings.HasPrefix(t.IdempotencyKey, hiddenKey) {
		t.IdempotencyKey = ""
	}
	return t
}

func allShown(tasks []Task) []Task {
	for i := range tasks {
		tasks[i] = shown(tasks[i])
	}
	return tasks
}
