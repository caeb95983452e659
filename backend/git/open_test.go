package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// TestOpenFindsMain: from wherever in the repository, the main checkout is found.
func TestOpenFindsMain(t *testing.T) {
	r := gittest.New(t)
	r.Write("a/b/c.txt", "c\n")
	linked := filepath.Join(gittest.Folder(t, "linked"), "w")
	r.Git("worktree", "add", "--quiet", "-b", "other", linked)
	link := filepath.Join(gittest.Folder(t, "links"), "link")
	if err := os.Symlink(r.Dir, link); err != nil {
		t.Fatal(err)
	}
	want := git.Repo{Dir: r.Dir, GitDir: r.Path(".git")}
	for _, dir := range []string{r.Dir, r.Path("a/b"), linked, link} {
		if got, err := git.Open(t.Context(), dir); got != want || err != nil {
			t.Errorf("Open(%s) = %+v, %v; want %+v", dir, got, err, want)
		}
	}
}

// TestOpenBareWithWorktrees (P4): where there is no main checkout, a linked
// worktree stands for it.
func TestOpenBareWithWorktrees(t *testing.T) {
	r := gittest.BareWithPointer(t)
	want := git.Repo{Dir: r.Dir, GitDir: filepath.Join(r.Other, ".bare"), Admin: filepath.Join(r.Other, ".bare/worktrees/main")}
	if got := repoAt(t, r.Dir); got != want {
		t.Errorf("Open = %+v, want %+v", got, want)
	}
	if _, err := git.Open(t.Context(), r.Other); work.CodeOf(err) != work.Invalid {
		t.Errorf("Open of the bare repository: %v", err)
	}
}

// TestOpenRefuses: each kind of folder that will not do has a text of its own and a
// next step.
func TestOpenRefuses(t *testing.T) {
	r := gittest.EmbeddedBare(t)
	file := filepath.Join(gittest.Folder(t, "files"), "file")
	gittest.Write(t, file, "x")
	foreign := gittest.New(t)
	if err := os.Chown(foreign.Dir, 12345, 12345); err != nil {
		t.Skip("needs root: ", err)
	}
	bare := gittest.Folder(t, "bare")
	r.In(bare, "init", "--quiet", "--bare", ".")
	for _, tt := range []struct {
		dir  string
		want work.Code
	}{
		{gittest.Folder(t, "empty"), work.Invalid},
		{"/no/such/folder", work.NotFound},
		{file, work.Invalid},
		{r.Path(".git"), work.Invalid},
		{r.Path(".git/refs"), work.Invalid},
		{bare, work.Invalid},
		{foreign.Dir, work.Unavailable},
	} {
		got, err := git.Open(t.Context(), tt.dir)
		if work.CodeOf(err) != tt.want || work.Public(err).Next == "" {
			t.Errorf("Open(%s) = %+v, %v; want %s with a next step", tt.dir, got, err, tt.want)
		}
	}
}

// TestF11CoreBare: somebody set core.bare in the shared configuration. Open says
// so; a repository that is open already goes on working.
func TestF11CoreBare(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	before, err := w.Repo.SharedFingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copies := gittest.Folder(t, "copies")
	if err := w.Repo.SaveShared(t.Context(), copies); err != nil {
		t.Fatal(err)
	}

	// What a hook or a test suite does that runs git init with GIT_DIR set.
	t.Setenv("GIT_DIR", w.Admin)
	r.In(w.Path, "init", "--quiet")
	os.Unsetenv("GIT_DIR")
	if out, err := r.Try(r.Dir, "status"); err == nil {
		t.Fatalf("git status still works, the fault is not there: %s", out)
	}

	for _, dir := range []string{r.Dir, w.Path} {
		if _, err := git.Open(t.Context(), dir); work.CodeOf(err) != work.Invalid || work.Public(err).Next == "" {
			t.Errorf("Open(%s) = %v, want a text about core.bare", dir, err)
		}
	}
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	if s := snapshot(t, w, base); s.Files != 1 {
		t.Errorf("snapshot = %+v, want one file", s)
	}
	after, err := w.Repo.SharedFingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	touched := before.Changed(after)
	if len(touched) != 1 || touched[0].Name != "local core.bare" || !touched[0].Danger {
		t.Errorf("touched = %+v, want a dangerous change of core.bare", touched)
	}
	if err := w.Repo.RestoreShared(t.Context(), copies); err != nil {
		t.Fatal(err)
	}
	r.Git("status")
	if _, err := git.Open(t.Context(), r.Dir); err != nil {
		t.Error(err)
	}
}

