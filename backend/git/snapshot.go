package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offrun/backend/work"
)

// SnapshotOptions say how a snapshot is taken. Base is required.
type SnapshotOptions struct {
	Base    string   // commit that the attempt started from
	Index   string   // file of a private index that is kept from one snapshot to the next, which is faster; "" means none is kept
	Objects string   // scratch object folder, made if need be; "" means the repository's own store, for keeps
	Notes   string   // "land": NOTES.md is part of Tree; default: it is not
	Scratch []string // paths of ours, with slashes, that are no part of Tree
}

// A Snapshot is all that lies in a worktree, as trees.
type Snapshot struct {
	Full  string // tree of everything that is not ignored
	Tree  string // the same, with root NOTES.md, .offrun and our scratch as they are in the base
	Files int    // that differ between base and Tree

	// The following are found only if the snapshot is for keeps.
	Head    string   // commit at HEAD; "" on a branch without one
	Branch  string   // that HEAD names; "" if detached (F37)
	Ignored []string // ignored files, and folders with a closing slash, first 200

	Unmerged   bool     // a merge has left conflicts; the files hold their markers
	Unfinished string   // what git is in the middle of: "merge", "rebase", "cherry-pick", "revert"; or ""
	Nested     []string // folders that are repositories of their own: their files are part of Full, their history is not (F32)
	Submodules []string // what is changed in submodules, and not part of Full: "lib: 2 changed files" (F20)
	TooBig     string   // dependency folders that nobody ignored and that were left out: "node_modules (29700 files)"; or ""
	Skipped    []string // what git said about files that it could not read, or filters that failed
	Born       []string // paths that git takes for changed although nobody touched them; not part of Full (F24)
}

// Snapshot records what is in the worktree now: committed, staged, unstaged and
// untracked files alike (F48, F49). It works on a copy of the worktree's index,
// so that the agent's own is not disturbed and its lock does not matter (F10).
//
// Files that git cannot read are left out and named; the rest is taken.
//
// It reads the shared configuration, and runs filters that are configured there:
// look at SharedFingerprint first (S09).
func (w Worktree) Snapshot(ctx context.Context, o SnapshotOptions) (_ Snapshot, err error) {
	if _, err := os.Stat(w.Path); err != nil {
		return Snapshot{}, work.Hide(work.NotFound, err, fmt.Sprintf("the worktree %s is gone", w.Path)).
			Do("What was collected before is kept; start another attempt.")
	}
	if o.Objects != "" {
		if err := os.MkdirAll(o.Objects, 0o700); err != nil {
			return Snapshot{}, err
		}
		w.Repo = w.Repo.WithObjects(o.Objects)
	}
	index := o.Index
	if index == "" {
		dir, err := os.MkdirTemp("", "offrun-index-")
		if err != nil {
			return Snapshot{}, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		index = filepath.Join(dir, "index")
	}
	t := &taking{Worktree: w, o: o, index: index, git: w.private(index)}
	if o.Objects != "" { // what nobody keeps need be neither small nor safe
		t.git = t.git.set("core.fsync", "none").set("core.looseCompression", "0")
	}
	if err := t.take(ctx); err != nil {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	return t.s, nil
}

// taking is a snapshot on its way.
type taking struct {
	Worktree
	o     SnapshotOptions
	index string
	git   call // on the private index

	unborn bool // there are repositories without a commit
	s      Snapshot
}

func (t *taking) take(ctx context.Context) error {
	es, err := t.readIndex(ctx, t.index, t.o.Base)
	if err != nil {
		return err
	}
	if err := t.unhideAll(ctx, es); err != nil {
		return err
	}
	t.s.Unmerged = slices.ContainsFunc(es, func(e entry) bool { return e.stage != '0' })
	operation, err := underway(t.Admin)
	if err != nil {
		return err
	}
	t.s.Unfinished = strings.TrimPrefix(operation, "a ")
	left, err := t.leaveOut(ctx, es)
	if err != nil {
		return err
	}
	if err := t.addAll(ctx, left); err != nil {
		return err
	}
	changes, err := t.writeFull(ctx)
	if err != nil {
		return err
	}
	if changes, err = t.addNested(ctx, changes); err != nil {
		return err
	}
	if changes, err = t.subtractBorn(ctx, changes); err != nil {
		return err
	}
	if err := t.writeTree(ctx, changes); err != nil || t.o.Objects != "" {
		return err
	}
	return t.describe(ctx)
}

// unhideAll undoes what would hide changes from git.
func (t *taking) unhideAll(ctx context.Context, es []entry) error {
	if !slices.ContainsFunc(es, func(e entry) bool { return e.tag == 'S' || e.tag >= 'a' }) {
		return nil
	}
	sparse, err := t.line(ctx, "config", "--type=bool", "--get", "core.sparseCheckout")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	return t.git.unhide(ctx, es, sparse == "true")
}

// addAll brings the private index to what is in the worktree, but for the paths
// that are left out.
func (t *taking) addAll(ctx context.Context, left []string) error {
	args := []string{"add", "-A", "--ignore-errors", "--sparse"}
	c := t.git
	var in []byte
	if len(left) > 0 {
		in = pathspecs(left)
		c = c.with("GIT_LITERAL_PATHSPECS=0")
		args = append(args, "--pathspec-from-file=-", "--pathspec-file-nul")
	}
	_, failed, err := c.despite(ctx, in, args...)
	for _, name := range failed {
		t.s.Skipped = append(t.s.Skipped, fmt.Sprintf("the filter %q failed: files were taken without it", name))
		t.git = t.git.filterOff(name)
	}
	if exitCode(err) == 1 {
		t.skip(complaint(err))
		return nil
	}
	return err
}

// pathspecs stand for everything but some paths.
func pathspecs(but []string) []byte {
	specs := ".\x00"
	for _, path := range but {
		specs += ":(exclude,top,literal)" + path + "\x00"
	}
	return []byte(specs)
}

// skip reads what git says about files that it did not add. Repositories without
// a commit are among them: their files are added in another way.
func (t *taking) skip(said string) {
	for line := range strings.Lines(said) {
		text, isError := strings.CutPrefix(strings.TrimSpace(line), "error: ")
		switch {
		case strings.Contains(line, "does not have a commit checked out"):
			t.unborn = true
		case isError:
			t.s.Skipped = append(t.s.Skipped, text)
		}
	}
}
