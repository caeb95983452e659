package land

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/git"
	"offrun/backend/work"
)

// Undo takes a landing back and returns it with UndoneAt, and UndoneBy if that
// took a commit.
//
// If trunk's tip still is the landing and nobody else can have it yet, trunk is set
// back to where it was; else a commit that reverts it lands in the same way as any
// other. Changes in trunk's checkout are treated as Land treats them. now nil means
// time.Now.
//
// An undoing that was cut off is finished by the same call.
func Undo(ctx context.Context, repo git.Repo, l work.Landing, now func() time.Time) (work.Landing, error) {
	switch {
	case l.At == nil || l.Commit == "":
		return l, work.Errorf(work.Invalid, "%s has not landed", l.Attempt)
	case l.UndoneAt != nil:
		return l, work.Errorf(work.Conflict, "the landing of %s is undone already", l.Attempt)
	}
	by, err := takeBack(ctx, repo, l)
	if err != nil {
		return l, err
	}
	if err := unmark(ctx, repo, l); err != nil {
		return l, err
	}
	at := clock(now)
	l.UndoneAt, l.UndoneBy = &at, by
	return l, nil
}

// unmark drops the ref of a landing that is undone.
func unmark(ctx context.Context, repo git.Repo, l work.Landing) error {
	ref := landedRef(l.Run, l.Attempt)
	commit, err := repo.Ref(ctx, ref)
	if err != nil || commit == "" {
		return err
	}
	return repo.DropRef(ctx, ref, commit)
}

// takeBack undoes l and returns the commit that does so, or "" if trunk went back.
func takeBack(ctx context.Context, repo git.Repo, l work.Landing) (by string, err error) {
	since, err := repo.Drift(ctx, l.Commit, l.Trunk)
	if err != nil {
		return "", err
	}
	switch {
	case since.Tip == l.Parent:
		return "", nil // an earlier call came this far
	case since.Lost > 0:
		return "", work.Errorf(work.Conflict, "%s does not contain %.12s any more: somebody took it out, or rewrote it", l.Trunk, l.Commit).
			Do("There is nothing to undo; see: git log " + l.Trunk + ".")
	case since.Behind > 0:
		return revert(ctx, repo, l, since)
	}
	if pushed, err := repo.Pushed(ctx, l.Commit); err != nil {
		return "", err
	} else if pushed {
		return revert(ctx, repo, l, since)
	}
	_, err = repo.SetBack(ctx, git.Move{
		Branch: l.Trunk, From: l.Commit, To: l.Parent, Again: true,
		Log: fmt.Sprintf("offrun: undo %s/%s", l.Run, l.Attempt),
	})
	return "", err
}

// revert lands the opposite of l on trunk.
func revert(ctx context.Context, repo git.Repo, l work.Landing, since git.Drift) (string, error) {
	before, err := repo.Tree(ctx, l.Parent)
	if err != nil {
		return "", err
	}
	m, err := repo.Merge(ctx, git.Sides{Base: since.BaseTree, Ours: since.Tree, Theirs: before})
	if err != nil {
		return "", err
	}
	if len(m.Conflicts) > 0 {
		e := work.Errorf(work.Conflict, "later commits on %s build on %.12s: conflicts in %s", l.Trunk, l.Commit, english.Plural(len(m.Conflicts), "file", "")).
			Do("Revert it by hand: git revert " + l.Commit + ". Nothing was changed.")
		e.List = m.Conflicts
		return "", e
	}
	says := "This reverts commit " + l.Commit
	if m.Tree == since.Tree { // somebody reverted it, we perhaps
		by, err := repo.CommitSaying(ctx, says, l.Commit, since.Tip)
		if by == "" {
			by = since.Tip
		}
		return by, err
	}
	subject, _, _ := strings.Cut(trimmed(l.Message), "\n")
	commit, err := repo.CommitTree(ctx, git.CommitOptions{
		Tree: m.Tree, Parents: []string{since.Tip}, Sign: true,
		Message: fmt.Sprintf("Revert %q\n\n%s.\n", subject, says),
	})
	if err != nil {
		return "", fmt.Errorf("make the reverting commit: %w", err)
	}
	_, err = repo.FastForward(ctx, git.Move{
		Branch: l.Trunk, From: since.Tip, To: commit, Again: true,
		Log: fmt.Sprintf("offrun: undo %s/%s", l.Run, l.Attempt),
	})
	return commit, err
}
