package land

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/google/renameio/v2"

	"offrun/backend/git"
	"offrun/backend/work"
)

// maxIgnored is how many ignored files a Cleaning names.
const maxIgnored = 20

// CleanIn says what is cleaned up. Run, Attempt, Mark and InUse are required.
type CleanIn struct {
	Run     *work.Run
	Attempt *work.Attempt
	Mark    string // the worktree's, as AddWorktree was given it

	// InUse says who uses the worktree, "its agent is running", or "". It is
	// asked at first and once more right before the worktree moves away (F91).
	InUse func(context.Context) (string, error)

	Seal   string   // of the Survey made right before the newest turn's result was collected; "" means that the worktree is collected again
	Index  string   // private index that snapshots of this worktree keep; "" means none
	Patch  string   // file that gets the patch if the worktree has changed since it was collected; "" means none is written
	Accept []string // git directories in the worktree that may go too, as a refusal listed them
	DryRun bool
}

// errDry ends a dry run when all guards have passed.
var errDry = errors.New("dry run")

// Clean removes an attempt's worktree and branch. Before that, all that is in the
// worktree now, and every commit that it or its branch knows of, is kept by
// refs/offrun/archive/<run>/<attempt> (F49, F90). The worktree lies in the trash
// until git.Repo.EmptyTrash.
//
// What must not be removed is left exactly as it is, and Refused says why: in use,
// not ours, a repository inside it. Ignored files are not archived, and named
// (F106). Whether the attempt has landed does not matter (F101).
//
// A cleaning that was cut off is finished by the same call; one of nothing at all
// is fine.
func Clean(ctx context.Context, repo git.Repo, in CleanIn) (work.Cleaning, error) {
	a := in.Attempt
	c := cleaning{
		CleanIn: in, repo: repo, tree: git.OpenWorktree(repo, a.Dir, a.GitDir),
		out: work.Cleaning{Run: in.Run.ID, Attempt: a.Name, Dir: a.Dir, Branch: a.Branch, DryRun: in.DryRun},
	}
	err := c.clean(ctx)
	if e, ok := errors.AsType[*work.Error](err); ok && (e.Code == work.Conflict || e.Code == work.Busy) {
		c.out.Refused, c.out.Freed = refusal(e), 0
		return c.out, nil
	}
	return c.out, err
}

type cleaning struct {
	CleanIn
	repo   git.Repo
	tree   git.Worktree
	branch string // commit that the branch was at when it was archived; "" if there is none
	out    work.Cleaning
}

func (c *cleaning) clean(ctx context.Context) error {
	if !c.Attempt.State().Final() {
		return work.Errorf(work.Busy, "it is still %s", c.Attempt.State()).Do("Wait until it is done, or cancel it first.")
	}
	if err := c.unused(ctx); err != nil {
		return err
	}
	_, err := c.repo.RemoveWorktree(ctx, c.tree, git.RemoveOptions{
		Mark: c.Mark, Accept: c.Accept,
		Before: func(s git.Survey) error { return c.before(ctx, s) },
	})
	if errors.Is(err, errDry) {
		return nil
	}
	if err != nil {
		return err
	}
	if c.branch == "" {
		return nil
	}
	return c.repo.DeleteBranch(ctx, c.Attempt.Branch, c.branch)
}

// unused returns Busy if somebody uses the worktree.
func (c *cleaning) unused(ctx context.Context) error {
	who, err := c.InUse(ctx)
	if err == nil && who != "" {
		err = work.Errorf(work.Busy, "it is in use: %s", who).Do("End that, and clean again.")
	}
	return err
}

// before archives what the survey s found, as the last thing before it goes.
func (c *cleaning) before(ctx context.Context, s git.Survey) error {
	c.out.Freed = s.Bytes
	full, err := c.collect(ctx, s)
	if err != nil {
		return err
	}
	if c.DryRun {
		return errDry
	}
	if err := c.archive(ctx, full); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return c.unused(ctx)
}

