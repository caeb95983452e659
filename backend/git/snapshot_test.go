package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// scratch takes a snapshot as while an agent works.
func scratch(t testing.TB, w git.Worktree, base, index, objects string) git.Snapshot {
	t.Helper()
	s, err := w.Snapshot(t.Context(), git.SnapshotOptions{Base: base, Index: index, Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// looseObjects counts the loose objects of a repository.
func looseObjects(r *gittest.Repo) string {
	count, _, _ := strings.Cut(r.Git("count-objects"), " ")
	return count
}

// TestF10AgentHoldsTheIndexLock: a snapshot taken while an agent works waits for
// nothing, changes not a byte of the agent's index and leaves no object behind.
func TestF10AgentHoldsTheIndexLock(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	gittest.Write(t, filepath.Join(w.Path, "README.md"), "changed\n")
	gittest.Write(t, filepath.Join(w.Admin, "index.lock"), "")
	before, objects := digest(t, filepath.Join(w.Admin, "index")), looseObjects(r)
	dir := gittest.Folder(t, "scratch")
	for range 2 { // the second time with the kept index
		s := scratch(t, w, base, filepath.Join(dir, "index"), filepath.Join(dir, "objects"))
		if s.Files != 2 {
			t.Errorf("snapshot = %+v, want 2 files", s)
		}
		seeing := w.Repo.WithObjects(filepath.Join(dir, "objects"))
		if got := changed(t, seeing, base, s.Tree); !equal(got, []string{"changed README.md", "added a.txt"}) {
			t.Errorf("changes = %q", got)
		}
	}
	if got := looseObjects(r); got != objects {
		t.Errorf("%s loose objects, before %s", got, objects)
	}
	if digest(t, filepath.Join(w.Admin, "index")) != before {
		t.Error("the agent's index changed")
	}
	r.Git("fsck", "--strict")
}

func digest(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.ModTime(), string(b))
}

// TestSnapshotKeptIndex: a kept index notices what the agent has staged since, even
// files that ignore rules hide.
func TestSnapshotKeptIndex(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	dir := gittest.Folder(t, "scratch")
	index, objects := filepath.Join(dir, "index"), filepath.Join(dir, "objects")
	gittest.Write(t, filepath.Join(w.Path, ".gitignore"), "*.log\n")
	gittest.Write(t, filepath.Join(w.Path, "x.log"), "log\n")
	if s := scratch(t, w, base, index, objects); s.Files != 1 {
		t.Errorf("%d files, want .gitignore", s.Files)
	}
	r.In(w.Path, "add", "--force", "x.log")
	if s := scratch(t, w, base, index, objects); s.Files != 2 {
		t.Errorf("%d files, want x.log too", s.Files)
	}
}

// TestF37BranchSwitched: an agent on another branch, or on none, is seen, and what
// it committed there is part of the result (F49).
func TestF37BranchSwitched(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	r.In(w.Path, "switch", "--quiet", "-c", "other")
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	r.In(w.Path, "add", "-A")
	r.In(w.Path, "commit", "--quiet", "-m", "on another branch")
	s := snapshot(t, w, base)
	if s.Branch != "other" || s.Head != r.In(w.Path, "rev-parse", "HEAD") || s.Head == base {
		t.Errorf("snapshot = %+v", s)
	}
	if got := changed(t, w.Repo, base, s.Tree); !equal(got, []string{"added a.txt"}) {
		t.Errorf("changes = %q", got)
	}
	r.In(w.Path, "switch", "--quiet", "--detach")
	if s := snapshot(t, w, base); s.Branch != "" || s.Head == "" {
		t.Errorf("detached: %+v", s)
	}
	r.In(w.Path, "switch", "--quiet", "--orphan", "empty")
	gittest.Write(t, filepath.Join(w.Path, "b.txt"), "b\n")
	s = snapshot(t, w, base)
	if s.Branch != "empty" || s.Head != "" {
		t.Errorf("orphan: %+v", s)
	}
	if got := changed(t, w.Repo, base, s.Tree); !equal(got, []string{"deleted README.md", "added b.txt"}) {
		t.Errorf("orphan: changes = %q", got)
	}
}

// TestF48F49AllWorkCounts: untracked, staged, unstaged and committed work counts alike,
// against the base and nothing else.
func TestF48F49AllWorkCounts(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "committed.txt"), "1\n")
	r.In(w.Path, "add", "-A")
	r.In(w.Path, "commit", "--quiet", "-m", "own work")
	gittest.Write(t, filepath.Join(w.Path, "staged.txt"), "1\n2\n")
	r.In(w.Path, "add", "staged.txt")
	gittest.Write(t, filepath.Join(w.Path, "pkg/new/a.go"), "1\n2\n3\n")
	gittest.Write(t, filepath.Join(w.Path, "README.md"), "changed\n")
	s := snapshot(t, w, base)
	cs, err := w.Repo.Changes(t.Context(), base, s.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cs {
		got = append(got, fmt.Sprintf("%s %s +%d -%d", c.Status, c.Path, c.Added, c.Deleted))
	}
	want := []string{"changed README.md +1 -1", "added committed.txt +1 -0", "added pkg/new/a.go +3 -0", "added staged.txt +2 -0"}
	if !equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
}

// TestF36F49KeptByRef: what an agent committed and left cannot be lost.
func TestF36F49KeptByRef(t *testing.T) {
	r := gittest.DeadSigning(t) // F36: nothing of ours is signed
	w, base := attempt(t, r)
	r.In(w.Path, "switch", "--quiet", "--detach")
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	r.In(w.Path, "add", "-A")
	r.In(w.Path, "commit", "--quiet", "-m", "nobody knows")
	s := snapshot(t, w, base)
	id, err := w.Repo.Keep(t.Context(), "refs/offrun/keep/run/fake/1", s.Full, []string{s.Head}, "run fake 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Git("log", "--format=%an %s", "refs/offrun/keep/run/fake/1"); got != "Offrun run fake 1\nTest User nobody knows\nTest User first" {
		t.Errorf("log = %q", got)
	}
	if got := r.Git("rev-parse", id+"^{tree}"); got != s.Full {
		t.Errorf("tree = %s, want %s", got, s.Full)
	}
	if _, err := w.Repo.Keep(t.Context(), "refs/heads/main", s.Full, nil, "no\n"); err == nil {
		t.Error("Keep wrote a branch")
	}
}

// TestF51OtherCardLanded: when trunk moves, an attempt's changes stay its own.
func TestF51OtherCardLanded(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "mine.txt"), "mine\n")
	r.Write("theirs.txt", "theirs\n")
	r.Commit("landed meanwhile")
	s := snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Tree); !equal(got, []string{"added mine.txt"}) {
		t.Errorf("changes = %q", got)
	}
}

