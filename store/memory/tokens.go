package memory

import (
	"cmp"
	"context"
	"slices"

	tq "example.com/tq"
)

// Tokens lists the access tokens.
func (s *Store) Tokens(ctx context.Context) ([]tq.Token, error) {
	var out []tq.Token
	err := s.read(ctx, func(tq.Time) {
		for _, t := range s.tokens {
			out = append(out, t)
		}
	})
	slices.SortFunc(out, func(a, b tq.Token) int { return cmp.Compare(a.ID, b.ID) })
	return out, err
}

// SetToken puts, ends or drops access tokens, or notes their use.
func (s *Store) SetToken(ctx context.Context, c tq.TokenChange) error {
	return s.write(ctx, func(w *writer) error {
		if c.Put != nil {
			w.tokens[c.Put.ID] = *c.Put
		}
		if t, ok := w.tokens[c.End]; ok && (t.ExpiresAt.IsZero() || c.EndAt.Before(t.ExpiresAt.Time)) {
			t.ExpiresAt = c.EndAt
			w.tokens[c.End] = t
		}
		if t, ok := w.tokens[c.Used]; ok {
			t.UsedAt = c.UsedAt
			w.tokens[c.Used] = t
		}
		delete(w.tokens, c.Drop)
		if c.Act != "" {
			w.did(c.Act, "", c.Actor, tq.FactDetail{Note: c.Note})
		}
		return nil
	})
}
