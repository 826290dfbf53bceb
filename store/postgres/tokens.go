package postgres

import (
	"context"
	"encoding/json"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	selectTokens = `select id, name, hash, rights, created_at, created_by, expires_at, used_at from tq.tokens order by id`
	insertToken  = `insert into tq.tokens (id, name, hash, rights, created_at, created_by, expires_at, used_at)
		values ($1, $2, $3, $4, $5, $6, $7, 0)`
	endToken  = `update tq.tokens set expires_at = $2 where id = $1 and (expires_at = 0 or expires_at > $2)`
	useToken  = `update tq.tokens set used_at = $2 where id = $1`
	dropToken = `delete from tq.tokens where id = $1`
)

// Tokens lists the access tokens.
func (s *Store) Tokens(ctx context.Context) ([]tq.Token, error) {
	var out []tq.Token
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, s.texts.of(selectTokens))
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, scanToken)
		return err
	})
	return out, err
}

func scanToken(rows pgx.CollectableRow) (tq.Token, error) {
	var t tq.Token
	var hash []byte
	var rights string
	var created, expires, used int64
	if err := rows.Scan(&t.ID, &t.Name, &hash, &rights, &created, &t.CreatedBy, &expires, &used); err != nil {
		return t, err
	}
	copy(t.Hash[:], hash)
	t.CreatedAt = tq.FromMilli(created)
	if expires != 0 {
		t.ExpiresAt = tq.FromMilli(expires)
	}
	if used != 0 {
		t.UsedAt = tq.FromMilli(used)
	}
	return t, readJSON(rights, &t.Rights)
}

// SetToken puts, ends or drops access tokens, or notes their use.
func (s *Store) SetToken(ctx context.Context, c tq.TokenChange) error {
	return s.write(ctx, nil, func(w *work) error {
		b := new(pgx.Batch)
		if t := c.Put; t != nil {
			rights, err := json.Marshal(t.Rights)
			if err != nil {
				return err
			}
			b.Queue(w.texts.of(insertToken), t.ID, t.Name, t.Hash[:], string(rights), instant(t.CreatedAt), t.CreatedBy, instant(t.ExpiresAt))
		}
		if c.End != "" {
			b.Queue(w.texts.of(endToken), c.End, instant(c.EndAt))
		}
		if c.Used != "" {
			b.Queue(w.texts.of(useToken), c.Used, instant(c.UsedAt))
		}
		if c.Drop != "" {
			b.Queue(w.texts.of(dropToken), c.Drop)
		}
		if err := w.conn.SendBatch(w.ctx, b).Close(); err != nil || c.Act == "" {
			return err
		}
		return w.did(c.Act, "", c.Actor, tq.FactDetail{Note: c.Note})
	})
}

func instant(t tq.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
