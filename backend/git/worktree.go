package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// A Worktree is a linked worktree of a repository, as our own records have it.
type Worktree struct {
	Repo  Repo
	Path  string // its top folder
	Admin string // its own git directory, inside Repo.GitDir
}

// WorktreeOptions say what AddWorktree makes.
type WorktreeOptions struct {
	Path        string // absolute; must not exist
	Branch      string // created; must not exist. "" means a detached HEAD
	Commit      string // full id of the commit to start from
	Mark        string // whose it is: kept as the reason of its lock; holds the installation's id. One line
	SkipFilters bool   // check out what is stored, LFS pointers for example, without running filters (F18)
}

// OpenWorktree returns a worktree from records. It touches nothing.
func OpenWorktree(r Repo, path, admin string) Worktree {
	return Worktree{Repo: r, Path: path, Admin: admin}
}

// at is a call on the worktree. Nothing that the worktree holds decides where git
// goes (F40, S08).
func (w Worktree) at() call {
	c := w.Repo.at()
	c.dir, c.gitDir, c.workTree = w.Path, w.Admin, w.Path
	return c
}

func (w Worktree) line(ctx context.Context, args ...string) (string, error) {
	return w.at().line(ctx, args...)
}

// lock keeps others of us away from worktrees and branches of this repository: in
// this process and in every other. git's own commands of this kind disturb each
// other when they run at once (F09). It waits until ctx is done; the caller must
// call release.
//
// The commands of the returned Repo hold the lock too: a git that outlives us,
// because we were killed, keeps the next of us waiting until it has ended.
func (r Repo) lock(ctx context.Context) (held Repo, release func(), err error) {
	for {
		l, err := proc.Lock(filepath.Join(r.GitDir, "offrun.lock"))
		if err == nil {
			r.held = l
			return r, func() { _ = l.Close() }, nil // closing is all that can be done
		}
		if work.CodeOf(err) != work.Busy {
			return r, nil, err
		}
		select {
		case <-ctx.Done():
			return r, nil, errors.Join(ctx.Err(), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// AddWorktree makes a locked worktree, with a branch of its own that follows no
// other. It is judged by its outcome, not by what git says: HEAD, branch and index
// are where they belong, and git run in the folder finds this worktree and no
// other (F05, F07). If it cannot be had, all that this call made is gone again.
//
// A path or a branch that is taken is a Conflict. Calls for one repository wait
// for each other.
func (r Repo) AddWorktree(ctx context.Context, o WorktreeOptions) (Worktree, error) {
	o.Path = settle(o.Path)
	if err := r.vacant(ctx, o); err != nil { // while another may be at work, which takes its time
		return Worktree{}, err
	}
	held, release, err := r.lock(ctx)
	if err != nil {
		return Worktree{}, err
	}
	defer release()
	if held.taken(o) {
		if err := held.vacant(ctx, o); err != nil {
			return Worktree{}, err
		}
	}
	w, err := held.add(ctx, o)
	if isRace(err) { // the user's own git was at work too
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
			w, err = held.add(ctx, o)
		}
	}
	if err != nil {
		return Worktree{}, r.explainAdd(ctx, o, err)
	}
	w.Repo = r
	return w, nil
}

// vacant checks that path and branch of o are free.
func (r Repo) vacant(ctx context.Context, o WorktreeOptions) error {
	if !filepath.IsAbs(o.Path) || strings.ContainsAny(o.Mark, "\r\n") || o.Mark == "" {
		return fmt.Errorf("worktree options: path %q and mark %q will not do", o.Path, o.Mark)
	}
	if _, err := os.Lstat(o.Path); err == nil {
		return work.Errorf(work.Conflict, "%s is there already", o.Path).Do("Start another run, or remove that folder first.")
	}
	if o.Branch == "" {
		return nil
	}
	out, err := r.line(ctx, "for-each-ref", "--format=%(refname)", "refs/heads/")
	if err != nil {
		return err
	}
	for ref := range strings.Lines(out) {
		if have := strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/"); clash(have, o.Branch) {
			return work.Errorf(work.Conflict, "the branch %q stands in the way of a branch %q", have, o.Branch).
				Do("Rename or delete that branch, or start another run.")
		}
	}
	return nil
}

// taken reports whether path or branch of o may have been taken since it was vacant.
func (r Repo) taken(o WorktreeOptions) bool {
	_, err := os.Lstat(o.Path)
	if o.Branch == "" {
		return err == nil
	}
	id, sure := r.refNow("refs/heads/" + o.Branch)
	return err == nil || id != "" || !sure
}

// clash reports whether two branches cannot be there together. Names that differ
// only by case are one file on many disks (F23), and a name that is a folder of the
// other cannot be a file too.
func clash(have, want string) bool {
	have, want = strings.ToLower(have), strings.ToLower(want)
	return have == want || strings.HasPrefix(have, want+"/") || strings.HasPrefix(want, have+"/")
}

// add makes the worktree once, or nothing.
func (r Repo) add(ctx context.Context, o WorktreeOptions) (Worktree, error) {
	c := r.at().set("branch.autoSetupMerge", "false").set("worktree.guessRemote", "false").set("worktree.useRelativePaths", "false")
	if o.SkipFilters {
		var err error
		if c, err = c.filtersOff(ctx); err != nil {
			return Worktree{}, err
		}
	}
	args := []string{"worktree", "add", "--quiet", "--lock", "--reason", o.Mark}
	if o.Branch == "" {
		args = append(args, "--detach")
	} else {
		args = append(args, "--no-track", "-b", o.Branch) // F09; git refuses --no-track beside --detach
	}
	_, err := c.run(ctx, append(args, "--", o.Path, o.Commit)...)
	var w Worktree
	if err == nil {
		w, err = r.confirm(ctx, o)
	}
	if err != nil {
		// Cleaning up must happen although ctx may be done.
		return Worktree{}, errors.Join(err, r.discard(context.WithoutCancel(ctx), o))
	}
	return w, nil
}

// confirm looks at what worktree add left behind.
func (r Repo) confirm(ctx context.Context, o WorktreeOptions) (Worktree, error) {
	admin, err := readPointer(filepath.Join(o.Path, ".git"))
	if err != nil {
		return Worktree{}, err
	}
	w := OpenWorktree(r, o.Path, admin)
	if err := w.PointerIntact(); err != nil {
		return Worktree{}, err
	}
	// What git finds from the folder is what an agent's git will find.
	out, err := call{dir: o.Path}.line(ctx, "rev-parse", "--absolute-git-dir", "HEAD", "--symbolic-full-name", "HEAD")
	if err != nil {
		return Worktree{}, err
	}
	ref := "HEAD"
	if o.Branch != "" {
		ref = "refs/heads/" + o.Branch
	}
	if want := admin + "\n" + o.Commit + "\n" + ref; out != want {
		return Worktree{}, fmt.Errorf("git run in %s finds %q, not %q", o.Path, out, want)
	}
	// git writes the index last, when all files are there.
	if info, err := os.Stat(filepath.Join(admin, "index")); err != nil || info.Size() == 0 {
		return Worktree{}, fmt.Errorf("%s is not checked out completely", o.Path)
	}
	return w, nil
}

// isRace reports whether err is what git says when another git changes worktrees
// or branches at the same moment.
func isRace(err error) bool {
	said := complaint(err)
	return strings.Contains(said, "commondir") || strings.Contains(said, "could not lock") || strings.Contains(said, "cannot lock ref")
}

// explainAdd turns the failures that people can do something about into words.
func (r Repo) explainAdd(ctx context.Context, o WorktreeOptions, err error) error {
	said := complaint(err)
	switch {
	case ctx.Err() != nil:
		return err
	case strings.Contains(said, "No space left on device"):
		return work.Hide(work.Unavailable, err, fmt.Sprintf("the disk is full: %s was not made", o.Path)).
			Do("Free some space, for example by cleaning finished runs.")
	case strings.Contains(said, "filter"):
		return work.Hide(work.Unavailable, err, "a filter that .gitattributes names cannot be run: "+lastLine(said)).
			Do("Install the filter's program (for LFS: git-lfs), and see that it is on the PATH.")
	case strings.Contains(said, "promisor") || strings.Contains(said, "could not fetch"):
		return work.Hide(work.Unavailable, err, "this is a partial clone, and the files it lacks cannot be fetched now: "+lastLine(said)).
			Do("Go online, or fetch them first with: git fetch --refetch.")
	}
	return fmt.Errorf("make worktree: %w", err)
}

// settle returns path without symbolic links, as git records it, although its
// last part may not be there yet.
func settle(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(settle(dir), filepath.Base(path))
	}
	return path
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