// TestF57LinkedDependencies: a linked dependency folder, excluded without a slash,
// is not part of the result.
func TestF57LinkedDependencies(t *testing.T) {
	r := gittest.New(t)
	r.Write("node_modules/left-pad/index.js", "x\n")
	w, base := attempt(t, r)
	if err := os.Symlink(r.Path("node_modules"), filepath.Join(w.Path, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := w.Repo.Exclude(t.Context(), "/node_modules"); err != nil {
		t.Fatal(err)
	}
	if s := snapshot(t, w, base); s.Files != 0 || !slices.Contains(s.Ignored, "node_modules") {
		t.Errorf("snapshot = %+v, want nothing but an ignored link", s)
	}
}

// TestTwoTrees: NOTES.md, .offrun and our scratch are part of the full tree only;
// where the base has them they stay as they were there.
func TestTwoTrees(t *testing.T) {
	r := gittest.New(t)
	r.Write(".offrun/project.yaml", "trunk: main\n")
	r.Write("docs/NOTES.md", "docs\n")
	r.Commit("settings")
	w, base := attempt(t, r)
	for _, name := range []string{"NOTES.md", ".offrun/project.yaml", ".offrun/agents/fake.md", ".scratch/tmp", "docs/NOTES.md", "src/a.c"} {
		gittest.Write(t, filepath.Join(w.Path, name), "new\n")
	}
	o := git.SnapshotOptions{Base: base, Scratch: []string{".scratch"}}
	s, err := w.Snapshot(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := changed(t, w.Repo, base, s.Tree), []string{"changed docs/NOTES.md", "added src/a.c"}; !equal(got, want) || s.Files != 2 {
		t.Errorf("tree: %q (%d), want %q", got, s.Files, want)
	}
	if got := changed(t, w.Repo, base, s.Full); len(got) != 6 {
		t.Errorf("full tree: %q, want 6", got)
	}
	o.Notes = "land"
	if s, err = w.Snapshot(t.Context(), o); err != nil || s.Files != 3 {
		t.Errorf("notes: land: %+v, %v; want 3 files", s, err)
	}
}

// TestSnapshotSeesHiddenChanges: marks by which an index can be told to overlook a
// file do not hide it.
func TestSnapshotSeesHiddenChanges(t *testing.T) {
	r := gittest.New(t)
	r.Write("b.txt", "b\n")
	r.Commit("b")
	w, base := attempt(t, r)
	r.In(w.Path, "update-index", "--assume-unchanged", "README.md")
	r.In(w.Path, "update-index", "--skip-worktree", "b.txt")
	gittest.Write(t, filepath.Join(w.Path, "README.md"), "hidden\n")
	gittest.Write(t, filepath.Join(w.Path, "b.txt"), "hidden\n")
	s := snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Full); !equal(got, []string{"changed README.md", "changed b.txt"}) {
		t.Errorf("changes = %q", got)
	}
}

// TestSnapshotSeesSameInstant: a change in the very instant in which the agent's
// index was written, of the same length, is seen: the copy keeps the index's time.
func TestSnapshotSeesSameInstant(t *testing.T) {
	r := gittest.New(t)
	r.Git("config", "core.trustctime", "false")
	w, base := attempt(t, r)
	readme := filepath.Join(w.Path, "README.md")
	now := time.Now().Add(-time.Minute).Truncate(time.Second)
	if err := os.Chtimes(readme, now, now); err != nil {
		t.Fatal(err)
	}
	r.In(w.Path, "update-index", "--refresh")
	gittest.Write(t, readme, "jello\n")
	for _, file := range []string{readme, filepath.Join(w.Admin, "index")} {
		if err := os.Chtimes(file, now, now); err != nil {
			t.Fatal(err)
		}
	}
	if s := snapshot(t, w, base); s.Files != 1 {
		t.Error("the change was missed")
	}
}

// TestSnapshotWithoutIndex: an agent that broke or removed its index loses nothing.
func TestSnapshotWithoutIndex(t *testing.T) {
	for _, text := range []string{"", "garbage"} {
		r := gittest.New(t)
		w, base := attempt(t, r)
		index := filepath.Join(w.Admin, "index")
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			gittest.Write(t, index, text)
		}
		gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
		s := snapshot(t, w, base)
		if got := changed(t, w.Repo, base, s.Full); !equal(got, []string{"added a.txt"}) {
			t.Errorf("index %q: changes = %q", text, got)
		}
	}
}

// TestSnapshotMidMerge: a worktree in the middle of a merge gives a result, and says
// so; the agent's own unmerged entries stay.
func TestSnapshotMidMerge(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	r.Write("README.md", "theirs\n")
	r.Commit("theirs")
	gittest.Write(t, filepath.Join(w.Path, "README.md"), "mine\n")
	r.In(w.Path, "commit", "--quiet", "-a", "-m", "mine")
	if _, err := r.Try(w.Path, "-c", "merge.verifySignatures=false", "merge", "--quiet", "main"); err == nil {
		t.Fatal("no conflict")
	}
	s := snapshot(t, w, base)
	if !s.Unmerged || s.Unfinished == "" || s.Files != 1 {
		t.Errorf("snapshot = %+v", s)
	}
	if r.In(w.Path, "ls-files", "--unmerged") == "" {
		t.Error("the agent's conflict was resolved")
	}
}

// TestSnapshotOddFiles: what is no plain file, or cannot be read, does not keep the
// rest from being taken.
func TestSnapshotOddFiles(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	for _, name := range gittest.Odd {
		gittest.Write(t, filepath.Join(w.Path, "odd", name), name+"\n")
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(w.Path, "link")); err != nil {
		t.Fatal(err)
	}
	makeFIFO(t, filepath.Join(w.Path, "pipe"))
	s := snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Full); len(got) != len(gittest.Odd)+1 {
		t.Errorf("changes = %q, want %d", got, len(gittest.Odd)+1)
	}
}

// TestSnapshotGone: a worktree that somebody removed is NotFound.
func TestSnapshotGone(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	if err := os.RemoveAll(w.Path); err != nil {
		t.Fatal(err)
	}
	_, err := w.Snapshot(t.Context(), git.SnapshotOptions{Base: base})
	if work.CodeOf(err) != work.NotFound {
		t.Errorf("Snapshot = %v, want not found", err)
	}
}

// TestReplacedObjects: an agent that gives git another file to show in place of a
// stored one deceives nobody.
func TestReplacedObjects(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "README.md"), "evil\n")
	r.In(w.Path, "replace", r.In(w.Path, "hash-object", "-w", "README.md"), r.Git("rev-parse", base+":README.md"))
	text, err := w.Repo.PatchText(t.Context(), base, snapshot(t, w, base).Tree, git.PatchOptions{})
	if err != nil || !strings.Contains(string(text), "+evil\n") {
		t.Errorf("patch = %q, %v", text, err)
	}
}
