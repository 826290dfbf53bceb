package tq

import "context"

// Dead tasks by what they died of.

// ErrorsIn asks what tasks died of.
type ErrorsIn struct {
	Queue       string `json:"queue,omitempty"`
	Type        string `json:"type,omitempty"`
	Project     string `json:"project,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"` // only this cause, with the ids of its tasks
}

// ErrorsOut is the causes, the one with most dead tasks first: all of them,
// counted exactly, but for what Left and Unnamed say.
type ErrorsOut struct {
	Groups  []ErrorGroup `json:"groups"`
	Left    int          `json:"left,omitempty"`    // causes that are not among the groups: the smallest, beyond 1,000
	Unnamed int64        `json:"unnamed,omitempty"` // dead tasks whose cause a sweep has yet to find out
}

// ErrorGroup is dead tasks of one type with one cause.
type ErrorGroup struct {
	Fingerprint string   `json:"fingerprint"`
	Title       string   `json:"title"` // with <n>, <id> and the like for what differs
	Type        string   `json:"type"`
	Queues      []string `json:"queues"`
	Dead        int64    `json:"dead"`
	FirstAt     Time     `json:"first_at"`
	LastAt      Time     `json:"last_at"`
	Sample      int64    `json:"sample"`        // the newest of them
	IDs         []int64  `json:"ids,omitempty"` // the newest MaxBatch, when asked by fingerprint
}

// Errors implements Client.
func (b *Broker) Errors(ctx context.Context, in ErrorsIn) (ErrorsOut, error) {
	if err := b.may(CanRead); err != nil {
		return ErrorsOut{}, err
	}
	if _, err := (TasksIn{Queue: in.Queue, Type: in.Type, Project: in.Project}).query(); err != nil {
		return ErrorsOut{}, err
	}
	causes, err := b.store.Causes(ctx, CauseQuery{
		Queue: in.Queue, Type: in.Type, Project: in.Project, Fingerprint: in.Fingerprint, Only: b.sight(),
	})
	if err != nil {
		return ErrorsOut{}, err
	}
	out := ErrorsOut{Groups: causes.groups(), Unnamed: causes.Unnamed}
	if out.Left = max(0, len(out.Groups)-maxCauses); out.Left > 0 {
		out.Groups = out.Groups[:maxCauses]
	}
	if in.Fingerprint != "" && len(out.Groups) > 0 {
		out.Groups[0].IDs = causes.newest()
	}
	return out, b.titled(ctx, out.Groups)
}
