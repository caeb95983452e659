package git_test

import (
	"os"
	"strings"
	"testing"

	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// TestF32Exclude: worktrees inside the project are not seen by git add, from the
// first moment, and the user's own lines stay.
func TestF32Exclude(t *testing.T) {
	r := gittest.New(t)
	gittest.Write(t, r.Path(".git/info/exclude"), "# mine\n*.swp")
	repo := repoAt(t, r.Dir)
	for range 3 {
		if err := repo.Exclude(t.Context(), "/.worktrees/", "/runs/", "*.swp"); err != nil {
			t.Fatal(err)
		}
	}
	if err := repo.Exclude(t.Context(), "/node_modules"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(r.Path(".git/info/exclude"))
	want := "# mine\n*.swp\n# offrun: begin\n/.worktrees/\n/runs/\n/node_modules\n# offrun: end\n"
	if err != nil || string(b) != want {
		t.Errorf("exclude = %q, %v; want %q", b, err, want)
	}
	attempt(t, r)
	r.Git("add", "-A")
	if got := r.Git("status", "--porcelain", "-uall"); strings.Contains(got, ".worktrees") {
		t.Errorf("status = %q", got)
	}
}

// TestF32ExcludeUndone: a .gitignore that brings the folder back is found.
func TestF32ExcludeUndone(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "!.worktrees\n!.worktrees/**\n")
	err := repoAt(t, r.Dir).Exclude(t.Context(), "/.worktrees/")
	if work.CodeOf(err) != work.Conflict || work.Public(err).Next == "" {
		t.Errorf("Exclude = %v, want a conflict with a next step", err)
	}
}

// TestExcludeWithoutInfo: a repository made without templates has no info folder.
func TestExcludeWithoutInfo(t *testing.T) {
	r := gittest.New(t)
	if err := os.RemoveAll(r.Path(".git/info")); err != nil {
		t.Fatal(err)
	}
	if err := repoAt(t, r.Dir).Exclude(t.Context(), "/:odd\n"[:5], "/.worktrees/"); err != nil {
		t.Error(err)
	}
}