// TestF14InheritedGitDir: variables that steer git, of whoever started us, reach no
// call of ours.
func TestF14InheritedGitDir(t *testing.T) {
	other := gittest.New(t)
	r := gittest.New(t)
	w, base := attempt(t, r)
	untouched := gittest.Invariants(t, other.Dir)
	for k, v := range map[string]string{
		"GIT_DIR": other.Path(".git"), "GIT_WORK_TREE": other.Dir, "GIT_INDEX_FILE": other.Path(".git/index"),
		"GIT_OBJECT_DIRECTORY": other.Path(".git/objects"), "GIT_COMMON_DIR": other.Path(".git"), "GIT_NAMESPACE": "x",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
		"GIT_EXTERNAL_DIFF": "true", "GIT_DIFF_OPTS": "-u0", "GIT_CEILING_DIRECTORIES": r.Dir, "GIT_LITERAL_PATHSPECS": "1",
		"GIT_CONFIG_PARAMETERS": "'core.bare=true'", "GIT_TRACE": "1",
	} {
		t.Setenv(k, v)
	}
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	repo := repoAt(t, r.Dir)
	if repo.Dir != r.Dir {
		t.Errorf("Open went to %s", repo.Dir)
	}
	s := snapshot(t, w, base)
	if got := changed(t, repo, base, s.Tree); len(got) != 1 || got[0] != "added a.txt" {
		t.Errorf("changes = %q", got)
	}
	for _, k := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"} {
		os.Unsetenv(k)
	}
	untouched()
}

// TestS13EmbeddedBareRepository: a folder of the tree that looks like a bare
// repository is never used as one, and its configuration runs nothing.
func TestS13EmbeddedBareRepository(t *testing.T) {
	r := gittest.EmbeddedBare(t)
	if got, err := git.Open(t.Context(), r.Path("trap")); err == nil {
		t.Errorf("Open of the trap = %+v, want an error", got)
	}
	w, base := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "trap/refs/new"), "x\n")
	s := snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Tree); len(got) != 1 || got[0] != "added trap/refs/new" {
		t.Errorf("changes = %q", got)
	}
	if _, err := os.Stat(r.Path(".git/canary")); err == nil {
		t.Error("the trap's program ran")
	}
}

func TestResolve(t *testing.T) {
	r := gittest.New(t)
	repo := repoAt(t, r.Dir)
	head := r.Git("rev-parse", "HEAD")
	for _, ref := range []string{"", "HEAD", "main", head, head[:10]} {
		if got, err := repo.Resolve(t.Context(), ref); got != head || err != nil {
			t.Errorf("Resolve(%q) = %q, %v", ref, got, err)
		}
	}
	for _, ref := range []string{"--all", "nope", "HEAD:README.md", "main..main", "-"} {
		if got, err := repo.Resolve(t.Context(), ref); work.CodeOf(err) != work.NotFound {
			t.Errorf("Resolve(%q) = %q, %v; want not found", ref, got, err)
		}
	}
}

func TestBranches(t *testing.T) {
	r := gittest.New(t)
	clone := gittest.At(t, gittest.Folder(t, "clone"))
	clone.Git("clone", "--quiet", r.Dir, ".")
	r.Write("README.md", "newer\n")
	r.Commit("second")
	clone.Write("own.txt", "own\n")
	clone.Commit("own")
	clone.Git("fetch", "--quiet")
	repo := repoAt(t, clone.Dir)
	if ahead, behind, name, err := repo.Upstream(t.Context(), "main"); ahead != 1 || behind != 1 || name != "origin/main" || err != nil {
		t.Errorf("Upstream = %d, %d, %q, %v", ahead, behind, name, err)
	}
	if _, _, name, err := repo.Upstream(t.Context(), "none"); name != "" || err != nil {
		t.Errorf("Upstream of nothing = %q, %v", name, err)
	}
	clone.Git("switch", "--quiet", "--detach")
	if branch, err := repo.Branch(t.Context()); branch != "" || err != nil {
		t.Errorf("Branch = %q, %v; want none", branch, err)
	}
	if branch, err := repo.DefaultBranch(t.Context()); branch != "main" || err != nil {
		t.Errorf("DefaultBranch = %q, %v", branch, err)
	}
}

// TestF08Behind: how far a branch has moved since the base of a run is counted, and
// the base stays what it was.
func TestF08Behind(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	r.Write("README.md", "two\n")
	r.Commit("two")
	r.Write("README.md", "three\n")
	r.Commit("three")
	if n, err := w.Repo.Behind(t.Context(), base, "main"); n != 2 || err != nil {
		t.Errorf("Behind = %d, %v; want 2", n, err)
	}
	gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
	if got := changed(t, w.Repo, base, snapshot(t, w, base).Tree); len(got) != 1 {
		t.Errorf("changes = %q, want only the attempt's own", got)
	}
}

// TestDirty: our own folders and cards are not dirt, everything else is.
func TestDirty(t *testing.T) {
	r := gittest.Dirty(t)
	for _, name := range []string{"tasks/x.md", ".offrun/project.yaml", "runs/1/run.json", ".worktrees/w/a"} {
		r.Write(name, "x\n")
	}
	got, err := repoAt(t, r.Dir).Dirty(t.Context())
	want := []string{"src/main.c", "staged.txt", "new/"}
	if err != nil || !equal(got, want) {
		t.Errorf("Dirty = %q, %v; want %q", got, err, want)
	}
}
