package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"offrun/backend/git"
	"offrun/backend/work"
)

// Verify looks at the artifacts of an archived run and returns what is wrong
// with them: a file that is missing or is not the one that was collected, a
// patch that does not turn the base into the stored tree. A sound run has no
// findings.
func Verify(ctx context.Context, repo git.Repo, run work.Run) []work.Finding {
	v := verifying{repo: repo, run: &run}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		dir := filepath.Join(repo.Dir, "runs", string(run.ID), string(a.Name))
		for j := range a.Turns {
			// A turn whose agent never began has the result of the one before.
			if t := &a.Turns[j]; t.Result != nil && (j == 0 || a.Turns[j-1].Result == nil || a.Turns[j-1].Result.Ref != t.Result.Ref) {
				v.turn(ctx, TurnDir(dir, t.N), t.Result)
			}
		}
		if t := a.Turn(); t != nil && t.Result != nil && t.EndedAt != nil {
			v.files(dir, t.Result)
		}
	}
	return v.found
}

// verifying is a look at a run, and what it has found so far.
type verifying struct {
	repo  git.Repo
	run   *work.Run
	found []work.Finding
}

// turn checks the files of a turn, and its patch if the file is sound.
func (v *verifying) turn(ctx context.Context, dir string, r *work.Result) {
	if !v.files(dir, r) || ctx.Err() != nil {
		return
	}
	path := filepath.Join(dir, Patch)
	if err := v.repo.VerifyPatch(ctx, v.run.Base, r.Tree, path); err != nil {
		text := "does not turn the base into the tree that was collected: " + err.Error()
		v.problem(path, text, "See whether the result is still kept: git cat-file -t "+r.Ref)
	}
}

// files checks the files in dir by their hashes, and reports whether the patch is
// the one that was collected.
func (v *verifying) files(dir string, r *work.Result) (sound bool) {
	sound = v.file(filepath.Join(dir, Patch), r.Patch, r)
	if r.Log != "" {
		v.file(filepath.Join(dir, Log), r.Log, r)
	}
	if r.HasNotes {
		v.file(filepath.Join(dir, Notes), r.Notes, r)
	}
	return sound
}

func (v *verifying) file(path, want string, r *work.Result) bool {
	got, err := hashOf(path)
	next := "Restore the file from a backup. The result itself is kept in git as " + r.Ref + "."
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.problem(path, "is missing", next)
	case err != nil:
		v.problem(path, "cannot be read: "+err.Error(), next)
	case got != want:
		v.problem(path, fmt.Sprintf("is not what was collected: its SHA-256 is %.12s…, not %.12s…", got, want), next)
	default:
		return true
	}
	return false
}

func (v *verifying) problem(path, text, next string) {
	name := path
	if rel, err := filepath.Rel(v.repo.Dir, path); err == nil {
		name = rel
	}
	v.found = append(v.found, work.Finding{
		Check: "run " + string(v.run.ID), Level: work.Problem, File: name, Text: filepath.Base(path) + " " + text, Next: next,
	})
}

// Heads returns the beginning of each changed file as it was before, by path, for
// telling generated files. New files, files over 1 MB and those that cannot be
// read are left out.
func Heads(ctx context.Context, repo git.Repo, changes []work.Change) map[string]string {
	const most, head = 1 << 20, 2 << 10
	heads := map[string]string{}
	blobs := repo.Blobs(ctx)
	defer blobs.Close() // it only reads
	for _, c := range changes {
		if c.Old == "" || c.Added < 0 || !strings.HasPrefix(c.OldMode, "100") {
			continue
		}
		if text, err := blobs.Read(c.Old, most); err == nil {
			heads[c.Path] = string(text[:min(len(text), head)])
		}
	}
	return heads
}
