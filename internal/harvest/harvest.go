// Package harvest turns backlogs into tasks: the open boxes of TODO lists, the
// findings of scans, the tests that fail. Each has a stable key, so that
// harvesting twice brings nothing new, and a repository has one task at a time.
//
// It reads repositories and runs nothing of theirs.
package harvest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"example.com/tq"
)

// Harvest is what is looked for, where, and what becomes of it. The zero value
// of each field but Client works.
type Harvest struct {
	Client tq.Client

	Repos       []string // folders
	ProjectsDir string   // and the repositories directly below it
	Subset      string   // only those whose name fits this pattern
	TodoFile    string   // default TODO_LIST.md
	SARIF       []string // files inside each repository
	JUnit       []string // files inside each repository
	CQA         *CQA     // or asked of a server
	MinSeverity string   // of findings; default error

	Queue       string // of new tasks; default tq.DefaultQueue
	Type        string // default agent
	Agent       string // profile that new tasks ask for; "" is the worker's
	Model       string
	Priority    int // of boxes without a mark; findings get 80
	MaxAttempts int
	MaxPerTick  int  // new tasks of one Tick; default 10
	AllowDirty  bool // tasks may begin on top of changes that are not committed
	DryRun      bool // say what would be done

	// Skip says why nothing is to be taken from a repository now, "" if nothing
	// speaks against it.
	Skip func(repo string) string
}

const (
	defaultTodoFile = "TODO_LIST.md"
	defaultPerTick  = 10
	findingPriority = 80
)

// Verdicts on a point or a finding.
const (
	New     = "new"     // a task was made of it, or would be
	Known   = "known"   // it has a task
	Later   = "later"   // it waits its turn
	Skipped = "skipped" // Reason says why
)

// LeftAlone begins the reason of a box that says itself that it is blocked.
const LeftAlone = "blocked: "

// Row is what was decided about one point, one finding or one repository.
type Row struct {
	Repo     string `json:"repo"`
	Source   string `json:"source,omitempty"` // file and line
	Text     string `json:"text,omitempty"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason,omitempty"`
	TaskID   int64  `json:"task_id,omitempty"`
	Priority int    `json:"priority,omitempty"`
}

// candidate is what may become a task.
type candidate struct {
	row   Row
	key   string
	scan  string // tag of the report it comes from
	open  func() bool
	brief brief
}

// brief is the payload of the task.
type brief struct {
	Version      int     `json:"v"`
	Repo         string  `json:"repo"`
	Prompt       string  `json:"prompt"`
	Agent        string  `json:"agent,omitempty"`
	Model        string  `json:"model,omitempty"`
	Todo         *todo   `json:"todo,omitempty"`
	RequireClean *bool   `json:"require_clean,omitempty"`
	Timeout      float64 `json:"timeout_minutes,omitempty"`

	// Backlog is what stood in the repository when the task was made: so whoever
	// sees the queue only knows of it too.
	Backlog *backlog `json:"backlog,omitempty"`
}

type backlog struct {
	Open      int `json:"open"` // with the point of this task
	LeftAlone int `json:"left_alone,omitempty"`
}

type todo struct {
	File    string `json:"file"`
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"`
}

