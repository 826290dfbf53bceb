package sqlite

import (
	"errors"
	"time"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// fault turns an error of SQLite into one that a caller can act on: full disks,
// I/O errors and held locks pass, so they are unavailable; anything else is
// internal. Errors that are *tq.Error already stay as they are.
func fault(what string, err error) error {
	var known *tq.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	switch zs.ErrCode(err).ToPrimary() {
	case zs.ResultFull:
		return passing(tq.Errorf(tq.CodeUnavailable, "%s: the disk is full: %w", what, err),
			"free some space; nothing was lost and no restart is needed")
	case zs.ResultIOErr, zs.ResultCantOpen, zs.ResultReadOnly, zs.ResultNoMem, zs.ResultPerm, zs.ResultAuth:
		return passing(tq.Errorf(tq.CodeUnavailable, "%s: %w", what, err),
			"look after the disk and the rights of the file, then try again")
	case zs.ResultBusy, zs.ResultLocked, zs.ResultProtocol, zs.ResultInterrupt:
		return passing(tq.Errorf(tq.CodeUnavailable, "%s: another process keeps the file locked: %w", what, err),
			"try again; a stopped process or an open sqlite3 shell may be in the way")
	case zs.ResultCorrupt, zs.ResultNotADB:
		return tq.Errorf(tq.CodeInternal, "%s: the file is damaged: %w", what, err).
			WithHint("run tq check, and restore a backup if it agrees")
	}
	return tq.Errorf(tq.CodeInternal, "%s: %w", what, err)
}

// passing marks an error as one that goes by: when to try again, and what may
// help meanwhile.
func passing(e *tq.Error, hint string) *tq.Error {
	e = e.WithHint("%s", hint)
	e.RetryAfter = time.Second
	return e
}

// poisons reports whether err of one statement ends the whole transaction, not
// only the operation that met it.
func poisons(err error) bool { return poisonous(zs.ErrCode(err)) }

func poisonous(code zs.ResultCode) bool {
	switch code.ToPrimary() {
	case zs.ResultFull, zs.ResultIOErr, zs.ResultCantOpen, zs.ResultReadOnly, zs.ResultNoMem,
		zs.ResultBusy, zs.ResultLocked, zs.ResultProtocol, zs.ResultCorrupt, zs.ResultNotADB:
		return true
	}
	return false
}
