// Package artifact collects what an attempt left behind, as plain files that any
// tool can read, and later proves that they are still what they were.
//
// The files of each turn lie in turns/<n> of the attempt's folder; those of the
// newest finished turn also in the folder itself.
package artifact

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

// The names of the files that an attempt hands in.
const (
	Patch        = "diff.patch"         // base → tree, as git apply takes it
	Stat         = "stat.txt"           // the same as a table for people
	Tests        = "tests.txt"          // what the acceptance commands printed; ends with exit=N
	Notes        = "NOTES.md"           // as the agent left it at the top of its worktree
	Conversation = "conversation.jsonl" // a work.Entry a line
	Log          = "agent.log"          // raw standard output
	ErrLog       = "agent.err"          // raw standard error
	SetupLog     = "setup.log"          // of the attempt, not of a turn
	Record       = "attempt.json"       // of the attempt, too
)

// ofTurn are the files that each turn has, in the order in which people want
// them.
var ofTurn = []string{Patch, Stat, Tests, Notes, Conversation, Log, ErrLog}

// List returns the artifacts that are in the attempt's folder dir. A folder that
// is not there yet has none.
func List(dir string) ([]work.Artifact, error) {
	found := []work.Artifact{}
	for _, name := range append(ofTurn[:len(ofTurn):len(ofTurn)], SetupLog, Record) {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, work.Artifact{Name: name, Path: path, Size: info.Size()})
	}
	return found, nil
}

// WriteAtomic makes the file at path hold what write writes. Whoever reads it
// sees the old content or the new, and after a power cut one of the two; if
// write or the disk fails, the old one stays.
func WriteAtomic(path string, perm fs.FileMode, write func(io.Writer) error) error {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(perm))
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after the file is in place; else a dot file stays
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
