package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"offrun/backend/work"
)

// A Move takes a branch from one commit to another.
type Move struct {
	Branch   string // a local one
	From, To string // full ids of commits
	Log      string // what the reflog says, "offrun: land …"; "" means "offrun: move"
	Again    bool   // the same was begun before and may have been cut off: files that already are as in To are no obstacle
}

func (m Move) log() string { return cmp.Or(m.Log, "offrun: move") }

// FastForward moves a branch to a descendant of its tip, and returns the checkout
// that moved along, or "" if the branch is checked out nowhere.
//
// Either both move or nothing does. Changes in the checkout, staged or not, stay
// as they are; where they concern a path that the move would write, the error is a
// Conflict that lists them (F92, F100). A branch that is no longer at From is a
// Conflict too, and so is one that cannot be moved where it is checked out (F97).
// A branch is never moved under a checkout (F98). Busy means that a git at work
// there holds a lock.
//
// The move is one git process: it is finished even if we are killed meanwhile.
func (r Repo) FastForward(ctx context.Context, m Move) (checkout string, err error) {
	return r.move(ctx, m, func(c call) error {
		// The flags overrule branch.<name>.mergeOptions and merge.*, which could
		// stash, squash, or add commits of their own.
		_, err := c.with("GIT_REFLOG_ACTION="+m.log()).run(ctx, "merge", "--ff-only", "--commit", "--no-squash",
			"--no-autostash", "--no-overwrite-ignore", "--no-verify-signatures", "--no-stat", "--quiet", m.To)
		return err
	})
}

// SetBack moves a branch to any other commit, as FastForward does with a
// descendant. If it is cut off between the checkout and the branch, the same call
// with Again finishes it.
func (r Repo) SetBack(ctx context.Context, m Move) (checkout string, err error) {
	return r.move(ctx, m, func(c call) error {
		if err := twoWay(ctx, c, m.From, m.To); err != nil {
			return err
		}
		return r.swap(ctx, c, m)
	})
}

