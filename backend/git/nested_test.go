package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"offrun/backend/git/gittest"
)

// TestF32NestedRepositories: the files of repositories that an agent made are part
// of the result, with a commit or without, ignored ones left out; no link to a
// commit that exists nowhere else is.
func TestF32NestedRepositories(t *testing.T) {
	r := gittest.New(t)
	r.Write("lib/tracked.txt", "tracked\n")
	r.Commit("lib")
	w, base := attempt(t, r)
	for _, dir := range []string{"with", "without", "lib", "deep/er/in"} {
		path := filepath.Join(w.Path, dir)
		gittest.Write(t, filepath.Join(path, "a.txt"), "a\n")
		gittest.Write(t, filepath.Join(path, ".gitignore"), "*.log\n")
		gittest.Write(t, filepath.Join(path, "x.log"), "log\n")
		r.In(path, "init", "--quiet")
	}
	with := filepath.Join(w.Path, "with")
	r.In(with, "add", "-A")
	r.In(with, "commit", "--quiet", "-m", "inside")
	for range 2 {
		s := snapshot(t, w, base)
		want := []string{
			"added deep/er/in/.gitignore", "added deep/er/in/a.txt", "added lib/.gitignore", "added lib/a.txt",
			"added with/.gitignore", "added with/a.txt", "added without/.gitignore", "added without/a.txt",
		}
		if got := changed(t, w.Repo, base, s.Full); !equal(got, want) {
			t.Errorf("changes = %q, want %q", got, want)
		}
		if !equal(s.Nested, []string{"deep/er/in", "with", "without"}) || len(s.Skipped) > 0 {
			t.Errorf("nested = %q, skipped = %q", s.Nested, s.Skipped)
		}
		r.In(w.Path, "add", "with") // now the agent's own index holds the link
	}
}

// TestF32WorktreeInWorktree: another worktree that the agent made inside its own is
// named, not copied.
func TestF32WorktreeInWorktree(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	r.In(w.Path, "worktree", "add", "--quiet", "-b", "more", "more")
	s := snapshot(t, w, base)
	if s.Files != 0 || !equal(s.Nested, []string{"more"}) || len(s.Skipped) != 1 {
		t.Errorf("snapshot = %+v", s)
	}
}

// TestSnapshotTooBig: a dependency folder that nobody ignored is left out and named,
// wherever it lies; a small one is taken, and everything else.
func TestSnapshotTooBig(t *testing.T) {
	r := gittest.New(t)
	r.Write("vendor/kept.txt", "kept\n")
	r.Write(".gitignore", "ignored/\n")
	r.Commit("vendored")
	w, base := attempt(t, r)
	for _, name := range []string{"node_modules/big", "pkg/a/node_modules/big", "vendor/big", "ignored/node_modules/big", "data/big"} {
		file := filepath.Join(w.Path, name)
		gittest.Write(t, file, "")
		if err := os.Truncate(file, 51<<20); err != nil { // sparse: takes no space
			t.Fatal(err)
		}
	}
	gittest.Write(t, filepath.Join(w.Path, "small/node_modules/a.js"), "a\n")
	dir := gittest.Folder(t, "scratch")
	s := scratch(t, w, base, filepath.Join(dir, "index"), filepath.Join(dir, "objects"))
	if want := "node_modules (more than 50 MB), pkg/a/node_modules (more than 50 MB)"; s.TooBig != want {
		t.Errorf("TooBig = %q, want %q", s.TooBig, want)
	}
	got, err := w.Repo.WithObjects(filepath.Join(dir, "objects")).Changes(t.Context(), base, s.Tree)
	if err != nil || len(got) != 3 {
		t.Errorf("changes = %+v, %v; want data/big, small/node_modules/a.js and vendor/big", got, err)
	}
}
