package sh

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/tq"
)

// withheld never reaches a command by inheritance: with these it could speak to
// the queue as its worker does.
func withheld(name string) bool { return name == "TQ_TOKEN" || name == "TQ_DB" }

// inherited is what commands get of the worker's environment.
func (x *Executor) inherited(environ []string) []string {
	kept := []string{} // not nil: to package exec, nil is all of it
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		// The trace goes on whatever the list says; it names no secret.
		listed := x.EnvAllow == nil || slices.Contains(x.EnvAllow, name) || name == "TRACEPARENT"
		if listed && !withheld(name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// environment is the whole environment of a command: what it inherits, then the
// payload's, then ours, which nothing overrides.
func environment(base []string, own map[string]string, t *tq.Task, resultFile string) []string {
	env := map[string]string{}
	for _, pair := range base {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	maps.Copy(env, own)
	env["TQ_TASK_ID"] = strconv.FormatInt(t.ID, 10)
	env["TQ_ATTEMPT"] = strconv.Itoa(t.Attempt)
	env["TQ_FENCE"] = strconv.FormatInt(t.Epoch, 10)
	env["TQ_RESULT_FILE"] = resultFile
	if t.Traceparent != "" {
		env["TRACEPARENT"] = t.Traceparent
	}

	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
