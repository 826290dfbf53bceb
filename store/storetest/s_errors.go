package storetest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"example.com/tq"
)

// Spec §9: one code everywhere, and a message that says what to do.

func errorPromises() []promise {
	return []promise{
		{"S03 §9 every refusal has its code, its family and a sentence", codes},
		{"S26 §9 every refusal of a value names field and limit, and stays short", refusalsAreShort},
	}
}

// names fails the test unless e points at that field and says these words.
func (q *Queue) names(e tq.Error, pointer string, words ...string) {
	q.t.Helper()
	if !slices.ContainsFunc(e.Errors, func(f tq.FieldError) bool { return f.Pointer == pointer && f.Detail != "" }) {
		q.t.Fatalf("%q points at %+v, want %s", e.Message, e.Errors, pointer)
	}
	q.contains("the refusal", e.Message, words...)
	if len(e.Message) > 500 {
		q.t.Fatalf("a message of %d bytes: %.80s…", len(e.Message), e.Message)
	}
}

func (q *Queue) contains(what, text string, words ...string) {
	q.t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			q.t.Fatalf("%s %q does not say %q", what, text, w)
		}
	}
}

func codes(q *Queue) {
	c, done := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.complete(done, `1`)
	q.enqueue(keyed("k"))
	other := keyed("k")
	other.Priority, other.OnMismatch = 1, tq.MismatchError
	enqueue := func(n tq.NewTask) error { _, err := q.tryEnqueue(n); return err }
	stale := c
	stale.LeaseToken = tq.SignToken(make([]byte, 32), c.ID, c.Epoch)
	row := func(e *tq.Error) error {
		if e == nil {
			return nil
		}
		return e
	}
	_, notFound := q.Client.Task(q.ctx(), tq.TaskIn{ID: 4711})
	for code, refusal := range map[tq.Code]struct {
		err    error
		family error
	}{
		tq.CodeInvalid:             {enqueue(tq.NewTask{Priority: 1 << 20}), tq.ErrInvalid},
		tq.CodeTooLarge:            {enqueue(tq.NewTask{Payload: quoted(tq.MaxPayload + 1)}), tq.ErrTooLarge},
		tq.CodeUnknownDependency:   {enqueue(tq.NewTask{Deps: []tq.Ref{"4711"}}), tq.ErrInvalid},
		tq.CodeIdempotencyMismatch: {enqueue(other), tq.ErrConflict},
		tq.CodeNotFound:            {notFound, tq.ErrNotFound},
		tq.CodeInvalidState:        {row(q.tryDelete(c.ID).Error), tq.ErrConflict},
		tq.CodeAlreadySettled:      {row(q.tryComplete(done, `2`).Error), tq.ErrConflict},
		tq.CodeLeaseLost:           {row(q.tryComplete(stale, `2`).Error), tq.ErrLeaseLost},
	} {
		e := q.refused(string(code), refusal.err, code)
		if !errors.Is(refusal.err, refusal.family) {
			q.t.Errorf("%s is not %v", code, refusal.family)
		}
		if e.Message == "" || strings.Contains(e.Message, "\n") || strings.HasSuffix(e.Message, ".") {
			q.t.Errorf("%s: %q is no plain sentence", code, e.Message)
		}
		if e.Hint == "" && code != tq.CodeInvalid { // there the range is the hint
			q.t.Errorf("%s: %q does not say what to do", code, e.Message)
		}
		var back tq.Error
		b, err := json.Marshal(e)
		q.must("write down the refusal", err)
		q.must("read the refusal", json.Unmarshal(b, &back))
		same(q, "over the wire", []any{back.Code, back.Message, back.Hint, back.Reason}, []any{e.Code, e.Message, e.Hint, e.Reason})
	}
}

func refusalsAreShort(q *Queue) {
	long := strings.Repeat("a long value ", 100_000)
	for _, n := range []tq.NewTask{
		{Queue: long},
		{Type: long},
		{Project: long},
		{Tags: []string{long}},
		{IdempotencyKey: long},
		{OnDepFailure: tq.OnDepFailure(long)},
		{Deps: []tq.Ref{tq.Ref(long)}},
		{KeyUntil: tq.KeyUntil(long)},
	} {
		_, err := q.tryEnqueue(n)
		e := q.refused("enqueue", err, tq.CodeInvalid)
		if b, err := json.Marshal(e); err != nil || len(b) > 1_000 {
			q.t.Errorf("a refusal of %d bytes: %.80s… (%v)", len(b), b, err)
		}
	}
}
