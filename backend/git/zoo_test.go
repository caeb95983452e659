package git_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// repoAt opens the repository at dir.
func repoAt(t testing.TB, dir string) git.Repo {
	t.Helper()
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// attempt makes a worktree of r's HEAD, as a run does, and returns it with the
// commit it began at.
func attempt(t testing.TB, r *gittest.Repo) (w git.Worktree, base string) {
	t.Helper()
	repo := repoAt(t, r.Dir)
	base, err := repo.Resolve(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Exclude(t.Context(), "/.worktrees/", "/runs/"); err != nil {
		t.Fatal(err)
	}
	w, err = repo.AddWorktree(t.Context(), options(repo, base, "card-fake-1"))
	if err != nil {
		t.Fatal(err)
	}
	return w, base
}

func options(r git.Repo, base, name string) git.WorktreeOptions {
	return git.WorktreeOptions{
		Path:   filepath.Join(r.Dir, ".worktrees", name),
		Branch: "run/" + name,
		Commit: base,
		Mark:   "offrun install-1 " + name,
	}
}

// snapshot takes one for keeps.
func snapshot(t testing.TB, w git.Worktree, base string) git.Snapshot {
	t.Helper()
	s, err := w.Snapshot(t.Context(), git.SnapshotOptions{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changed returns the paths that differ, with what happened to them, and proves that
// the patch says the same.
func changed(t testing.TB, r git.Repo, base, tree string) []string {
	t.Helper()
	cs, err := r.Changes(t.Context(), base, tree)
	if err != nil {
		t.Fatal(err)
	}
	patch := filepath.Join(t.TempDir(), "diff.patch")
	var b bytes.Buffer
	if err := r.Patch(t.Context(), base, tree, &b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(patch, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.VerifyPatch(t.Context(), base, tree, patch); err != nil {
		t.Errorf("the patch does not give the tree: %v\n%.2000s", err, b.Bytes())
	}
	var names []string
	for _, c := range cs {
		names = append(names, c.Status+" "+c.Path)
	}
	return names
}

// TestZoo sends every kind of repository the whole way: open, worktree, an agent's
// work, snapshot, changes, patch. Nothing of the user's may change, and no program
// that the configuration names may run.
func TestZoo(t *testing.T) {
	gittest.ForAll(t, func(t *testing.T, s gittest.Shape, r *gittest.Repo) {
		if s.Unborn {
			t.Skip("has a test of its own: TestF01Unborn")
		}
		repo := repoAt(t, r.Dir)
		if repo.Dir != r.Dir {
			t.Errorf("Open says %s, not %s", repo.Dir, r.Dir)
		}
		shape, err := repo.Shape(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		base, err := repo.Resolve(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		untouched := gittest.Invariants(t, r.Dir)
		before, err := repo.Fingerprint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := options(repo, base, "zoo")
		o.Branch = "try/zoo" // run/ is what some shapes have in the way
		o.SkipFilters = slices.ContainsFunc(shape.Filters, func(f git.Filter) bool { return f.Missing })
		if err := repo.Exclude(t.Context(), "/.worktrees/"); err != nil {
			t.Fatal(err)
		}
		w, err := repo.AddWorktree(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if s := snapshot(t, w, base); s.Full != r.Git("rev-parse", base+"^{tree}") {
			t.Errorf("a fresh worktree differs from its commit: %v", changed(t, repo, base, s.Full))
		}
		gittest.Write(t, filepath.Join(w.Path, "README.md"), "changed\n")
		gittest.Write(t, filepath.Join(w.Path, "pkg/new/a.go"), "package a\n")
		snap := snapshot(t, w, base)
		if got, want := changed(t, repo, base, snap.Tree), []string{"changed README.md", "added pkg/new/a.go"}; !slices.Equal(got, want) {
			t.Errorf("changes = %q, want %q", got, want)
		}
		if snap.Branch != "try/zoo" || snap.Head != base || snap.Files != 2 {
			t.Errorf("snapshot = %+v", snap)
		}
		r.Git("update-ref", "-d", "refs/heads/try/zoo")
		after, err := repo.Fingerprint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if touched := before.Changed(after); len(touched) > 0 {
			t.Errorf("the fingerprint changed: %+v", touched)
		}
		untouched()
		gittest.Canary(t)
		if _, err := os.Stat(filepath.Join(repo.GitDir, "canary")); err == nil {
			t.Error("a program of the repository's ran")
		}
	})
}

// TestF01Unborn: a repository without a commit is told from a bad name, and nothing
// is made.
func TestF01Unborn(t *testing.T) {
	r := gittest.Empty(t)
	r.Write("a.txt", "a\n")
	untouched := gittest.Invariants(t, r.Dir)
	repo := repoAt(t, r.Dir)
	_, err := repo.Resolve(t.Context(), "HEAD")
	if work.CodeOf(err) != work.Invalid || work.Public(err).Next == "" {
		t.Errorf("Resolve = %v, want invalid with a next step", err)
	}
	if shape, err := repo.Shape(t.Context()); err != nil || !shape.Unborn {
		t.Errorf("Shape = %+v, %v", shape, err)
	}
	if branch, err := repo.Branch(t.Context()); branch != "main" || err != nil {
		t.Errorf("Branch = %q, %v", branch, err)
	}
	if _, err := repo.Fingerprint(t.Context()); err != nil {
		t.Error(err)
	}
	if dirty, err := repo.Dirty(t.Context()); !slices.Equal(dirty, []string{"a.txt"}) || err != nil {
		t.Errorf("Dirty = %q, %v", dirty, err)
	}
	untouched()
}
