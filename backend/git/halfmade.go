package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"offrun/backend/work"
)

// ClearHalfMade removes what an AddWorktree of the same options left behind when
// it was killed in the middle (F05, F38): the folder, git's records of it, and the
// branch, unless it has moved on. What bears another mark is left alone and is a
// Conflict. It must only be called while no agent has worked there.
func (r Repo) ClearHalfMade(ctx context.Context, o WorktreeOptions) error {
	r, release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	o.Path = settle(o.Path)
	return r.discard(ctx, o)
}

// discard is ClearHalfMade with the lock held.
func (r Repo) discard(ctx context.Context, o WorktreeOptions) error {
	admin, err := r.adminOf(o.Path)
	if err != nil {
		return err
	}
	if admin != "" {
		if mark, err := readSmall(filepath.Join(admin, "locked")); err != nil || strings.TrimSpace(mark) != o.Mark {
			return work.Hide(work.Conflict, err, fmt.Sprintf("%s is not a worktree of this run", o.Path)).Do("See: git worktree list.")
		}
	}
	if err := discardFolder(o.Path, admin); err != nil {
		return err
	}
	if admin != "" {
		if err := os.RemoveAll(admin); err != nil {
			return err
		}
	}
	if o.Branch == "" {
		return nil
	}
	if id, sure := r.refNow("refs/heads/" + o.Branch); sure && id == "" {
		return nil // the usual case: nothing was ever made
	}
	_, err = r.run(ctx, "update-ref", "-d", "refs/heads/"+o.Branch, o.Commit)
	if err != nil && exitCode(err) > 0 {
		if has, hasErr := r.HasBranch(ctx, o.Branch); hasErr == nil && has {
			return fmt.Errorf("the branch %s is not where it was made: %w", o.Branch, err)
		}
		return nil // it was never made
	}
	return err
}

// adminOf returns the directory in which git keeps its records of the worktree at
// path, or "". It reads the files themselves: git leaves out what is half-made.
func (r Repo) adminOf(path string) (string, error) {
	dir := filepath.Join(r.GitDir, "worktrees")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		admin := filepath.Join(dir, e.Name())
		name, err := readSmall(filepath.Join(admin, "gitdir"))
		if err != nil {
			continue // being made by someone else at this moment, or broken
		}
		if absolute(admin, strings.TrimSuffix(name, "\n")) == filepath.Join(path, ".git") {
			return admin, nil
		}
	}
	return "", nil
}

// discardFolder removes a worktree's folder if its pointer names admin, or if it
// is empty: anything else at that path is not what AddWorktree made.
func discardFolder(path, admin string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return os.Remove(path)
	}
	if pointer, err := readPointer(filepath.Join(path, ".git")); err != nil || admin == "" || !sameFile(pointer, admin) {
		return work.Hide(work.Conflict, err, fmt.Sprintf("%s is not a worktree of this run", path)).Do("Look what it is, and move it away.")
	}
	return os.RemoveAll(path)
}
