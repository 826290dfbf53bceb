package postgres

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The caller's transaction, of pgx or of database/sql with any driver. Drivers
// differ in how they take arrays, but all take text: so arrays go in as array
// literals.

type caller interface {
	exec(ctx context.Context, statement string, args ...any) (rows int64, err error)
	query(ctx context.Context, statement string, args []any, each func(scanner) error) error
}

// scanner is one row of a result.
type scanner interface{ Scan(into ...any) error }

type pgxCaller struct{ tx pgx.Tx }

func (c pgxCaller) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	done, err := c.tx.Exec(ctx, statement, args...)
	return done.RowsAffected(), err
}

func (c pgxCaller) query(ctx context.Context, statement string, args []any, each func(scanner) error) error {
	rows, err := c.tx.Query(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

type sqlCaller struct{ tx *sql.Tx }

func (c sqlCaller) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	done, err := c.tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

func (c sqlCaller) query(ctx context.Context, statement string, args []any, each func(scanner) error) (err error) {
	rows, err := c.tx.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// literal writes a list as an array literal of PostgreSQL.
func literal[T int64 | int32 | int16 | string | []byte](list []T) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		switch v := any(v).(type) {
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case int32:
			b.WriteString(strconv.FormatInt(int64(v), 10))
		case int16:
			b.WriteString(strconv.FormatInt(int64(v), 10))
		case []byte:
			b.WriteString(bytesLiteral(v))
		case string:
			b.WriteString(quoted(v))
		}
	}
	b.WriteByte('}')
	return b.String()
}

func bytesLiteral(v []byte) string {
	if v == nil {
		return "NULL"
	}
	return quoted(`\x` + hex.EncodeToString(v))
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
