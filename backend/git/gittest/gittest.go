// Package gittest makes repositories for tests: with the real git, in a home of
// their own, so that they are alike on every machine. The repository zoo (see Zoo)
// holds every odd shape that a repository was seen in, and Invariants checks that
// nothing was touched that is the user's.
package gittest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/proc"
)

// A Repo is a repository made for one test.
type Repo struct {
	Dir   string // top folder of its main checkout, without symbolic links
	Other string // a second checkout, where the shape has one
	t     testing.TB
}

// New returns a repository with the branch main and one commit, which holds
// README.md. The home folder of the test becomes one of Home's.
func New(t testing.TB) *Repo {
	t.Helper()
	r := Empty(t)
	r.Write("README.md", "hello\n")
	r.Commit("first")
	return r
}

// Empty returns a repository without a commit (F01); flags go to git init.
func Empty(t testing.TB, flags ...string) *Repo {
	t.Helper()
	Home(t)
	r := &Repo{Dir: Folder(t, "project"), t: t}
	r.Git(append([]string{"init", "--quiet", "-b", "main"}, flags...)...)
	return r
}

// At returns the repository whose checkout is at dir.
func At(t testing.TB, dir string) *Repo { return &Repo{Dir: dir, t: t} }

// Folder makes a folder for the test and returns its real path.
func Folder(t testing.TB, name string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Git runs git in the main checkout and returns its output without the last line
// feed. If git fails, so does the test.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.In(r.Dir, args...)
}

// In is Git in another folder.
func (r *Repo) In(dir string, args ...string) string {
	r.t.Helper()
	return r.must(r.start(dir, nil, "", args...))
}

// Try is In for a git that may fail.
func (r *Repo) Try(dir string, args ...string) (string, error) {
	r.t.Helper()
	return r.start(dir, nil, "", args...)
}

// builder are settings for the git that builds repositories, so that it does not
// stumble over the weird home.
var builder = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.safecrlf=false",
	"commit.gpgSign=false", "tag.gpgSign=false", "color.ui=never", "diff.orderFile=" + os.DevNull,
	"protocol.file.allow=always", "submodule.recurse=false", "advice.addEmbeddedRepo=false",
}

func (r *Repo) start(dir string, env []string, stdin string, args ...string) (string, error) {
	argv := []string{"git"}
	for _, s := range builder {
		argv = append(argv, "-c", s)
	}
	c := proc.Cmd{Argv: append(argv, args...), Dir: dir, Env: append(os.Environ(), env...), Stdin: strings.NewReader(stdin)}
	out, err := c.Output(r.t.Context())
	return strings.TrimSuffix(string(out), "\n"), err
}

// Path joins name, which has slashes, to the main checkout.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Write writes a file of the main checkout, with its folders.
func (r *Repo) Write(name, text string) {
	r.t.Helper()
	Write(r.t, r.Path(name), text)
}

// Write writes a file with its folders.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Script writes an executable shell script.
func Script(t testing.TB, path, text string) {
	t.Helper()
	Write(t, path, "#!/bin/sh\n"+text)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// Read returns the text of a file of the main checkout.
func (r *Repo) Read(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.Path(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// Commit commits everything in the main checkout and returns the commit's id.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "--quiet", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

// CommitTree commits files, path → text, which need not be possible on this disk,
// and moves branch there; the main checkout stays as it is. A path that ends in @
// is a symbolic link with its text as target. It returns the commit's id.
func (r *Repo) CommitTree(branch, message string, files map[string]string) string {
	r.t.Helper()
	var info strings.Builder
	for path, text := range files {
		mode := "100644"
		if link, ok := strings.CutSuffix(path, "@"); ok {
			mode, path = "120000", link
		}
		fmt.Fprintf(&info, "%s %s\t%s\x00", mode, r.Blob(text), path)
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(r.t.TempDir(), "index")}
	r.must(r.start(r.Dir, index, info.String(), "update-index", "-z", "--index-info"))
	tree := r.must(r.start(r.Dir, index, "", "write-tree"))
	id := r.Git("commit-tree", "-m", message, tree)
	r.Git("update-ref", "refs/heads/"+branch, id)
	return id
}

// Blob stores text as it is and returns its id.
func (r *Repo) Blob(text string) string {
	r.t.Helper()
	return r.must(r.start(r.Dir, nil, text, "hash-object", "-w", "--stdin"))
}

func (r *Repo) must(out string, err error) string {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}
