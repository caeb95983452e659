// Package archive knows where the files of a run lie and what is in them. They
// are the truth: the database is an index of them and can be rebuilt.
//
//	runs/<run>/card.md run.json          the card and the settings, as frozen
//	runs/<run>/before.json shared/       what the shared part of the repository was
//	runs/<run>/<attempt>/attempt.json    its facts; the artifacts beside it
//	runs/<run>/<attempt>/turns/<n>/      the files of each turn; memory/ has its notes
package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

// Run returns the folder of a run in the project at root.
func Run(root string, run work.RunID) string { return filepath.Join(root, "runs", string(run)) }

// Attempt returns the folder of an attempt.
func Attempt(root string, run work.RunID, name work.AttemptName) string {
	return filepath.Join(Run(root, run), string(name))
}

// Turn returns the folder of turn n of the attempt whose folder is given.
func Turn(attempt string, n int) string { return filepath.Join(attempt, "turns", strconv.Itoa(n)) }

// Inbox returns the folder where answers to the questions of turn n lie.
func Inbox(attempt string, n int) string { return filepath.Join(Turn(attempt, n), "inbox") }

// Answer returns the file in an inbox that answers the question called id.
func Answer(inbox, id string) string { return filepath.Join(inbox, id+".json") }

// Before returns the file that says what the shared part of the repository was
// when the run started, and Shared the folder with copies of its configuration.
func Before(root string, run work.RunID) string { return filepath.Join(Run(root, run), "before.json") }

// Shared returns the folder of those copies.
func Shared(root string, run work.RunID) string { return filepath.Join(Run(root, run), "shared") }

// PutRun writes run.json, without the attempts.
func PutRun(root string, run work.Run) error {
	run.Attempts = nil
	return Put(filepath.Join(Run(root, run.ID), "run.json"), run)
}

// PutAttempt writes attempt.json.
func PutAttempt(root string, a work.Attempt) error {
	a.Live = nil
	return Put(filepath.Join(Attempt(root, a.Run, a.Name), "attempt.json"), a)
}

// Put writes v as JSON: whoever reads the file sees the old one or the new one,
// whole. Nobody but its owner reads it: settings hold secrets, and so do the words
// of agents.
func Put(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(path, append(b, '\n'), 0o600)
}

// Load reads v from JSON.
func Load(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// LoadRun reads a run and its attempts, in the order in which they were asked for.
// A folder without run.json is a start that never happened: fs.ErrNotExist.
func LoadRun(root string, id work.RunID) (work.Run, error) {
	var run work.Run
	dir := Run(root, id)
	if err := Load(filepath.Join(dir, "run.json"), &run); err != nil {
		return run, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "attempt.json"))
	if err != nil {
		return run, err
	}
	run.Attempts = nil
	for _, f := range files {
		var a work.Attempt
		if err := Load(f, &a); err != nil {
			return run, err
		}
		run.Attempts = append(run.Attempts, a)
	}
	slices.SortStableFunc(run.Attempts, func(x, y work.Attempt) int { return x.QueuedAt.Compare(y.QueuedAt) })
	return run, nil
}

// Runs lists the runs that have a folder in the project at root, oldest first by
// name. A project without runs has none.
func Runs(root string) ([]work.RunID, error) {
	entries, err := os.ReadDir(filepath.Join(root, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []work.RunID
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, work.RunID(e.Name()))
		}
	}
	return ids, nil
}
