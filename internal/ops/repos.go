package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/tq"
)

// Repositories, as their tasks tell of them: a hub has no eyes for folders that
// lie on other machines. A harvest writes into each new task how much stood in
// the backlog, agents write how the gate judged, the rest is counted.

// ReposIn asks how repositories stand.
type ReposIn struct {
	Type string `json:"type,omitempty"` // of the tasks; default agent
}

// ReposOut is one row for each project that has tasks of that type, by name, at
// most 1000.
type ReposOut struct {
	Repos []Repo `json:"repos"`
}

// Repo is how one repository stands.
type Repo struct {
	Project   string  `json:"project"`
	Dir       string  `json:"dir,omitempty"`        // on the machine of the pool
	Backlog   *int64  `json:"backlog,omitempty"`    // open points, when its newest task was harvested; none: it was not harvested
	LeftAlone int64   `json:"left_alone,omitempty"` // points marked BLOCKED
	CountedAt tq.Time `json:"counted_at,omitzero"`

	Ready     int64 `json:"ready"`
	Scheduled int64 `json:"scheduled"`
	Running   int64 `json:"running"`
	Completed int64 `json:"completed"`
	Dead      int64 `json:"dead"`

	Held       string      `json:"held,omitempty"`
	LastVerify *LastVerify `json:"last_verify,omitempty"`
}

// LastVerify is how the gate judged last.
type LastVerify struct {
	TaskID int64   `json:"task_id"`
	Passed bool    `json:"passed"`
	At     tq.Time `json:"at"`
	Commit string  `json:"commit,omitempty"`
	Detail string  `json:"detail,omitempty"` // of a gate that failed
}

// Repos tells how the repositories stand.
func Repos(ctx context.Context, c tq.Client, in ReposIn) (ReposOut, error) {
	if in.Type == "" {
		in.Type = tq.TypeAgent
	}
	stats, err := c.Stats(ctx, tq.StatsIn{Type: in.Type, By: "project"})
	if err != nil {
		return ReposOut{}, err
	}
	out := ReposOut{Repos: []Repo{}}
	for i := range stats.Queues {
		s := &stats.Queues[i]
		if s.Project == "" {
			continue
		}
		if len(out.Repos) == tq.MaxPage {
			break
		}
		r := Repo{
			Project: s.Project, Ready: s.Ready, Scheduled: s.Scheduled, Running: s.Running, Completed: s.Completed, Dead: s.Dead,
		}
		page, err := c.Tasks(ctx, tq.TasksIn{Project: s.Project, Type: in.Type, Limit: repoTasks, Fields: "payload"})
		if err != nil {
			return ReposOut{}, err
		}
		r.read(page.Tasks, stats.Parked)
		out.Repos = append(out.Repos, r)
	}
	return out, nil
}

// repoTasks is how many of its newest tasks are looked at.
const repoTasks = 20

// read learns from tasks, the newest first.
func (r *Repo) read(tasks []tq.Task, parked []tq.Parked) {
	deaths, ended := 0, false
	for i := range tasks {
		t := &tasks[i]
		var p struct {
			Repo    string `json:"repo"`
			Backlog *struct {
				Open      int64 `json:"open"`
				LeftAlone int64 `json:"left_alone"`
			} `json:"backlog"`
		}
		if json.Unmarshal(t.Payload, &p) == nil && r.Backlog == nil && p.Backlog != nil {
			open := p.Backlog.Open
			if t.Status == tq.Completed {
				open = max(open-1, 0)
			}
			r.Backlog, r.LeftAlone, r.CountedAt = &open, p.Backlog.LeftAlone, t.CreatedAt
		}
		if r.Dir == "" {
			r.Dir = p.Repo
		}
		if r.LastVerify == nil {
			r.LastVerify = lastVerify(t)
		}
		if t.Status == tq.Dead && !ended {
			deaths++
		}
		ended = ended || t.Status == tq.Completed
	}
	r.Held = r.held(deaths, parked)
}

// held says why nothing goes on, as far as tasks tell.
func (r *Repo) held(deaths int, parked []tq.Parked) string {
	for _, p := range parked {
		if r.Dir != "" && p.Scope == "repo:"+r.Dir {
			return "parked until " + p.Until.String() + ": " + p.Reason
		}
	}
	if deaths > 0 && r.Ready+r.Scheduled+r.Running == 0 {
		return fmt.Sprintf("dead in a row, the newest first: %d; see tq dlq", deaths)
	}
	return ""
}

// lastVerify is what a task tells of the gate; nil if it never came to that.
func lastVerify(t *tq.Task) *LastVerify {
	var result struct {
		Verified bool   `json:"verified"`
		Commit   string `json:"commit"`
	}
	switch {
	case t.Status == tq.Completed && json.Unmarshal(t.Result, &result) == nil && result.Verified:
		return &LastVerify{TaskID: t.ID, Passed: true, At: t.EndedAt, Commit: result.Commit}
	case strings.HasPrefix(t.LastError, "verify: ") && t.Status != tq.Completed:
		line, _, _ := strings.Cut(t.LastError, "\n")
		at := t.EndedAt
		if at.IsZero() {
			at = t.StartedAt
		}
		return &LastVerify{TaskID: t.ID, At: at, Detail: strings.TrimPrefix(line, "verify: ")}
	}
	return nil
}
