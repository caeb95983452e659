package project

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// workspace is a repository with a fresh worktree.
type workspace struct {
	*gittest.Repo
	t    *testing.T
	repo git.Repo
	to   string
}

// newWorkspace commits the files, adds a worktree, and then writes those that git
// does not keep.
func newWorkspace(t *testing.T, committed, kept map[string]string) workspace {
	t.Helper()
	r := gittest.New(t)
	for name, text := range committed {
		r.Write(name, text)
	}
	if len(committed) > 0 {
		r.Commit("files")
	}
	w := workspaceOf(t, r)
	for name, text := range kept {
		r.Write(name, text)
	}
	return w
}

// workspaceOf adds a worktree to r.
func workspaceOf(t *testing.T, r *gittest.Repo) workspace {
	t.Helper()
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Exclude(t.Context(), ".worktrees/"); err != nil {
		t.Fatal(err)
	}
	commit, err := repo.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(r.Dir, ".worktrees", "w")
	if _, err := repo.AddWorktree(t.Context(), git.WorktreeOptions{Path: to, Branch: "run/w", Commit: commit, Mark: "test"}); err != nil {
		t.Fatal(err)
	}
	return workspace{Repo: r, t: t, repo: repo, to: to}
}

// prepare prepares the worktree and returns what was said. The main checkout must
// stay as it is, and the worktree clean.
func (w workspace) prepare(s work.Settings) []string {
	w.t.Helper()
	check := gittest.Invariants(w.t, w.Dir)
	lines, err := Prepare(w.t.Context(), Prep{Repo: w.repo, To: w.to, Settings: s})
	if err != nil {
		w.t.Fatal(err)
	}
	check()
	if status := w.In(w.to, "status", "--porcelain", "--untracked-files=all"); status != "" {
		w.t.Errorf("what was brought looks like the agent's work:\n%s", status)
	}
	return lines
}

func (w workspace) wantFile(name, text string) {
	w.t.Helper()
	got, err := os.ReadFile(filepath.Join(w.to, name))
	if err != nil || string(got) != text {
		w.t.Errorf("%s = %q, %v; want %q", name, got, err, text)
	}
}

func (w workspace) wantNone(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(w.to, name)); !errors.Is(err, os.ErrNotExist) {
			w.t.Errorf("%s is there: %v", name, err)
		}
	}
}

