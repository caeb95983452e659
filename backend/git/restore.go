package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"offrun/backend/work"
)

// Restore sets the files of the worktree to those of tree, a full tree that was
// taken there before. What they are now is kept first under ref, unless ref is
// there already: then an earlier call was interrupted, and what ref holds is what
// was there before it. Ignored files stay, and so do HEAD and the index.
//
// It is judged by its outcome: the error is a Conflict if the worktree does not
// hold tree afterwards.
func (w Worktree) Restore(ctx context.Context, base, tree, ref, message string) (err error) {
	now, err := w.Snapshot(ctx, SnapshotOptions{Base: base})
	if err != nil {
		return err
	}
	if len(now.Skipped) > 0 {
		e := work.Errorf(work.Conflict, "some files in %s cannot be read, and would be lost", w.Path).Do("Make them readable, or move them away.")
		e.List = now.Skipped
		return e
	}
	kept, err := w.Repo.Ref(ctx, ref)
	if err != nil {
		return err
	}
	if kept == "" {
		if _, err := w.Repo.Keep(ctx, ref, now.Full, []string{base}, message); err != nil {
			return err
		}
	}
	if now.Full == tree {
		return nil
	}
	dir, err := os.MkdirTemp("", "offrun-index-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	git := w.private(filepath.Join(dir, "index"))
	if _, err := git.run(ctx, "read-tree", now.Full); err != nil {
		return err
	}
	// Without the sizes and times of the files, git would take each for changed.
	if _, err := git.run(ctx, "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	if _, err := git.run(ctx, "read-tree", "-m", "-u", now.Full, tree); err != nil {
		return work.Hide(work.Conflict, err, fmt.Sprintf("the files of %s could not be set back", w.Path)).
			Do("Nothing is lost: what lay there is kept at " + ref + ".")
	}
	after, err := w.Snapshot(ctx, SnapshotOptions{Base: base})
	if err == nil && after.Full != tree {
		err = work.Errorf(work.Conflict, "%s does not hold what that turn left, although git set it back", w.Path).
			Do("See what differs with git status there; what lay there before is kept at " + ref + ".")
	}
	return err
}
