package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"offrun/backend/work"
)

// RemoveOptions say under which conditions a worktree may go. Mark is required.
type RemoveOptions struct {
	Mark   string   // as AddWorktree was given it: what bears another is not ours
	Accept []string // git directories in the worktree that may go with it, as Survey named them; default: none

	// Before is called when every guard has passed, with what was found; its
	// error leaves everything as it is. Survey is zero if the folder is gone
	// already. nil means no objection.
	Before func(Survey) error
}

// Removed is what RemoveWorktree took away.
type Removed struct {
	Trash string // where it lies until EmptyTrash; "" if nothing was there any more
	Bytes int64  // on disk
}

// RemoveWorktree takes a worktree away: its folder and git's records of it move
// into the trash folder beside it, from where a person can still take them back.
//
// Only what passes every guard is touched (F94, F95): the folder lies directly in
// .worktrees of the main checkout and is reached without a symbolic link; git's
// records of it lie in the repository, name that folder and bear the mark; nothing
// in it is a git directory, a worktree or another file system. Otherwise the error
// is a Conflict, which is final: nothing is tried by other means (F89).
//
// Whether anything in it is worth keeping is for the caller to find out first. A
// removal that was cut off is finished by the same call.
func (r Repo) RemoveWorktree(ctx context.Context, w Worktree, o RemoveOptions) (Removed, error) {
	there, err := r.guard(w, o)
	if err != nil {
		return Removed{}, err
	}
	var found Survey
	if there {
		if found, err = w.Survey(ctx); err != nil {
			return Removed{}, err
		}
		if err := found.refuse(w, o.Accept); err != nil {
			return Removed{}, err
		}
	}
	if o.Before != nil {
		if err := o.Before(found); err != nil {
			return Removed{}, err
		}
	}
	r, release, err := r.lock(ctx)
	if err != nil {
		return Removed{}, err
	}
	defer release()
	if there, err = r.guard(w, o); err != nil {
		return Removed{}, err
	}
	trash, err := r.throwAway(w, o.Mark, there)
	if err != nil {
		return Removed{}, err
	}
	return Removed{Trash: trash, Bytes: found.Bytes}, stillThere(w.Path, w.Admin)
}

