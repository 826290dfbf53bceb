package tq

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What an executor's error says about its task, and scopes: what a limit or a
// fault belongs to when it is more than one task, such as a provider's account
// or a repository. A scope is parked by giving a task back with its name; the
// journal tells everybody else.

// Class is the kind of a failure, from which follows how it is settled.
type Class string

// The classes.
const (
	ClassTransient   Class = "transient"    // tried again after the backoff; the attempt counts
	ClassPermanent   Class = "permanent"    // no retry will mend it: dead at once
	ClassPreflight   Class = "preflight"    // nothing was begun, something outside has to be put right: unburnt
	ClassRateLimited Class = "rate_limited" // somebody asked us to wait: unburnt
)

// ClassOf is the class of an executor's error, "" for nil. What was released by
// plain Release counts as transient.
func ClassOf(err error) Class {
	var o *outcome
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &o):
		return ClassTransient
	case o.giveUp:
		return ClassPermanent
	case o.class != "":
		return o.class
	}
	return ClassTransient
}

// Parked is a scope whose tasks are given back until a moment.
type Parked struct {
	Scope  string `json:"scope"` // "provider:claude", "repo:/srv/shop"
	Until  Time   `json:"until"`
	Reason string `json:"reason,omitempty"`
	TaskID int64  `json:"task_id"` // the last one that met it
}

// MaxScope is the length of a scope's name.
const MaxScope = 300

// ParkRateLimited gives the task back as RateLimited does, and parks scope for
// d: no worker begins a task of it before.
func ParkRateLimited(scope string, d time.Duration, err error) error {
	return &outcome{err: err, event: EventRelease, class: ClassRateLimited, unburnt: true, delay: &d, scope: scope}
}

// Preflight gives the task back because it cannot be begun: err says what has
// to be put right. Its attempt is never burnt, and scope is parked for d.
func Preflight(scope string, d time.Duration, err error) error {
	return &outcome{err: err, event: EventRelease, class: ClassPreflight, unburnt: true, delay: &d, scope: scope}
}

// parkedReason is how a scope stands in a released fact.
func parkedReason(scope, reason string) string {
	if scope == "" {
		return reason
	}
	return parkedMark + strconv.Quote(scope) + ": " + reason
}

const parkedMark = "parked "

// parkedBy reads the scope that a fact parks until an instant after now.
func parkedBy(f *Fact, now time.Time) (Parked, bool) {
	rest, marked := strings.CutPrefix(f.Detail.Reason, parkedMark)
	quoted, err := strconv.QuotedPrefix(rest)
	if !marked || err != nil || !f.Detail.RunAt.After(now) {
		return Parked{}, false
	}
	scope, err := strconv.Unquote(quoted)
	reason := strings.TrimPrefix(rest[len(quoted):], ": ")
	return Parked{Scope: scope, Until: f.Detail.RunAt, Reason: reason, TaskID: f.TaskID}, err == nil
}

// parked lists the scopes that are parked now, by name, as the newest releases
// tell. Only agents park scopes so far, and only where some of their tasks wait
// is there anything to find.
func (b *Broker) parked(ctx context.Context, census Census) ([]Parked, error) {
	const looked = 200
	waits := func(l LineCount) bool { return l.Type == TypeAgent && l.Scheduled > 0 }
	if !slices.ContainsFunc(census.Lines, waits) {
		return nil, nil
	}
	facts, err := b.store.Facts(ctx, FactQuery{
		Type: TypeAgent, Kinds: []Kind{FactReleased}, Limit: looked, Last: true, Only: b.sight(),
	})
	if err != nil {
		return nil, err
	}
	now := b.info.Now()
	var all []Parked
	for i := range slices.Backward(facts) {
		p, ok := parkedBy(&facts[i], now)
		known := func(q Parked) bool { return q.Scope == p.Scope }
		if ok && !slices.ContainsFunc(all, known) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(p, q Parked) int { return strings.Compare(p.Scope, q.Scope) })
	return all, nil
}

// explainParked says whether a waiting task was given back because its scope is
// parked.
func (b *Broker) explainParked(ctx context.Context, t *Task, x *ExplainOut) (bool, error) {
	facts, err := b.store.Facts(ctx, FactQuery{
		TaskID: t.ID, Kinds: []Kind{FactReleased}, Limit: 1, Last: true, Only: b.sight(),
	})
	now := b.info.Now()
	if err != nil || len(facts) == 0 || facts[0].Epoch != t.Epoch {
		return false, err
	}
	p, ok := parkedBy(&facts[0], now)
	if !ok || !p.Until.Equal(t.RunAt.Time) {
		return false, nil
	}
	x.say("parked", "it is parked until %s, in %s: %s%s; no attempt was counted",
		p.Until, roundTime(p.Until.Sub(now)), p.Scope, because(p.Reason))
	x.next("tq requeue %d", t.ID)
	return true, nil
}

func checkScope(scope string, delay Duration) error {
	if scope == "" {
		return nil
	}
	if err := checkLabel("scope", scope, MaxScope); err != nil {
		return err
	}
	if delay <= 0 {
		return invalidField("delay_seconds", "required", "is required with a scope")
	}
	return nil
}
