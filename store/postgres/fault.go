package postgres

import (
	"context"
	"errors"
	"io"
	"net"

	"example.com/tq"
	"github.com/jackc/pgx/v5/pgconn"
)

// What an error of the server or of the network means.

// errLost says that a row was not where it was read: another transaction was
// first, and this one is run again.
var errLost = errors.New("somebody else was first")

// again reports whether a transaction that ended with err is worth another try:
// a row was not where it was read (a division by zero says so, see collect.go),
// two wrote the same revision or key, or met in a deadlock. Who has waited for a
// lock for as long as lock_timeout says does not wait again.
func again(err error) bool {
	if errors.Is(err, errLost) {
		return true
	}
	switch codeOf(err) {
	case "22012", "23505", "40001", "40P01":
		return true
	}
	return false
}

// gone reports whether the server at the other end is not, or no longer, one to
// write to: it stops, starts, has become a replica, or has ended a session that
// rested in a transaction for too long.
func gone(err error) bool {
	switch codeOf(err) {
	case "57P01", "57P02", "57P03", "25006", "25P03":
		return true
	}
	return false
}

// lost reports whether the server could not be asked at all; a commit that was
// on its way has its own error.
func lost(err error) bool {
	var known *tq.Error
	var network net.Error
	var connect *pgconn.ConnectError
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case gone(err), errors.As(err, &connect), errors.As(err, &network), pgconn.SafeToRetry(err):
		return true
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// refused reports whether the server, or we, said no before the commit. One
// that goes away says so at any moment, also when it has committed.
func refused(err error) bool {
	code := codeOf(err)
	return errors.Is(err, errLost) || code == "25006" || code == "25P03" || code != "" && !gone(err)
}

// codeOf is the server's code for err, "" when it is not the server's.
func codeOf(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// fault turns an error of the server or the network into one that a caller can
// act on.
func fault(what string, err error) error {
	var known *tq.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errLost):
		return tq.Errorf(tq.CodeUnavailable, "%s: %w", what, err).WithHint("try again; nothing was changed")
	case lost(err) && codeOf(err) == "":
		return tq.Errorf(tq.CodeUnavailable, "%s: the database cannot be reached: %w", what, err).
			WithHint("look after the server; tq tries again by itself")
	case codeOf(err) == "":
		return tq.Errorf(tq.CodeInternal, "%s: %w", what, err)
	}
	switch codeOf(err) {
	case "53100":
		return tq.Errorf(tq.CodeUnavailable, "%s: the server's disk is full: %w", what, err).
			WithHint("free some space there; nothing was changed, and no restart is needed")
	case "53300":
		return tq.Errorf(tq.CodeUnavailable, "%s: the server takes no more connections: %w", what, err).WithHint(moreConns)
	}
	switch codeOf(err)[:2] {
	case "08", "53", "57", "58", "25", "40", "55":
		return tq.Errorf(tq.CodeUnavailable, "%s: %w", what, err).WithHint("try again; nothing was changed")
	case "28", "3D", "42":
		return tq.Errorf(tq.CodeUnavailable, "%s: %w", what, err).
			WithHint("look at the user, its rights and the name of the database in the address")
	}
	return tq.Errorf(tq.CodeInternal, "%s: %w", what, err)
}
