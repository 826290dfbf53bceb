package sh

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// command is the payload of an sh task.
type command struct {
	Cmd   string
	Dir   string
	Env   map[string]string
	Stdin string
}

// parsePayload reads "CMD" or {"cmd", "dir", "env", "stdin"}, and nothing else:
// a misspelt field must not run a command without it.
func parsePayload(raw json.RawMessage) (command, error) {
	var c command
	if json.Unmarshal(raw, &c.Cmd) == nil && strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		return c, c.check()
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return c, errors.New(`payload: want a JSON string, the command line, or an object {"cmd", "dir", "env", "stdin"}`)
	}
	for name, value := range fields {
		if err := c.set(name, value); err != nil {
			return c, err
		}
	}
	return c, c.check()
}

func (c *command) set(name string, value json.RawMessage) error {
	var err error
	switch name {
	case "cmd":
		err = json.Unmarshal(value, &c.Cmd)
	case "dir":
		err = json.Unmarshal(value, &c.Dir)
	case "env":
		err = json.Unmarshal(value, &c.Env)
	case "stdin":
		err = json.Unmarshal(value, &c.Stdin)
	default:
		return fmt.Errorf("payload: unknown field %q, want cmd, dir, env, stdin", name)
	}
	if err == nil {
		return nil
	}
	if name == "env" {
		return errors.New("payload: env must be an object of strings")
	}
	return fmt.Errorf("payload: %s must be a string", name)
}

// check refuses what no system call would take.
func (c *command) check() error {
	switch {
	case strings.TrimSpace(c.Cmd) == "":
		return errors.New("payload: cmd is empty")
	case strings.ContainsRune(c.Cmd, 0):
		return errors.New("payload: cmd contains a NUL character")
	case strings.ContainsRune(c.Dir, 0):
		return errors.New("payload: dir contains a NUL character")
	}
	for name, value := range c.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("payload: env: %q is not a name for a variable", name)
		}
		if strings.ContainsRune(value, 0) {
			return fmt.Errorf("payload: env: the value of %s contains a NUL character", name)
		}
	}
	return nil
}