// collect returns the tree of all that is in the worktree and not ignored.
func (c *cleaning) collect(ctx context.Context, s git.Survey) (full string, err error) {
	result := c.result()
	if result != nil {
		full = result.FullTree
		c.ignored(result.Ignored)
	}
	gone := s.Seal == ""
	if gone && full == "" {
		return c.repo.Tree(ctx, c.Run.Base)
	}
	if gone || full != "" && s.Seal == c.Seal {
		return full, nil
	}
	snap, err := c.tree.Snapshot(ctx, git.SnapshotOptions{Base: c.Run.Base, Index: c.Index, Notes: c.Run.Settings.Notes})
	if err != nil {
		return "", err
	}
	if len(snap.Skipped) > 0 {
		e := work.Errorf(work.Conflict, "%s in %s could not be read, and would be lost", english.Plural(len(snap.Skipped), "file", ""), c.Attempt.Dir).
			Do("Look at them and move them out, and clean again.")
		e.List = snap.Skipped
		return "", e
	}
	c.ignored(snap.Ignored)
	if snap.TooBig != "" {
		c.out.Ignored = append([]string{snap.TooBig}, c.out.Ignored...)
	}
	if c.Patch != "" && !c.DryRun && (result == nil || snap.Full != result.FullTree) {
		err = c.writePatch(ctx, snap.Full)
	}
	return snap.Full, err
}

// result is that of the newest turn that has one, or nil.
func (c *cleaning) result() *work.Result {
	for _, t := range slices.Backward(c.Attempt.Turns) {
		if t.Result != nil {
			return t.Result
		}
	}
	return nil
}

func (c *cleaning) ignored(paths []string) {
	c.out.Ignored = paths[:min(len(paths), maxIgnored):min(len(paths), maxIgnored)]
}

func (c *cleaning) writePatch(ctx context.Context, full string) (err error) {
	f, err := renameio.NewPendingFile(c.Patch, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if err := c.repo.Patch(ctx, c.Run.Base, full, io.Writer(f)); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// archive makes the ref that keeps the tree full and all commits, and reads it
// back. What an earlier call archived stays part of it.
func (c *cleaning) archive(ctx context.Context, full string) error {
	ref := fmt.Sprintf("refs/offrun/archive/%s/%s", c.Run.ID, c.Attempt.Name)
	c.out.Archive = ref
	earlier, err := c.repo.Ref(ctx, ref)
	if err != nil {
		return err
	}
	if c.branch, err = c.repo.Ref(ctx, "refs/heads/"+c.Attempt.Branch); err != nil {
		return err
	}
	parents, err := c.tree.Tips(ctx, c.Attempt.Branch)
	if err != nil {
		return err
	}
	if earlier != "" && len(parents) == 0 {
		return nil // nothing is left but the archive
	}
	if earlier != "" {
		parents = append(parents, earlier)
	}
	commit, err := c.archived(ctx, ref, full, parents)
	if err != nil {
		return err
	}
	if got, err := c.repo.Ref(ctx, ref); err != nil || got != commit {
		return fmt.Errorf("%s is %q, not %q: %w", ref, got, commit, err)
	}
	return nil
}

// archived sets ref to a commit with the tree full and the parents, and returns it.
// If nothing has changed since the result was collected, the commit that keeps the
// result will do.
func (c *cleaning) archived(ctx context.Context, ref, full string, parents []string) (string, error) {
	r := c.result()
	if r != nil && r.Commit != "" {
		same, err := c.repo.Holds(ctx, r.Commit, full, parents)
		if err != nil {
			return "", err
		}
		if same {
			return r.Commit, c.repo.SetRef(ctx, ref, r.Commit)
		}
		if !slices.Contains(parents, r.Commit) {
			parents = append(parents, r.Commit)
		}
	}
	message := fmt.Sprintf("offrun: archive of %s/%s\n\nAll that lay in %s when it was cleaned up.\n", c.Run.ID, c.Attempt.Name, c.Attempt.Dir)
	return c.repo.Keep(ctx, ref, full, parents, message)
}

// refusal puts an error into the words of Cleaning.Refused.
func refusal(e *work.Error) string {
	text := e.Msg
	for _, item := range e.List[:min(len(e.List), 3)] {
		text += "; " + item
	}
	if e.Next != "" {
		text += ". " + e.Next
	}
	return text
}