// guard checks that w is a worktree of ours in its place. there is false if only
// git's records of it are left, or nothing at all.
func (r Repo) guard(w Worktree, o RemoveOptions) (there bool, err error) {
	home := r.home()
	if o.Mark == "" || w.Path != filepath.Join(home, filepath.Base(w.Path)) || strings.HasPrefix(filepath.Base(w.Path), ".") {
		return false, notOurs(w.Path, "it does not lie in "+home)
	}
	if w.Admin != filepath.Join(r.GitDir, "worktrees", filepath.Base(w.Admin)) {
		return false, notOurs(w.Path, w.Admin+" is no worktree's record of "+r.GitDir)
	}
	if within(r.GitDir, w.Path) || within(r.Dir, w.Path) {
		return false, notOurs(w.Path, "it holds the repository itself")
	}
	for _, dir := range []string{home, w.Path, w.Admin} {
		real, err := filepath.EvalSymlinks(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || real != dir {
			return false, notOurs(w.Path, dir+" is not a folder, or leads elsewhere")
		}
	}
	return r.recorded(w, o.Mark)
}

// recorded checks git's own records of w.
func (r Repo) recorded(w Worktree, mark string) (there bool, err error) {
	_, err = os.Lstat(w.Path)
	there = err == nil
	if _, err := os.Lstat(w.Admin); errors.Is(err, fs.ErrNotExist) && !there {
		return false, nil
	}
	name, err := readSmall(filepath.Join(w.Admin, "gitdir"))
	if err != nil || absolute(w.Admin, strings.TrimSuffix(name, "\n")) != filepath.Join(w.Path, ".git") {
		return false, notOurs(w.Path, "git has no record of it in "+w.Admin)
	}
	locked, err := readSmall(filepath.Join(w.Admin, "locked"))
	if err != nil || strings.TrimSpace(locked) != mark {
		return false, notOurs(w.Path, "it bears another mark than ours")
	}
	return there, nil
}

// home is the folder that holds the worktrees of attempts.
func (r Repo) home() string { return filepath.Join(r.Dir, ".worktrees") }

// within reports whether path is dir or lies in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

func notOurs(path, why string) error {
	return work.Errorf(work.Conflict, "%s is left alone: %s", path, why).
		Do("If it can go, remove it by hand: git worktree list shows what git knows of it.")
}

// refuse returns an error if s found what must not be deleted.
func (s Survey) refuse(w Worktree, accept []string) error {
	if len(s.Mounts) > 0 {
		e := work.Errorf(work.Conflict, "%s is left alone: other file systems are mounted in it", w.Path).Do("Unmount them, and clean again.")
		e.List = s.Mounts
		return e
	}
	nested := slices.DeleteFunc(slices.Clone(s.Nested), func(n string) bool { return slices.Contains(accept, n) })
	if len(nested) > 0 {
		e := work.Errorf(work.Conflict, "%s is left alone: there are git repositories in it, whose commits may exist nowhere else", w.Path).
			Do("Move them out or delete them, and clean again.")
		e.List = nested
		return e
	}
	return nil
}

// throwAway moves the folder, if it is there, and git's records into a new entry
// of the trash. The folder goes first: a record without a folder is harmless, and
// tells the next call where to go on.
func (r Repo) throwAway(w Worktree, mark string, there bool) (string, error) {
	if _, err := os.Lstat(w.Admin); errors.Is(err, fs.ErrNotExist) && !there {
		return "", nil
	}
	entry, err := r.newTrash(trashed{Worktree: w.Path, Admin: w.Admin, Mark: mark, RemovedAt: time.Now().UTC()})
	if err != nil {
		return "", fmt.Errorf("prepare trash: %w", err)
	}
	tree := filepath.Join(entry, "tree")
	if there {
		if err := os.Rename(w.Path, tree); err != nil {
			return "", errors.Join(fmt.Errorf("move to trash: %w", err), os.RemoveAll(entry))
		}
	}
	err = os.Rename(w.Admin, filepath.Join(entry, "admin"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case errors.Is(err, syscall.EXDEV): // the repository lies on another disk than its checkout
		err = os.RemoveAll(w.Admin)
	}
	if err != nil && there {
		err = errors.Join(err, os.Rename(tree, w.Path))
	}
	_ = os.Remove(filepath.Join(r.GitDir, "worktrees")) // as git does, when it was the last one
	return entry, err
}

func stillThere(paths ...string) error {
	for _, p := range paths {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is still there after its removal: %w", p, err)
		}
	}
	return nil
}

// DeleteBranch deletes a branch of an attempt, if it still is at the commit at.
// Where there is no such branch, that is fine (F02). A Conflict means that it has
// moved, is checked out, or is not an attempt's.
func (r Repo) DeleteBranch(ctx context.Context, branch, at string) error {
	r, release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if !strings.HasPrefix(branch, "run/") {
		return work.Errorf(work.Conflict, "%s is not the branch of an attempt", branch)
	}
	if now, err := r.Ref(ctx, "refs/heads/"+branch); err != nil || now == "" {
		return err
	}
	all, err := r.Checkouts(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Branch == branch || c.Uses == branch {
			return work.Errorf(work.Conflict, "%s is checked out in %s", branch, c.Path).Do("Switch to another branch there, and clean again.")
		}
	}
	if _, err = r.run(ctx, "update-ref", "-d", "refs/heads/"+branch, at); strings.Contains(complaint(err), "but expected") {
		return work.Hide(work.Conflict, err, fmt.Sprintf("%s has moved since it was archived", branch)).Do("Clean again.")
	}
	return err
}
