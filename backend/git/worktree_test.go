package git_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// past is a moment that no file of a test was written at.
var past = time.Unix(1000000000, 0)

func equal(a, b []string) bool { return slices.Equal(a, b) }

// worktrees lists what git knows of.
func worktrees(r *gittest.Repo) int {
	return strings.Count(r.Git("worktree", "list", "--porcelain"), "worktree ")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestF05KilledInTheMiddle: what an interrupted creation left is not taken for a
// worktree, and can be cleared by whoever made it.
func TestF05KilledInTheMiddle(t *testing.T) {
	r := gittest.HalfMade(t)
	repo := repoAt(t, r.Dir)
	base := r.Git("rev-parse", "HEAD")
	o := git.WorktreeOptions{Path: r.Other, Branch: "run/half", Commit: base, Mark: "offrun install-1 half"}
	if _, err := repo.AddWorktree(t.Context(), o); work.CodeOf(err) != work.Conflict {
		t.Errorf("AddWorktree = %v, want a conflict", err)
	}
	if err := repo.ClearHalfMade(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if exists(r.Other) || r.Git("branch", "--list", "run/half") != "" || worktrees(r) != 1 {
		t.Error("something is left")
	}
	if err := repo.ClearHalfMade(t.Context(), o); err != nil {
		t.Errorf("clearing again: %v", err)
	}
	if _, err := repo.AddWorktree(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// TestF05NotCheckedOut: a worktree whose files never came is no success.
func TestF05NotCheckedOut(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	if err := os.Remove(filepath.Join(w.Admin, "index")); err != nil {
		t.Fatal(err)
	}
	if _, err := git.Confirm(w.Repo, t.Context(), options(w.Repo, base, "card-fake-1")); err == nil {
		t.Error("a worktree without an index was confirmed")
	}
}

// TestF07NameTaken: a path or a branch that is there is a conflict, whatever it is,
// and stays as it was; nothing falls back to another folder.
func TestF07NameTaken(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "work.txt"), "work\n")
	untouched := gittest.Invariants(t, w.Path)
	again := options(w.Repo, base, "card-fake-1")
	samePath, sameBranch := again, again
	samePath.Branch = "run/another"
	sameBranch.Path += "-2"
	for _, o := range []git.WorktreeOptions{again, samePath, sameBranch} {
		if _, err := w.Repo.AddWorktree(t.Context(), o); work.CodeOf(err) != work.Conflict || work.Public(err).Next == "" {
			t.Errorf("AddWorktree(%+v) = %v, want a conflict with a next step", o, err)
		}
	}
	if exists(sameBranch.Path) || r.Git("branch", "--list", "run/another") != "" {
		t.Error("a refused call left something behind")
	}
	untouched()
}

// TestF09TwentyAtOnce: worktrees for one repository can be asked for at the same
// moment, even with a commit that a remote's branch names.
func TestF09TwentyAtOnce(t *testing.T) {
	from := gittest.New(t)
	r := gittest.At(t, gittest.Folder(t, "clone"))
	r.Git("clone", "--quiet", from.Dir, ".")
	repo := repoAt(t, r.Dir)
	base, err := repo.Resolve(t.Context(), "origin/main")
	if err != nil {
		t.Fatal(err)
	}
	untouched := gittest.Invariants(t, r.Dir)
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = repo.AddWorktree(t.Context(), options(repo, base, fmt.Sprint("card-", i)))
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if n := worktrees(r); n != 21 {
		t.Errorf("%d worktrees, want 21", n)
	}
	if n := len(strings.Fields(r.Git("for-each-ref", "--format=%(refname)", "refs/heads/run/"))); n != 20 {
		t.Errorf("%d branches, want 20", n)
	}
	untouched() // config among it: no upstream was written
}

// TestF09Race: when the user's own git is in the way for a moment, the second try
// succeeds, and the first leaves nothing.
func TestF09Race(t *testing.T) {
	r := gittest.New(t)
	repo := repoAt(t, r.Dir)
	base := r.Git("rev-parse", "HEAD")
	lock := r.Path(".git/refs/heads/run/card-1.lock")
	gittest.Write(t, lock, "")
	done := make(chan error, 1)
	go func() {
		_, err := repo.AddWorktree(t.Context(), options(repo, base, "card-1"))
		done <- err
	}()
	if err := <-done; err == nil {
		t.Fatal("the lock was not respected")
	}
	if exists(filepath.Join(r.Dir, ".worktrees/card-1")) || worktrees(r) != 1 {
		t.Error("a failed call left something behind")
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.AddWorktree(t.Context(), options(repo, base, "card-1")); err != nil {
		t.Error(err)
	}
}

// TestAddWorktreeDetached: a worktree without a branch stands on its commit: what a baseline and gates need.
func TestAddWorktreeDetached(t *testing.T) {
	r := gittest.New(t)
	repo := repoAt(t, r.Dir)
	base := r.Git("rev-parse", "HEAD")
	w, err := repo.AddWorktree(t.Context(), git.WorktreeOptions{Path: filepath.Join(r.Dir, ".worktrees", "base"), Commit: base, Mark: "us/base"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Snapshot(t.Context(), git.SnapshotOptions{Base: base})
	if err != nil || s.Head != base || s.Branch != "" || s.Files != 0 {
		t.Errorf("snapshot = %+v, %v; want HEAD detached at %s", s, err, base)
	}
}

// TestAddWorktreeCancelled: nothing is left of a call that was cancelled.
func TestAddWorktreeCancelled(t *testing.T) {
	r := gittest.New(t)
	repo := repoAt(t, r.Dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := repo.AddWorktree(ctx, options(repo, r.Git("rev-parse", "HEAD"), "card-1")); !errors.Is(err, context.Canceled) {
		t.Errorf("AddWorktree = %v, want cancelled", err)
	}
	if worktrees(r) != 1 || r.Git("branch", "--list", "run/*") != "" {
		t.Error("something is left")
	}
}

// TestF16HooksStayOut: no hook runs when we make a worktree or keep a result.
func TestF16HooksStayOut(t *testing.T) {
	r := gittest.New(t)
	gittest.Script(t, r.Path(".git/hooks/post-checkout"), "git checkout -q main; echo ran >> '"+r.Path(".git/canary")+"'\n")
	gittest.Script(t, r.Path(".git/hooks/reference-transaction"), "echo ran >> '"+r.Path(".git/canary")+"'\n")
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	s := snapshot(t, w, base)
	if _, err := w.Repo.Keep(t.Context(), "refs/offrun/keep/1/fake/1", s.Full, []string{base}, "kept\n"); err != nil {
		t.Fatal(err)
	}
	if exists(r.Path(".git/canary")) {
		t.Error("a hook ran")
	}
}

// TestF23BranchNames: a name that differs from a branch only by case, or that needs
// a folder where a branch is, is refused before anything is made.
func TestF23BranchNames(t *testing.T) {
	r := gittest.New(t)
	repo := repoAt(t, r.Dir)
	base := r.Git("rev-parse", "HEAD")
	for _, tt := range []struct {
		have, want string
		ok         bool
	}{
		{"RUN/Card-1", "run/card-1", false},
		{"run", "run/card-1", false},
		{"run/card-1/x", "run/card-1", false},
		{"runs", "run/card-1", true},
	} {
		r.Git("branch", tt.have)
		o := options(repo, base, "card-1")
		o.Branch = tt.want
		_, err := repo.AddWorktree(t.Context(), o)
		if got := err == nil; got != tt.ok || !tt.ok && work.CodeOf(err) != work.Conflict {
			t.Errorf("%q beside %q: %v, want ok %v", tt.want, tt.have, err, tt.ok)
		}
		r.Git("branch", "-D", tt.have)
	}
}

// TestF24DirtyFromBirth: what git takes for changed in a fresh worktree is not the
// agent's change.
func TestF24DirtyFromBirth(t *testing.T) {
	r := gittest.DirtyFromBirth(t)
	w, base := attempt(t, r)
	if err := os.Chtimes(filepath.Join(w.Path, "dos.txt"), past, past); err != nil { // git looks again
		t.Fatal(err)
	}
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	s := snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Full); !equal(got, []string{"added a.txt"}) || !equal(s.Born, []string{"dos.txt"}) {
		t.Errorf("changes = %q, born = %q", got, s.Born)
	}
	gittest.Write(t, filepath.Join(w.Path, "dos.txt"), "one\r\nthree\r\n")
	s = snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Full); !equal(got, []string{"added a.txt", "changed dos.txt"}) {
		t.Errorf("changes = %q, want the agent's own in dos.txt too", got)
	}
}

// TestF38Locks: our worktrees are locked with our mark, foreign ones are left alone,
// dead or not.
func TestF38Locks(t *testing.T) {
	r := gittest.New(t)
	w, _ := attempt(t, r)
	if b, err := os.ReadFile(filepath.Join(w.Admin, "locked")); err != nil || !strings.Contains(string(b), "offrun install-1") {
		t.Errorf("locked = %q, %v", b, err)
	}
	for _, s := range gittest.Zoo() {
		if !strings.HasPrefix(s.Name, "F38") {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			r := s.Build(t)
			there := exists(r.Other)
			o := git.WorktreeOptions{Path: r.Other, Branch: "theirs", Commit: r.Git("rev-parse", "HEAD"), Mark: "offrun install-1 x"}
			if err := repoAt(t, r.Dir).ClearHalfMade(t.Context(), o); work.CodeOf(err) != work.Conflict {
				t.Errorf("ClearHalfMade = %v, want a conflict", err)
			}
			if _, err := repoAt(t, r.Dir).AddWorktree(t.Context(), o); work.CodeOf(err) != work.Conflict {
				t.Errorf("AddWorktree = %v, want a conflict", err)
			}
			if exists(r.Other) != there || worktrees(r) != 2 || r.Git("branch", "--list", "theirs") == "" {
				t.Error("somebody else's worktree was touched")
			}
		})
	}
}

// TestF40S08PointerRewritten: an agent rewrites .git, gitdir or commondir. It is
// noticed, and our own calls go where they always went.
func TestF40S08PointerRewritten(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"{path}/.git", "gitdir: {evil}/.git\n"},
		{"{path}/.git", "gone"},
		{"{path}/.git", "folder"},
		{"{admin}/gitdir", "{evil}/.git\n"},
		{"{admin}/commondir", "{evil}/.git\n"},
		{"{admin}/commondir", "gone"},
	} {
		t.Run(tt.name+" "+tt.text, func(t *testing.T) {
			evil := gittest.New(t)
			canary := filepath.Join(gittest.Folder(t, "out"), "canary")
			evil.Git("config", "core.fsmonitor", "touch '"+canary+"'")
			evil.Git("config", "filter.evil.clean", "touch '"+canary+"'; cat")
			r := gittest.New(t)
			w, base := attempt(t, r)
			if err := w.PointerIntact(); err != nil {
				t.Fatal(err)
			}
			fill := strings.NewReplacer("{path}", w.Path, "{admin}", w.Admin, "{evil}", evil.Dir)
			file := fill.Replace(tt.name)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			switch tt.text {
			case "gone":
			case "folder":
				r.In(w.Path, "init", "--quiet")
			default:
				gittest.Write(t, file, fill.Replace(tt.text))
			}
			if err := w.PointerIntact(); work.CodeOf(err) != work.Conflict {
				t.Errorf("PointerIntact = %v, want a conflict", err)
			}
			gittest.Write(t, filepath.Join(w.Path, ".gitattributes"), "* filter=evil\n")
			s := snapshot(t, w, base)
			if got := changed(t, w.Repo, base, s.Tree); !equal(got, []string{"added .gitattributes"}) {
				t.Errorf("changes = %q", got)
			}
			if exists(canary) {
				t.Error("a program of the other repository's configuration ran")
			}
		})
	}
}
