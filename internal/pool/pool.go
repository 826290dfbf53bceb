// Package pool burns the backlogs of many repositories down: it harvests them
// and works on what it has harvested, in one process.
package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/tq"
	"example.com/tq/internal/harvest"
)

// Pool is a harvest and a worker that belong together. Client, Harvest and
// Worker are all it needs.
type Pool struct {
	Client  tq.Client
	Harvest *harvest.Harvest
	Worker  *tq.Worker

	Interval time.Duration            // between harvests, when no task ends before; default 5 min
	Pace     map[string]time.Duration // between two new tasks of a repository, by its name
	Backoff  time.Duration            // how long a repository rests whose task has died, doubled each time; 0: not at all

	Once  bool // harvest once, end when what came of it has ended
	Drain bool // end when no backlog is left

	Log *slog.Logger // default slog.Default()
	Now func() time.Time

	seq     int64                // of the last fact that was seen
	started map[string]time.Time // newest task of each repository
	resting map[string]rest
}

// rest is the pause of a repository that keeps failing.
type rest struct {
	until  time.Time
	deaths int
}

const (
	defaultInterval = 5 * time.Minute
	longestRest     = 6 * time.Hour
)

// Run harvests and works until ctx ends, or until what Once or Drain ask for
// is done. A repository gets its next task as soon as its last one has ended.
// It returns what the worker returns.
func (p *Pool) Run(ctx context.Context) error {
	p.prepare()
	if err := p.catchUp(ctx); err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer stop() // without hands there is no use in harvesting
		ended <- p.Worker.Run(working)
	}()
	err := p.harvest(working)
	stop()
	if workErr := <-ended; workErr != nil {
		return workErr
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *Pool) prepare() {
	if p.Log == nil {
		p.Log = slog.Default()
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Interval <= 0 {
		p.Interval = defaultInterval
	}
	p.started, p.resting = map[string]time.Time{}, map[string]rest{}
	p.Harvest.Skip = p.skip
}

// catchUp begins after what the journal holds already.
func (p *Pool) catchUp(ctx context.Context) error {
	out, err := p.Client.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err == nil && len(out.Facts) > 0 {
		p.seq = out.Facts[0].Seq
	}
	return err
}

// harvest ticks until it is done or ctx ends.
func (p *Pool) harvest(ctx context.Context) error {
	for tick := 1; ctx.Err() == nil; tick++ {
		waits := false
		if tick == 1 || !p.Once {
			rows, err := p.Harvest.Tick(ctx)
			if err != nil && ctx.Err() == nil {
				p.Log.Warn("harvest", "error", err)
			}
			waits = p.tell(rows)
		}
		done, err := p.done(ctx, waits)
		if done {
			return nil
		}
		if err == nil {
			err = p.await(ctx)
		}
		if err := p.outlast(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// outlast waits a while when the queue cannot be reached; other errors end the
// pool.
func (p *Pool) outlast(ctx context.Context, err error) error {
	const pause = 2 * time.Second
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case !errors.Is(err, tq.ErrUnavailable):
		return fmt.Errorf("follow the tasks: %w", err)
	}
	p.Log.Warn("the queue does not answer", "error", err)
	select {
	case <-ctx.Done():
	case <-time.After(min(pause, p.Interval)):
	}
	return nil
}

// tell logs what is new and reports whether something waits its turn.
func (p *Pool) tell(rows []harvest.Row) (waits bool) {
	for _, r := range rows {
		switch r.Verdict {
		case harvest.New:
			p.started[r.Repo] = p.Now()
			p.Log.Info("harvested", "id", r.TaskID, "repo", r.Repo, "text", r.Text)
		case harvest.Later:
			waits = true
		}
	}
	return waits
}

// done reports whether a run that ends by itself has come to its end.
func (p *Pool) done(ctx context.Context, waits bool) (bool, error) {
	if !p.Once && (!p.Drain || waits) {
		return false, nil
	}
	out, err := p.Client.Stats(ctx, tq.StatsIn{Type: p.kind()})
	t := out.Total
	return err == nil && t.Ready+t.Scheduled+t.Running == 0, err
}

func (p *Pool) kind() string {
	if p.Harvest.Type != "" {
		return p.Harvest.Type
	}
	return tq.TypeAgent
}

// await waits until a task ends, or until the next harvest is due.
func (p *Pool) await(ctx context.Context) error {
	wait := min(p.untilDue(), tq.MaxWait)
	due := p.Now().Add(p.untilDue())
	for ctx.Err() == nil && p.Now().Before(due) {
		out, err := p.Client.Facts(ctx, tq.FactsIn{
			After: p.seq, Type: p.kind(), Limit: tq.MaxPage, Wait: tq.Duration(wait),
			Kinds: []tq.Kind{tq.FactCompleted, tq.FactDeadLettered, tq.FactCancelled},
		})
		if err != nil {
			return err
		}
		p.note(out.Facts)
		if len(out.Facts) > 0 {
			return nil
		}
		wait = min(max(due.Sub(p.Now()), 0), tq.MaxWait)
	}
	return nil
}

// untilDue is how long until the next harvest: the interval, or less when a
// pause ends before.
func (p *Pool) untilDue() time.Duration {
	wait := p.Interval
	for _, r := range p.resting {
		if left := r.until.Sub(p.Now()); left > 0 {
			wait = min(wait, left)
		}
	}
	for repo, pace := range p.Pace {
		if left := p.started[repo].Add(pace).Sub(p.Now()); left > 0 {
			wait = min(wait, left)
		}
	}
	return max(wait, 10*time.Millisecond)
}

// note learns from the ends of tasks which repositories keep failing.
func (p *Pool) note(facts []tq.Fact) {
	for _, f := range facts {
		p.seq = f.Seq
		switch f.Kind {
		case tq.FactCompleted:
			delete(p.resting, f.Project)
		case tq.FactDeadLettered:
			r := p.resting[f.Project]
			r.deaths++
			r.until = p.Now().Add(p.restAfter(r.deaths)) // our clock: that of the store may be another
			p.resting[f.Project] = r
		}
	}
}

func (p *Pool) restAfter(deaths int) time.Duration {
	d := p.Backoff
	for range deaths - 1 {
		d = min(2*d, longestRest)
	}
	return d
}

// skip says why a repository gets no new task yet.
func (p *Pool) skip(repo string) string {
	if r := p.resting[repo]; r.until.After(p.Now()) {
		return fmt.Sprintf("%d of its tasks died in a row; it rests until %s", r.deaths, tq.At(r.until))
	}
	if due := p.started[repo].Add(p.Pace[repo]); due.After(p.Now()) {
		return "its pace is one task in " + p.Pace[repo].String()
	}
	return ""
}

// RepoState is how one repository stands.
type RepoState struct {
	Repo       string `json:"repo"`
	Dir        string `json:"dir"`
	Open       int    `json:"open"` // boxes and findings without a task that has ended
	Blocked    int    `json:"blocked,omitempty"`
	Ready      int64  `json:"ready"`
	Running    int64  `json:"running"`
	Scheduled  int64  `json:"scheduled"`
	Completed  int64  `json:"completed"`
	Dead       int64  `json:"dead"`
	Skipped    string `json:"skipped,omitempty"` // why it gets nothing new
	LastVerify string `json:"last_verify,omitempty"`
	LastTask   int64  `json:"last_task,omitempty"` // that completed
}

// States tells how every repository stands, from the backlog and the queue.
func States(ctx context.Context, c tq.Client, h harvest.Harvest) ([]RepoState, error) {
	h.DryRun = true
	repos, err := harvest.Repos(h.Repos, h.ProjectsDir, h.Subset)
	if err != nil {
		return nil, err
	}
	rows, err := h.Tick(ctx)
	if err != nil {
		return nil, err
	}
	parked, err := c.Stats(ctx, tq.StatsIn{})
	if err != nil {
		return nil, err
	}
	var all []RepoState
	for _, r := range repos {
		s, err := state(ctx, c, r, rows, &h)
		if err != nil {
			return nil, err
		}
		for _, p := range parked.Parked {
			if p.Scope == "repo:"+r.Dir {
				s.Skipped = "parked until " + p.Until.String() + ": " + p.Reason
			}
		}
		all = append(all, s)
	}
	return all, nil
}

func state(ctx context.Context, c tq.Client, r harvest.Repo, rows []harvest.Row, h *harvest.Harvest) (RepoState, error) {
	s := RepoState{Repo: r.Name, Dir: r.Dir}
	for _, row := range rows {
		switch {
		case row.Repo != r.Name:
		case row.Verdict == harvest.Skipped && strings.HasPrefix(row.Reason, harvest.LeftAlone):
			s.Blocked++
		case row.Verdict == harvest.Skipped:
			s.Skipped = row.Reason
		case row.Reason != string(tq.Completed):
			s.Open++
		}
	}
	kind := h.Type
	if kind == "" {
		kind = tq.TypeAgent
	}
	out, err := c.Stats(ctx, tq.StatsIn{Project: r.Name, Type: kind})
	if err != nil {
		return s, err
	}
	t := out.Total
	s.Ready, s.Running, s.Scheduled, s.Completed, s.Dead = t.Ready, t.Running, t.Scheduled, t.Completed, t.Dead
	page, err := c.Tasks(ctx, tq.TasksIn{Project: r.Name, Type: kind, Status: string(tq.Completed), Limit: 1, Fields: "payload"})
	if err != nil {
		return s, err
	}
	for _, last := range slices.All(page.Tasks) {
		s.LastTask, s.LastVerify = last.ID, lastVerify(&last)
	}
	return s, nil
}
