package move

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"

	"example.com/tq"
)

// Every row that was carried is read on both sides and compared before the
// target opens: while workers go on, what cannot change any more; in the pause,
// what was brought last, all of it.

// compareAll compares all tasks with what the target must have of them by now:
// what was asked for, and the facts up to its mark. The source is read ahead: it
// may have gone on since, the target has not.
func (m *Mover) compareAll(ctx context.Context) error {
	of, err := total(ctx, m.From)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := m.readAhead(ctx, 0)
	for after := int64(0); ; {
		b := <-next
		if b.err != nil {
			return b.err
		}
		theirs, last := b.tasks, int64(math.MaxInt64)
		if len(theirs) > 0 {
			last = theirs[len(theirs)-1].ID
			next = m.readAhead(ctx, last)
		}
		ours, err := m.between(ctx, after, last, len(theirs)+1)
		if err != nil {
			return err
		}
		if err := m.compareBite(theirs, ours); err != nil {
			return err
		}
		if len(theirs) == 0 {
			return nil
		}
		after = last
		m.out.Compared += int64(len(theirs))
		m.report(StageCompare, m.out.Compared, of)
	}
}

var errPassed = errors.New("behind the last one")

// between reads tasks of the target behind after up to last, at most so many: more
// are not to be there.
func (m *Mover) between(ctx context.Context, after, last int64, most int) (map[int64]*tq.Whole, error) {
	ours := map[int64]*tq.Whole{}
	err := m.To.Export(ctx, tq.ExportQuery{After: after, Limit: most}, func(w *tq.Whole) error {
		if w.ID > last {
			return errPassed
		}
		ours[w.ID] = w
		return nil
	})
	if errors.Is(err, errPassed) {
		err = nil
	}
	return ours, err
}

func (m *Mover) compareBite(theirs []tq.Whole, ours map[int64]*tq.Whole) error {
	for i := range theirs {
		their := &theirs[i]
		our := ours[their.ID]
		delete(ours, their.ID)
		if err := soFar(their, our, m.to.Seq); err != nil {
			return differs(their.ID, err)
		}
	}
	for id := range ours {
		return differs(id, errors.New("it is not in the source"))
	}
	return nil
}

func differs(id int64, err error) error {
	return tq.Errorf(tq.CodeInternal, "task %d was not copied as it is: %w", id, err).
		WithHint("the source is as it was; keep both stores and report this")
}

// soFar holds what the target has of a task against the source: all facts up to
// seq, and none that are not there. A deleted task loses what it answered.
func soFar(their, our *tq.Whole, seq int64) error {
	owed := 0
	for owed < len(their.Facts) && their.Facts[owed].Seq <= seq {
		owed++
	}
	switch {
	case our == nil && owed == 0:
		return nil
	case our == nil:
		return errors.New("it is missing")
	case len(our.Facts) < owed:
		return fmt.Errorf("it has %d facts, not %d", len(our.Facts), owed)
	case len(our.Facts) > len(their.Facts):
		return fmt.Errorf("it has %d facts, more than the %d of the source", len(our.Facts), len(their.Facts))
	case their.Asked != nil && our.Asked != nil && !same(their.Asked, our.Asked):
		return errors.New("what was asked for differs")
	}
	deleted := their.Asked == nil
	for i := range our.Facts {
		a, b := their.Facts[i], our.Facts[i]
		if i == len(our.Facts)-1 {
			a.Place, b.Place = 0, 0 // it moves without a fact when it comes due
		}
		if deleted {
			a.Body, b.Body = nil, nil
		}
		if !same(&a, &b) {
			return fmt.Errorf("its fact %d differs", a.Rev)
		}
	}
	return nil
}

// compareSome compares tasks that nobody changes on either side.
func (m *Mover) compareSome(ctx context.Context, ids []int64) error {
	for len(ids) > 0 {
		part := ids[:min(bite, len(ids))]
		ids = ids[len(part):]
		ours := map[int64]*tq.Whole{}
		err := m.To.Export(ctx, tq.ExportQuery{IDs: part}, func(w *tq.Whole) error {
			ours[w.ID] = w
			return nil
		})
		if err != nil {
			return err
		}
		err = m.From.Export(ctx, tq.ExportQuery{IDs: part}, func(w *tq.Whole) error {
			if our := ours[w.ID]; our == nil || !same(w, our) {
				return differs(w.ID, fmt.Errorf("in the source it is %s, here %s", text(w), text(our)))
			}
			return nil
		})
		if err != nil {
			return err
		}
		m.out.Compared += int64(len(part))
	}
	return nil
}

// same compares two values as they would be written to a file.
func same[T any](a, b *T) bool {
	return reflect.DeepEqual(a, b) || bytes.Equal(text(a), text(b))
}

func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}
