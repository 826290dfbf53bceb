package tq

import "context"

// How the database under a store is kept: what `tq doctor` looks at. Nothing
// here is about tasks; Store.Check walks these.

// Level says how good or bad a Finding is.
type Level string

// The levels.
const (
	LevelOK   Level = "ok"
	LevelNote Level = "note" // works, and could be better
	LevelBad  Level = "bad"  // will cost speed or data before long
)

// Finding is one thing that was looked at.
type Finding struct {
	Name  string `json:"name"` // "fsync", "oldest snapshot"
	Level Level  `json:"level"`
	Value string `json:"value"`          // what it is
	Hint  string `json:"hint,omitempty"` // what to do about it
}

// Examined is a store that can say how its database is kept. Examine changes
// nothing, and answers within seconds.
type Examined interface {
	Examine(ctx context.Context) ([]Finding, error)
}

// Well is a Finding that is as it should be.
func Well(name, value string) Finding { return Finding{Name: name, Level: LevelOK, Value: value} }

// Worse is f at a lower level, and what to do about it.
func (f Finding) Worse(level Level, hint string) Finding {
	f.Level, f.Hint = level, hint
	return f
}
