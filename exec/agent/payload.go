package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Payload is what a task of type agent asks for.
type Payload struct {
	Repo   string `json:"repo"`   // folder of the repository, absolute or below ProjectsDir
	Prompt string `json:"prompt"` // what is to be done

	Agent   string `json:"agent,omitempty"`   // profile; default the worker's
	Model   string `json:"model,omitempty"`   // default the agent's own
	Session string `json:"session,omitempty"` // to go on from

	// Verify is the command of the gate where the repository has no
	// .tq-verify; without either the gate is what the files tell.
	Verify string `json:"verify,omitempty"`

	// Todo is the box that has to be ticked when the work is done.
	Todo *Todo `json:"todo,omitempty"`

	RequireClean   *bool   `json:"require_clean,omitempty"` // default true
	TimeoutMinutes float64 `json:"timeout_minutes,omitempty"`
	Version        int     `json:"v,omitempty"` // 1
}

// Todo is one point of a list in the repository.
type Todo struct {
	File    string `json:"file"`
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"` // as it stands behind the box
}

const maxPrompt = 100 << 10

func parsePayload(raw json.RawMessage) (Payload, error) {
	var p Payload
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&p); err != nil {
		return p, fmt.Errorf(`payload: want {"repo": "…", "prompt": "…"}: %w`, err)
	}
	switch {
	case p.Repo == "":
		return p, errors.New("payload: repo is required: the folder of a repository")
	case strings.TrimSpace(p.Prompt) == "":
		return p, errors.New("payload: prompt is required: what the agent is to do")
	case len(p.Prompt) > maxPrompt:
		return p, fmt.Errorf("payload: prompt is %d bytes, the limit is %d", len(p.Prompt), maxPrompt)
	case p.Version > 1:
		return p, fmt.Errorf("payload: v is %d, this worker knows 1", p.Version)
	case p.TimeoutMinutes < 0 || p.TimeoutMinutes > 24*60:
		return p, fmt.Errorf("payload: timeout_minutes is %v, want 0 to 1440", p.TimeoutMinutes)
	case strings.HasPrefix(p.Model, "-") || strings.HasPrefix(p.Session, "-"):
		return p, errors.New("payload: model and session do not begin with a dash")
	case p.Todo != nil && !filepath.IsLocal(p.Todo.File):
		return p, fmt.Errorf("payload: todo.file %q leaves the repository", p.Todo.File)
	}
	return p, nil
}

func (p *Payload) clean() bool { return p.RequireClean == nil || *p.RequireClean }

func (p *Payload) timeout(usual time.Duration) time.Duration {
	if p.TimeoutMinutes > 0 {
		return time.Duration(p.TimeoutMinutes * float64(time.Minute))
	}
	return usual
}