// A fresh worktree gets the files that git ignores and a project needs.
func TestF34IgnoredFilesComeAlong(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".gitignore": ".env\nnode_modules/\n*.pem\nlocal/\nsecret.txt\n", "certs/README": "x", "web/package.json": "{}",
	}, map[string]string{
		".env": "KEY=1", "certs/dev.pem": "PEM", "local/a/b": "deep", "secret.txt": "stays",
		"node_modules/x/index.js": "x", "web/node_modules/y/index.js": "y", "gone/node_modules/z/index.js": "z",
	})
	s := Defaults()
	s.Bring = []string{".env", "**/*.pem", "local", "missing.txt"}
	lines := w.prepare(s)
	w.wantFile(".env", "KEY=1")
	w.wantFile("certs/dev.pem", "PEM")
	w.wantFile("local/a/b", "deep")
	w.wantFile("node_modules/x/index.js", "x")
	w.wantFile("web/node_modules/y/index.js", "y")
	w.wantNone("secret.txt", "gone", "missing.txt")
	said := strings.Join(lines, "\n")
	for _, want := range []string{".env: brought along", "certs/dev.pem: brought along", "local: c", "node_modules: c", "web/node_modules: c"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// What git would show as the agent's work is not brought, and it is said why.
func TestPrepareNotIgnored(t *testing.T) {
	w := newWorkspace(t, map[string]string{"tracked.txt": "base", "half/a": "a"}, map[string]string{
		"untracked.txt": "x", "tracked.txt": "changed", "node_modules/x": "x",
	})
	w.Git("switch", "--quiet", "-c", "other")
	w.Write("later.txt", "committed")
	w.Git("add", "later.txt")
	w.Git("commit", "--quiet", "-m", "later")
	s := Defaults()
	s.Bring = []string{"*.txt"}
	want := []string{
		"later.txt: not brought, as it is committed, but not on the base of this run",
		"untracked.txt: not brought, as git does not ignore it",
		"node_modules: not brought, as git does not ignore it",
	}
	if diff := cmp.Diff(want, w.prepare(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.wantFile("tracked.txt", "base")
	w.wantNone("untracked.txt", "later.txt", "node_modules")
}

// A linked folder is no new file to git, even where .gitignore names folders only.
func TestF57LinkIsIgnored(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": "node_modules/\nodd \\[1]/\n"}, map[string]string{"node_modules/x": "x", "odd [1]/x": "x"})
	s := Defaults()
	s.Dependencies = map[string]string{"node_modules": link, "odd [1]": link}
	lines := w.prepare(s)
	for _, name := range []string{"node_modules", "odd [1]"} {
		if target, err := os.Readlink(filepath.Join(w.to, name)); err != nil || target != filepath.Join(w.Dir, name) {
			t.Errorf("%s leads to %q, %v", name, target, err)
		}
	}
	if len(lines) != 2 || !strings.Contains(lines[0], "shared") {
		t.Errorf("lines %q", lines)
	}
}

func TestPrepareDependencyWays(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": "node_modules/\nvenv/\ndeps/\n", "a/b/c/x": "", "vendored/node_modules/x": ""}, map[string]string{
		"node_modules/x": "x", "venv/x": "x", "a/node_modules/x": "x", "a/b/node_modules/x": "x", "a/b/c/node_modules/x": "x",
		"node_modules/p/node_modules/x": "x", "deps/x": "x",
	})
	s := Defaults()
	s.Dependencies = map[string]string{"node_modules": clone, "./deps": clone, "venv": install, "a/node_modules": none}
	w.prepare(s)
	w.wantFile("node_modules/p/node_modules/x", "x")
	w.wantFile("a/b/node_modules/x", "x")
	w.wantFile("deps/x", "x")
	w.wantNone("venv", "a/node_modules", "a/b/c/node_modules")
	s.Dependencies = map[string]string{}
	if lines := w.prepare(s); len(lines) > 0 {
		t.Errorf("lines %q", lines)
	}
}

// A copy has the modes, times and links of the original.
func TestPrepareKeepsAttributes(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": "node_modules/\n"}, map[string]string{
		"node_modules/bin/tool": "#!/bin/sh\n", "node_modules/empty": "", "node_modules/a \"b\"\n/ü": "odd", "node_modules/ro/x": "x",
	})
	modules := filepath.Join(w.Dir, "node_modules")
	old := time.Date(2020, 1, 2, 3, 4, 5, 600, time.UTC)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Join(modules, "bin/tool"), 0o775))
	must(os.Chtimes(filepath.Join(modules, "bin/tool"), old, old))
	must(os.Symlink("../bin/tool", filepath.Join(modules, "relative")))
	must(os.Symlink(filepath.Join(w.Dir, "README.md"), filepath.Join(modules, "absolute")))
	must(os.Symlink("/usr/bin/env", filepath.Join(modules, "outside")))
	must(os.Mkdir(filepath.Join(modules, "hollow"), 0o755))
	must(os.Chtimes(modules, old, old))
	must(os.Chmod(filepath.Join(modules, "ro"), 0o555))
	w.prepare(Defaults())

	copied := filepath.Join(w.to, "node_modules")
	info, err := os.Stat(filepath.Join(copied, "bin/tool"))
	if err != nil || info.Mode().Perm() != 0o775 || !info.ModTime().Equal(old) {
		t.Errorf("tool: %v, %v", info, err)
	}
	if info, err := os.Stat(copied); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("folder: %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(copied, "ro")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("read-only folder: %v, %v", info, err)
	}
	for name, want := range map[string]string{"relative": "../bin/tool", "absolute": filepath.Join(w.to, "README.md"), "outside": "/usr/bin/env"} {
		if target, err := os.Readlink(filepath.Join(copied, name)); err != nil || target != want {
			t.Errorf("%s leads to %q, %v; want %q", name, target, err, want)
		}
	}
	w.wantFile("node_modules/a \"b\"\n/ü", "odd")
	w.wantFile("node_modules/empty", "")
	w.wantFile("node_modules/ro/x", "x")
	if _, err := os.Stat(filepath.Join(copied, "hollow")); err != nil {
		t.Error(err)
	}
	must(os.Chmod(filepath.Join(modules, "ro"), 0o755)) // so that the test's folder can be removed
	must(os.Chmod(filepath.Join(copied, "ro"), 0o755))
}