// Tick looks at every repository once and makes at most MaxPerTick tasks, one
// for each repository that has none in flight. It answers what was decided of
// everything it saw.
func (h *Harvest) Tick(ctx context.Context) ([]Row, error) {
	repos, err := Repos(h.Repos, h.ProjectsDir, h.Subset)
	if err != nil {
		return nil, err
	}
	var rows []Row
	left := h.MaxPerTick
	if left <= 0 {
		left = defaultPerTick
	}
	for _, r := range repos {
		some, err := h.harvest(ctx, r, left)
		if err != nil {
			return rows, fmt.Errorf("harvest %s: %w", r.Name, err)
		}
		for _, row := range some {
			if row.Verdict == New {
				left--
			}
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// harvest decides about one repository.
func (h *Harvest) harvest(ctx context.Context, r Repo, left int) ([]Row, error) {
	all, rows := h.candidates(ctx, r)
	counted := &backlog{Open: len(all)}
	for _, row := range rows {
		if strings.HasPrefix(row.Reason, LeftAlone) {
			counted.LeftAlone++
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.row.Priority - a.row.Priority })
	why, err := h.busy(ctx, r)
	if err != nil {
		return nil, err
	}
	if why == "" && left <= 0 {
		why = "the limit of new tasks for one harvest is reached"
	}
	for i := range all {
		c := &all[i]
		if why != "" && !h.DryRun { // nothing to look up
			c.row.Verdict, c.row.Reason = Later, why
			rows = append(rows, c.row)
			continue
		}
		id, status, err := h.lookUp(ctx, c)
		if err != nil {
			return nil, err
		}
		row := c.row
		switch {
		case status != "":
			row.Verdict, row.TaskID, row.Reason = Known, id, status
		case why != "":
			row.Verdict, row.Reason = Later, why
		default:
			c.brief.Backlog = counted
			row.TaskID, err = h.enqueue(ctx, r, c)
			if errors.Is(err, tq.ErrInvalid) || errors.Is(err, tq.ErrTooLarge) { // one strange point must not hold up all others
				row.Verdict, row.Reason = Skipped, "it cannot be a task: "+err.Error()
				break
			}
			if err != nil {
				return nil, err
			}
			row.Verdict, why = New, "one task at a time for each repository"
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// busy says why a repository gets no new task now.
func (h *Harvest) busy(ctx context.Context, r Repo) (string, error) {
	if h.Skip != nil {
		if why := h.Skip(r.Name); why != "" {
			return why, nil
		}
	}
	out, err := h.Client.Stats(ctx, tq.StatsIn{Project: r.Name, Type: h.kind()})
	if err != nil {
		return "", err
	}
	t := out.Total
	if n := t.Ready + t.Scheduled + t.Blocked + t.Running; n > 0 {
		return "one of its tasks is in flight", nil
	}
	return "", nil
}

// candidates reads the backlog of a repository; what cannot be one is in rows.
func (h *Harvest) candidates(ctx context.Context, r Repo) (all []candidate, rows []Row) {
	skip := func(source string, err error) {
		if !errors.Is(err, os.ErrNotExist) {
			rows = append(rows, Row{Repo: r.Name, Source: source, Verdict: Skipped, Reason: err.Error()})
		}
	}
	points, err := h.points(&r)
	if err != nil {
		skip(h.todoFile(), err)
	}
	seen := map[string]bool{}
	for _, p := range points {
		switch c := h.fromPoint(r, p); {
		case p.Done:
		case p.Blocked != "":
			c.row.Verdict, c.row.Reason = Skipped, LeftAlone+p.Blocked
			rows = append(rows, c.row)
		case p.Text == "" || seen[c.key]:
			c.row.Verdict, c.row.Reason = Skipped, "it has no text, or that of another box"
			rows = append(rows, c.row)
		default:
			seen[c.key] = true
			all = append(all, c)
		}
	}
	for _, file := range h.SARIF {
		found, err := h.report(r, file, "sarif", SARIF)
		if err != nil {
			skip(file, err)
		}
		all = append(all, found...)
	}
	for _, file := range h.JUnit {
		found, err := h.report(r, file, "junit", JUnit)
		if err != nil {
			skip(file, err)
		}
		all = append(all, found...)
	}
	if h.CQA != nil {
		found, err := h.CQA.candidates(ctx, h, r)
		if err != nil {
			skip("cqa", err)
		}
		all = append(all, found...)
	}
	return all, rows
}

func (h *Harvest) todoFile() string { return or(h.TodoFile, defaultTodoFile) }
func (h *Harvest) kind() string     { return or(h.Type, tq.TypeAgent) }

func (h *Harvest) points(r *Repo) ([]Point, error) {
	text, err := r.read(h.todoFile())
	if err != nil {
		return nil, err
	}
	points, err := Points(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", h.todoFile(), err)
	}
	return points, nil
}

func (h *Harvest) fromPoint(r Repo, p Point) candidate {
	priority := p.Priority
	if priority == 0 {
		priority = h.Priority
	}
	prompt := fmt.Sprintf("Do one point of %s and nothing else.\n", h.todoFile())
	if p.Heading != "" {
		prompt += "HEADING: " + p.Heading + "\n"
	}
	return candidate{
		row:   Row{Repo: r.Name, Source: h.todoFile() + ":" + strconv.Itoa(p.Line), Text: p.Text, Priority: priority},
		key:   "todo:" + digest(r.Name, p.Text),
		open:  func() bool { return h.stillOpen(&r, p.Text) },
		brief: brief{Prompt: prompt + "BOX: " + p.Text + "\n", Todo: &todo{File: h.todoFile(), Heading: p.Heading, Text: p.First}},
	}
}

// stillOpen reads the list again: by now an agent may have ticked the box.
func (h *Harvest) stillOpen(r *Repo, text string) bool {
	points, err := h.points(r)
	if err != nil {
		return false
	}
	for _, p := range points {
		if p.Text == text && !p.Done {
			return true
		}
	}
	return false
}

func (h *Harvest) report(r Repo, file, kind string, parse func([]byte) ([]Finding, error)) ([]candidate, error) {
	text, err := r.read(file)
	if err != nil {
		return nil, err
	}
	found, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	return h.fromFindings(r, file, kind, text, found), nil
}

func (h *Harvest) fromFindings(r Repo, source, kind string, scan []byte, found []Finding) []candidate {
	var all []candidate
	for _, x := range fixes(r.Name, source, kind, scan, found, or(h.MinSeverity, "error")) {
		all = append(all, candidate{
			row:   Row{Repo: r.Name, Source: source, Text: x.name, Priority: findingPriority},
			key:   x.key,
			scan:  x.scan,
			brief: brief{Prompt: x.prompt(), Timeout: 45},
		})
	}
	return all
}

// lookUp finds the task that a candidate has already, and says where it stands.
// A completed one counts only as long as its box is ticked, or no newer scan
// finds the same: else the candidate gets another key, and is new.
func (h *Harvest) lookUp(ctx context.Context, c *candidate) (id int64, status string, err error) {
	const longest = 100 // lives of one box
	base := c.key
	for range longest {
		page, err := h.Client.Tasks(ctx, tq.TasksIn{Queue: or(h.Queue, tq.DefaultQueue), Key: c.key, Limit: 1})
		if err != nil || len(page.Tasks) == 0 {
			return 0, "", err
		}
		t := page.Tasks[0]
		switch {
		case t.Status == tq.Dead:
			return t.ID, "dead; bring it back with tq rescue " + strconv.FormatInt(t.ID, 10), nil
		case t.Status != tq.Completed:
			return t.ID, string(t.Status), nil
		case c.scan != "" && slices.Contains(t.Tags, c.scan):
			return t.ID, "completed; a new scan will tell", nil
		case c.open != nil && !c.open():
			return t.ID, string(t.Status), nil
		}
		c.key = base + ":" + strconv.FormatInt(t.ID, 10)
	}
	return 0, "done too often", nil
}

func (h *Harvest) enqueue(ctx context.Context, r Repo, c *candidate) (int64, error) {
	if h.DryRun {
		return 0, nil
	}
	b := c.brief
	b.Version, b.Repo, b.Agent, b.Model = 1, r.Dir, h.Agent, h.Model
	if h.AllowDirty {
		b.RequireClean = new(bool)
	}
	payload, err := json.Marshal(b)
	if err != nil {
		return 0, err
	}
	n := tq.NewTask{
		Type: h.kind(), Queue: h.Queue, Project: r.Name, Payload: payload,
		Priority: c.row.Priority, MaxAttempts: h.MaxAttempts, IdempotencyKey: c.key,
	}
	if c.scan != "" {
		n.Tags = []string{c.scan}
	}
	out, err := h.Client.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{n}})
	if err != nil {
		return 0, err
	}
	return out.Tasks[0].ID, nil
}
