package sqlite

import (
	"errors"

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
	code := zs.ErrCode(err)
	switch code.ToPrimary() {
	case zs.ResultFull:
		return tq.Errorf(tq.CodeUnavailable, "%s: the disk is full: %w", what, err).
			WithHint("free some space; nothing was lost and no restart is needed")
	case zs.ResultIOErr, zs.ResultCantOpen, zs.ResultReadOnly, zs.ResultNoMem, zs.ResultPerm, zs.ResultAuth:
		return tq.Errorf(tq.CodeUnavailable, "%s: %w", what, err).
			WithHint("look after the disk and the rights of the file, then try again")
	case zs.ResultBusy, zs.ResultLocked, zs.ResultProtocol, zs.ResultInterrupt:
		return tq.Errorf(tq.CodeUnavailable, "%s: another process keeps the file locked: %w", what, err).
			WithHint("try again; a stopped process or an open sqlite3 shell may be in the way")
	case zs.ResultCorrupt, zs.ResultNotADB:
		return tq.Errorf(tq.CodeInternal, "%s: the file is damaged: %w", what, err).
			WithHint("run tq check, and restore a backup if it agrees")
	}
	return tq.Errorf(tq.CodeInternal, "%s: %w", what, err)
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
