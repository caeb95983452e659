package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
)

// R10: a worktree goes back to an earlier tree, and what lay there is kept, also if
// the first go at it was interrupted.
func TestRestore(t *testing.T) {
	w, base := attempt(t, gittest.New(t))
	write := func(name, text string) {
		t.Helper()
		gittest.Write(t, filepath.Join(w.Path, name), text)
	}
	take := func() string {
		t.Helper()
		s, err := w.Snapshot(t.Context(), git.SnapshotOptions{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		return s.Full
	}
	write("kept.txt", "one\n")
	write("dir/old.txt", "old\n")
	first := take()
	write("kept.txt", "two\n")
	write("new.txt", "new\n")
	if err := os.RemoveAll(filepath.Join(w.Path, "dir")); err != nil {
		t.Fatal(err)
	}
	second := take()
	const ref = "refs/offrun/keep/r/a/before-3"
	if err := w.Restore(t.Context(), base, first, ref, "before"); err != nil {
		t.Fatal(err)
	}
	if got := take(); got != first {
		t.Errorf("restored to %s, want %s", got, first)
	}
	kept, err := w.Repo.Ref(t.Context(), ref)
	if err != nil || kept == "" {
		t.Fatalf("nothing is kept: %v", err)
	}
	if tree, err := w.Repo.Tree(t.Context(), kept); err != nil || tree != second {
		t.Errorf("kept %s, %v; want %s", tree, err, second)
	}
	// A second call, as after a kill, keeps what the first one kept.
	write("half.txt", "half\n")
	if err := w.Restore(t.Context(), base, first, ref, "before"); err != nil {
		t.Fatal(err)
	}
	if again, err := w.Repo.Ref(t.Context(), ref); err != nil || again != kept {
		t.Errorf("the kept work was replaced: %s, %v", again, err)
	}
	if got := take(); got != first {
		t.Errorf("restored to %s, want %s", got, first)
	}
}
