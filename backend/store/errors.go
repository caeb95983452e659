package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"offrun/backend/work"
)

func (db *DB) explain(err error) error { return explain(err, db.path) }

// explain gives an error of SQLite the text that people see. Every other error
// passes unchanged.
func explain(err error, path string) error {
	if _, done := errors.AsType[*work.Error](err); done {
		return err
	}
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	switch {
	case e.Code == sqlite3.ErrBusy, e.Code == sqlite3.ErrLocked:
		return inUse(err, path)
	case e.Code == sqlite3.ErrFull, e.SystemErrno == syscall.ENOSPC, e.SystemErrno == syscall.EDQUOT:
		return work.Hide(work.Unavailable, err, "no space left for the database "+path).
			Do("Free some disk space; nothing that was recorded before is lost.")
	case e.Code == sqlite3.ErrReadonly, e.Code == sqlite3.ErrCantOpen, e.Code == sqlite3.ErrPerm, e.Code == sqlite3.ErrAuth:
		return work.Hide(work.Unavailable, err, "the database "+path+" cannot be opened for writing").
			Do(fmt.Sprintf("Make %s writable for you, or set OFFRUN_HOME to another folder.", filepath.Dir(path)))
	case damaged(err):
		return work.Hide(work.Unavailable, err, "the database "+path+" is damaged").
			Do("Restart Offrun: it moves the damaged file aside and rebuilds the database from the files.")
	}
	return fmt.Errorf("database %s: %w", path, err)
}

// damaged reports whether err says that the file is no database, or a broken one.
func damaged(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB) || errors.Is(err, errCheck)
}

// inUse names the process that keeps the database locked, where that can be told.
func inUse(err error, path string) error {
	who := "another program"
	if pid := lockHolder(path, path+"-shm"); pid != 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return work.Hide(work.Busy, err, fmt.Sprintf("the database %s is locked by %s", path, who)).
		Do("Close that program, then try again.")
}