// What an interrupted preparation left is made again, whole.
func TestPrepareAgain(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": "node_modules/\n.env\n.offrun-half-*\n"}, map[string]string{"node_modules/x": "x", ".env": "A=1"})
	gittest.Write(t, filepath.Join(w.to, ".offrun-half-node_modules/old"), "half")
	gittest.Write(t, filepath.Join(w.to, ".offrun-half-.env"), "half")
	w.prepare(Defaults())
	w.wantFile("node_modules/x", "x")
	w.wantFile(".env", "A=1")
	w.wantNone("node_modules/old", ".offrun-half-node_modules", ".offrun-half-.env")

	gittest.Write(t, filepath.Join(w.to, ".env"), "A=2")
	if lines := w.prepare(Defaults()); len(lines) > 0 {
		t.Errorf("prepared again: %q", lines)
	}
	w.wantFile(".env", "A=2") // what the worktree has stays
}

// No link leads a copy out of the project or out of the worktree.
func TestPrepareStaysInside(t *testing.T) {
	outside := gittest.Folder(t, "outside")
	gittest.Write(t, filepath.Join(outside, "secret"), "secret")
	r := gittest.New(t)
	r.Write(".gitignore", ".env\ncerts-in/x\n")
	if err := os.Symlink(outside, r.Path("certs")); err != nil {
		t.Fatal(err)
	}
	r.Commit("a link in the tree")
	w := workspaceOf(t, r)
	for link, target := range map[string]string{".env": filepath.Join(outside, "secret"), "node_modules": outside} {
		if err := os.Symlink(target, r.Path(link)); err != nil {
			t.Fatal(err)
		}
	}
	s := Defaults()
	s.Bring = []string{".env", "certs/secret", "certs/*"}
	if _, err := Prepare(t.Context(), Prep{Repo: w.repo, To: w.to, Settings: s}); err != nil {
		t.Fatal(err)
	}
	w.wantNone(".env", "node_modules")

	// The worktree's folder is a link to elsewhere, the main checkout's is none.
	if err := os.Remove(r.Path("certs")); err != nil {
		t.Fatal(err)
	}
	r.Write("certs/new", "x")
	r.Git("rm", "--quiet", "--cached", "certs")
	r.Write(".gitignore", "certs/\n")
	r.Git("add", ".gitignore")
	r.Git("commit", "--quiet", "-m", "no link")
	s.Bring = []string{"certs/new"}
	lines, err := Prepare(t.Context(), Prep{Repo: w.repo, To: w.to, Settings: s})
	if err != nil || !cmp.Equal(lines, []string{"certs/new: not brought, as a link in the worktree leads elsewhere"}) {
		t.Errorf("lines %q, %v", lines, err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

// A Python environment becomes the worktree's: packages installed in place are
// those the agent works on.
func TestPrepareVenv(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": ".venv/\n"}, nil)
	w.Write(".venv/pyvenv.cfg", "home = /usr/bin\ncommand = python -m venv "+w.Dir+"/.venv\n")
	w.Write(".venv/bin/pytest", "#!"+w.Dir+"/.venv/bin/python\nimport "+w.Dir+"-other\n")
	w.Write(".venv/bin/blob", "\x00"+w.Dir)
	w.Write(".venv/lib/python3.11/site-packages/__editable__.app.pth", w.Dir+"\n")
	lines := w.prepare(Defaults())
	w.wantFile(".venv/pyvenv.cfg", "home = /usr/bin\ncommand = python -m venv "+w.to+"/.venv\n")
	w.wantFile(".venv/bin/pytest", "#!"+w.to+"/.venv/bin/python\nimport "+w.Dir+"-other\n")
	w.wantFile(".venv/bin/blob", "\x00"+w.Dir)
	w.wantFile(".venv/lib/python3.11/site-packages/__editable__.app.pth", w.to+"\n")
	if text := w.Read(".venv/bin/pytest"); !strings.Contains(text, w.Dir+"/.venv") {
		t.Errorf("the original changed: %q", text)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "3 files of the Python environment") {
		t.Errorf("lines %q", lines)
	}
}

func TestPrepareTask(t *testing.T) {
	w := newWorkspace(t, nil, nil)
	if err := w.repo.Exclude(t.Context(), "/.offrun/task.md"); err != nil {
		t.Fatal(err)
	}
	task := filepath.Join(t.TempDir(), "card.md")
	gittest.Write(t, task, "# Task: x\n")
	if _, err := Prepare(t.Context(), Prep{Repo: w.repo, To: w.to, Settings: Defaults(), Task: task}); err != nil {
		t.Fatal(err)
	}
	w.wantFile(".offrun/task.md", "# Task: x\n")
	w.prepare(Defaults())
}

func TestPrepareCancelled(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": "node_modules/\n"}, map[string]string{"node_modules/x": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Prepare(ctx, Prep{Repo: w.repo, To: w.to, Settings: Defaults()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	w.wantNone("node_modules")
}
