//go:build cgo

package store

import (
	"errors"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// troubleOf says what an error of SQLite is about.
func troubleOf(err error) trouble {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return none
	}
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return locked
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return broken
	case sqlite3.ErrFull:
		return full
	}
	if e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT {
		return full
	}
	switch e.Code {
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return unwritable
	}
	return other
}
