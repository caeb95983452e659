package git_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// TestF18FilterMissing: without the filter's program a worktree is refused with a
// text, and can be had with the pointers only; what an agent does there is taken.
func TestF18FilterMissing(t *testing.T) {
	r := gittest.FilterMissing(t)
	repo := repoAt(t, r.Dir)
	base := r.Git("rev-parse", "HEAD")
	shape, err := repo.Shape(t.Context())
	want := []git.Filter{{Name: "big", Program: "no-such-filter", Missing: true, Required: true}}
	if err != nil || !slices.Equal(shape.Filters, want) {
		t.Errorf("Filters = %+v, %v; want %+v", shape.Filters, err, want)
	}
	o := options(repo, base, "card-1")
	if _, err := repo.AddWorktree(t.Context(), o); work.CodeOf(err) != work.Unavailable || work.Public(err).Next == "" {
		t.Errorf("AddWorktree = %v, want unavailable with a next step", err)
	}
	if exists(o.Path) || r.Git("branch", "--list", "run/*") != "" {
		t.Error("a failed call left something behind")
	}
	o.SkipFilters = true
	w, err := repo.AddWorktree(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, filepath.Join(w.Path, "b.bin"), "new\n")
	gittest.Write(t, filepath.Join(w.Path, "c.txt"), "new\n")
	s := snapshot(t, w, base)
	if got := changed(t, repo, base, s.Tree); !equal(got, []string{"added b.bin", "added c.txt"}) || len(s.Skipped) != 1 {
		t.Errorf("changes = %q, skipped = %q", got, s.Skipped)
	}
}

// TestF19PartialClone: offline, files that were never fetched are named as the
// reason at once, and nobody is asked for a password.
func TestF19PartialClone(t *testing.T) {
	r := gittest.Blobless(t)
	repo := repoAt(t, r.Dir)
	if shape, err := repo.Shape(t.Context()); err != nil || !shape.Partial {
		t.Errorf("Shape = %+v, %v", shape, err)
	}
	o := options(repo, r.Git("rev-parse", "HEAD~1"), "old")
	if _, err := repo.AddWorktree(t.Context(), o); work.CodeOf(err) != work.Unavailable || work.Public(err).Next == "" {
		t.Errorf("AddWorktree = %v, want unavailable with a next step", err)
	}
	if exists(o.Path) || worktrees(r) != 1 {
		t.Error("a failed call left something behind")
	}
	if files, _, err := repo.TreeSize(t.Context(), o.Commit); files != 2 || err != nil {
		t.Errorf("TreeSize = %d files, %v; want 2, and nothing fetched", files, err)
	}
}

// TestF19NobodyIsAsked, S14: a remote that wants a password is a failure, not a
// question that nobody sees.
func TestF19NobodyIsAsked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	r := gittest.Blobless(t)
	r.Git("remote", "set-url", "origin", server.URL+"/x.git")
	canary := filepath.Join(gittest.Folder(t, "out"), "canary")
	asking := filepath.Join(gittest.Folder(t, "bin"), "ask")
	gittest.Script(t, asking, "touch '"+canary+"'\necho x\n")
	for _, name := range []string{"GIT_ASKPASS", "SSH_ASKPASS"} {
		t.Setenv(name, asking)
	}
	r.Git("config", "core.askPass", asking)
	repo := repoAt(t, r.Dir)
	if _, err := repo.AddWorktree(t.Context(), options(repo, r.Git("rev-parse", "HEAD~1"), "old")); work.CodeOf(err) != work.Unavailable {
		t.Errorf("AddWorktree = %v, want unavailable", err)
	}
	if exists(canary) {
		t.Error("somebody was asked for a password")
	}
}

// TestF20Submodule: a submodule is not checked out, what happens in one is told,
// and its link is never moved by us.
func TestF20Submodule(t *testing.T) {
	r := gittest.Submodule(t)
	w, base := attempt(t, r)
	if shape, err := w.Repo.Shape(t.Context()); err != nil || !equal(shape.Submodules, []string{"lib"}) {
		t.Errorf("Shape = %+v, %v", shape, err)
	}
	if s := snapshot(t, w, base); s.Files != 0 || s.Submodules != nil {
		t.Errorf("fresh: %+v", s)
	}
	r.In(w.Path, "submodule", "--quiet", "update", "--init")
	lib := filepath.Join(w.Path, "lib")
	if s := snapshot(t, w, base); s.Files != 0 || s.Submodules != nil {
		t.Errorf("checked out: %+v", s)
	}
	gittest.Write(t, filepath.Join(lib, "README.md"), "dirty\n")
	if s := snapshot(t, w, base); s.Files != 0 || !equal(s.Submodules, []string{"lib: 1 changed files"}) {
		t.Errorf("dirty: %+v", s)
	}
	r.In(lib, "commit", "--quiet", "-a", "-m", "inside")
	if s := snapshot(t, w, base); s.Files != 0 || len(s.Submodules) != 1 || !strings.Contains(s.Submodules[0], "instead of") {
		t.Errorf("committed inside: %+v", s)
	}
	if err := os.RemoveAll(lib); err != nil {
		t.Fatal(err)
	}
	if s := snapshot(t, w, base); s.Files != 0 {
		t.Errorf("folder gone: %+v", s)
	}
}

// TestF24PathsDifferByCase: they are found, so that one can be warned.
func TestF24PathsDifferByCase(t *testing.T) {
	shape, err := repoAt(t, gittest.CaseClash(t).Dir).Shape(t.Context())
	if want := []string{"Tool", "tool"}; err != nil || !equal(shape.Clashes, want) {
		t.Errorf("Clashes = %q, %v; want %q", shape.Clashes, err, want)
	}
}
