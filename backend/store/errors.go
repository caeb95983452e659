package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"offrun/backend/work"
)

// trouble is what an error of SQLite means to the user.
type trouble string

const (
	none       trouble = "" // no error of SQLite
	locked     trouble = "locked"
	full       trouble = "full"
	unwritable trouble = "unwritable"
	broken     trouble = "broken"
	other      trouble = "other"
)

func (db *DB) explain(err error) error { return explain(err, db.path) }

// explain gives an error of SQLite the text that people see. Every other error
// passes unchanged.
func explain(err error, path string) error {
	if _, done := errors.AsType[*work.Error](err); done {
		return err
	}
	switch what := troubleOf(err); {
	case what == full, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return work.Hide(work.Unavailable, err, "no space left for the database "+path).
			Do("Free some disk space; nothing that was recorded before is lost.")
	case what == unwritable, errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EROFS):
		return cannotWrite(err, path)
	case what == none:
		return err
	case what == locked:
		return inUse(err, path)
	case what == broken:
		return work.Hide(work.Unavailable, err, "the database "+path+" is damaged").
			Do("Restart Offrun: it moves the damaged file aside and rebuilds the database from the files.")
	}
	return fmt.Errorf("database %s: %w", path, err)
}

// damaged reports whether err says that the file is no database, or a broken one.
func damaged(err error) bool { return troubleOf(err) == broken || errors.Is(err, errCheck) }

// inUse names the process that keeps the database locked, where that can be told.
func inUse(err error, path string) error {
	who := "another program"
	if pid := lockHolder(path, path+"-shm"); pid != 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return work.Hide(work.Busy, err, fmt.Sprintf("the database %s is locked by %s", path, who)).
		Do("Close that program, then try again.")
}

func cannotWrite(err error, path string) error {
	return work.Hide(work.Unavailable, err, fmt.Sprintf("the database %s cannot be opened for writing", path)).
		Do(fmt.Sprintf("Make %s writable for you, or set OFFRUN_HOME to another folder.", filepath.Dir(path)))
}