// move finds the one place where the branch can be moved and does it there with
// inCheckout, or by ref alone if it is checked out nowhere.
func (r Repo) move(ctx context.Context, m Move, inCheckout func(call) error) (string, error) {
	r, release, err := r.lock(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	if tip, err := r.Resolve(ctx, "refs/heads/"+m.Branch); err != nil {
		return "", err
	} else if tip != m.From {
		return "", moved(m, nil)
	}
	place, err := r.placeOf(ctx, m.Branch)
	if err != nil {
		return "", err
	}
	if place.Path == "" {
		return "", r.swap(ctx, r.at(), m)
	}
	arrived, err := r.clearWay(ctx, place, m)
	if err != nil {
		return "", err
	}
	if arrived { // it was cut off when only the branch was left to move
		inCheckout = func(c call) error { return r.swap(ctx, c, m) }
	}
	// One file after the other, so that a git that is killed leaves few half-way.
	if err := inCheckout(r.in(place).set("checkout.workers", "1")); err != nil {
		return "", errors.Join(refused(place, err), r.takeBack(context.WithoutCancel(ctx), place, m))
	}
	return place.Path, r.arrived(ctx, place, m)
}

// Clear returns the error that m would be refused with in the checkout of its
// branch, or nil. m.To may be a tree. Nothing is touched.
func (r Repo) Clear(ctx context.Context, m Move) error {
	place, err := r.placeOf(ctx, m.Branch)
	if err != nil || place.Path == "" {
		return err
	}
	m.Again = false
	_, err = r.clearWay(ctx, place, m)
	return err
}

// swap moves the branch by ref alone, if it still is at m.From.
func (r Repo) swap(ctx context.Context, c call, m Move) error {
	_, err := c.run(ctx, "update-ref", "-m", m.log(), "refs/heads/"+m.Branch, m.To, m.From)
	said := complaint(err)
	switch {
	case strings.Contains(said, "but expected"):
		return moved(m, err)
	case strings.Contains(said, "File exists"):
		return work.Hide(work.Busy, err, fmt.Sprintf("another git is writing the branch %s", m.Branch)).
			Do("Try again; if no git is running, delete the .lock file that it left: " + lastLine(said))
	}
	return err
}

func moved(m Move, err error) error {
	return work.Hide(work.Conflict, err, fmt.Sprintf("%s has moved: it is no longer at %.12s", m.Branch, m.From)).
		Do("Try again; the new commits are then taken into account.")
}

// placeOf returns the checkout of branch, or none.
func (r Repo) placeOf(ctx context.Context, branch string) (Checkout, error) {
	all, err := r.Checkouts(ctx)
	if err != nil {
		return Checkout{}, err
	}
	var at []Checkout
	for _, c := range all {
		if c.Uses == branch {
			return Checkout{}, work.Errorf(work.Conflict, "%s is being rebased in %s", branch, c.Path).
				Do("Finish the rebase there, or abort it, and try again.")
		}
		if c.Branch == branch {
			at = append(at, c)
		}
	}
	switch len(at) {
	case 0:
		return Checkout{}, nil
	case 1:
		return at[0], r.usable(at[0])
	}
	var paths []string
	for _, c := range at {
		paths = append(paths, c.Path)
	}
	e := work.Errorf(work.Conflict, "%s is checked out in %d places", branch, len(at)).
		Do("Switch all but one of them to another branch.")
	e.List = paths
	return Checkout{}, e
}

// usable checks that a checkout is there, is the repository's own, and no attempt's.
func (r Repo) usable(c Checkout) error {
	if c.Admin == "" {
		return work.Errorf(work.Conflict, "%s is checked out in %s, which is not there or not a worktree of this repository any more", c.Branch, c.Path).
			Do("If it is gone for good: git worktree prune. Otherwise bring it back.")
	}
	if strings.HasPrefix(c.Path, filepath.Join(r.Dir, ".worktrees")+string(filepath.Separator)) {
		return work.Errorf(work.Conflict, "an attempt has checked out %s in %s", c.Branch, c.Path).
			Do("Switch that worktree back: git -C " + c.Path + " switch --detach.")
	}
	op, err := underway(c.Admin)
	if err == nil && op != "" {
		err = work.Errorf(work.Conflict, "%s is not finished in %s", op, c.Path).Do("Finish or abort it there, and try again.")
	}
	if err != nil {
		return err
	}
	return unlocked(c, filepath.Join(c.Admin, "index.lock"), filepath.Join(c.Admin, "HEAD.lock"),
		filepath.Join(r.GitDir, "refs", "heads", filepath.FromSlash(c.Branch)+".lock"))
}

// unlocked checks that no git holds one of the lock files. A lock is never
// removed, however old it is: nobody can know that its owner is gone (F10).
func unlocked(c Checkout, locks ...string) error {
	for _, lock := range locks {
		info, err := os.Lstat(lock)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		return work.Errorf(work.Busy, "a git is at work in %s: %s is there since %s", c.Path, lock, time.Since(info.ModTime()).Round(time.Second)).
			Do("Try again when it is done; if no git is running there, one was killed: delete that file.")
	}
	return nil
}

// refused explains why git did not move a checkout.
func refused(c Checkout, err error) error {
	if exitCode(err) < 0 || work.CodeOf(err) != work.Internal {
		return err
	}
	return work.Hide(work.Conflict, err, fmt.Sprintf("git refuses to move the files in %s: %s", c.Path, strings.TrimSpace(complaint(err)))).
		Do("Nothing was changed. Commit or put away what stands against it, and try again.")
}

// takeBack returns a checkout to m.From after a move that failed half-way, and
// does nothing if it did not begin.
func (r Repo) takeBack(ctx context.Context, place Checkout, m Move) error {
	if tip, err := r.Resolve(ctx, "refs/heads/"+m.Branch); err != nil || tip != m.From {
		return err
	}
	back := Move{Branch: m.Branch, From: m.From, To: m.To, Again: true}
	if _, err := r.clearWay(ctx, place, back); err != nil {
		return nil //nolint:nilerr // what is in the way now was in the way of the move, which said so
	}
	return twoWay(ctx, r.in(place), m.To, m.From)
}

// twoWay takes index and files of a checkout from one commit to another, and
// carries all other changes along.
func twoWay(ctx context.Context, c call, from, to string) error {
	// A file that was only touched counts as changed until the index is refreshed;
	// one that really is changed makes this exit with 1.
	if _, err := c.run(ctx, "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	_, err := c.run(ctx, "read-tree", "-m", "-u", from, to)
	return err
}

// arrived checks the outcome: a user who switched branches at the same moment may
// have moved another branch than we meant.
func (r Repo) arrived(ctx context.Context, place Checkout, m Move) error {
	tip, err := r.Resolve(ctx, "refs/heads/"+m.Branch)
	if err != nil {
		return err
	}
	branch, err := r.in(place).branch(ctx)
	if err == nil && (tip != m.To || branch != m.Branch) {
		err = work.Errorf(work.Conflict, "%s was switched to another branch at the same moment", place.Path).
			Do("Look at its reflog: git -C " + place.Path + " reflog.")
	}
	return err
}
