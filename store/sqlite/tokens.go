package sqlite

import (
	"context"
	"encoding/json"

	"example.com/tq"
)

const (
	selectTokens = `select id, name, hash, rights, created_at, created_by, expires_at, used_at from tokens order by id`
	insertToken  = `insert into tokens (id, name, hash, rights, created_at, created_by, expires_at, used_at)
		values (?, ?, ?, ?, ?, ?, ?, 0)`
	endToken  = `update tokens set expires_at = ?2 where id = ?1 and (expires_at = 0 or expires_at > ?2)`
	useToken  = `update tokens set used_at = ?2 where id = ?1`
	dropToken = `delete from tokens where id = ?`
)

// Tokens lists the access tokens.
func (s *Store) Tokens(ctx context.Context) ([]tq.Token, error) {
	var out []tq.Token
	err := s.read(ctx, func(c *conn) error {
		q := c.sql(selectTokens)
		for q.next() {
			t := tq.Token{
				ID: q.colText(0), Name: q.colText(1), CreatedAt: tq.FromMilli(q.colInt(4)), CreatedBy: q.colText(5),
				ExpiresAt: instantOf(q.colInt(6)), UsedAt: instantOf(q.colInt(7)),
			}
			copy(t.Hash[:], q.colBytes(2))
			if err := readJSON(q.colText(3), &t.Rights); err != nil {
				return join(err, q.end())
			}
			out = append(out, t)
		}
		return q.end()
	})
	return out, err
}

func instantOf(ms int64) tq.Time {
	if ms == 0 {
		return tq.Time{}
	}
	return tq.FromMilli(ms)
}

func instant(t tq.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// SetToken puts, ends or drops access tokens, or notes their use.
func (s *Store) SetToken(ctx context.Context, c tq.TokenChange) error {
	return s.write(ctx, 0, func(n *turn) error {
		if err := n.putToken(c.Put); err != nil {
			return err
		}
		for _, change := range []struct {
			id string
			q  func() *stmt
		}{
			{c.End, func() *stmt { return n.c.sql(endToken).text(c.End).int(instant(c.EndAt)) }},
			{c.Used, func() *stmt { return n.c.sql(useToken).text(c.Used).int(instant(c.UsedAt)) }},
			{c.Drop, func() *stmt { return n.c.sql(dropToken).text(c.Drop) }},
		} {
			if change.id == "" {
				continue
			}
			if err := n.exec(change.q()); err != nil {
				return err
			}
		}
		if c.Act == "" {
			return nil
		}
		return n.did(c.Act, "", c.Actor, tq.FactDetail{Note: c.Note})
	})
}

func (n *turn) putToken(t *tq.Token) error {
	if t == nil {
		return nil
	}
	rights, err := json.Marshal(t.Rights)
	if err != nil {
		return err
	}
	return n.exec(n.c.sql(insertToken).text(t.ID).text(t.Name).blob(t.Hash[:]).text(string(rights)).
		int(instant(t.CreatedAt)).text(t.CreatedBy).int(instant(t.ExpiresAt)))
}
