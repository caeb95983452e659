package gittest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Invariants remembers what is the user's in the repository at dir, and returns a
// function that fails the test if any of it is different: the bytes of the main
// checkout, HEAD, the index, refs, stash, configuration, hooks.
//
// What Offrun may change does not count: tasks, .offrun, runs, .worktrees, its refs
// and branches, its lines in info/exclude. Neither does what except names, as
// the failure would: "refs/heads/main", "file README.md", "index".
func Invariants(t testing.TB, dir string, except ...string) (check func()) {
	t.Helper()
	r := At(t, dir)
	before := r.state()
	return func() {
		t.Helper()
		after := r.state()
		for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
			if before[name] != after[name] && !slices.Contains(except, name) {
				t.Errorf("%s of %s changed: before %q, after %q", name, dir, before[name], after[name])
			}
		}
	}
}

func union(a, b map[string]string) map[string]string {
	u := maps.Clone(a)
	maps.Copy(u, b)
	return u
}

// state describes the repository by reading its files, not by asking package git.
func (r *Repo) state() map[string]string {
	r.t.Helper()
	s := map[string]string{}
	common := r.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
	own := r.Git("rev-parse", "--absolute-git-dir")
	for name, path := range map[string]string{
		"config":     filepath.Join(common, "config"),
		"attributes": filepath.Join(common, "info/attributes"),
		"HEAD":       filepath.Join(own, "HEAD"),
		"index":      filepath.Join(own, "index"),
		"stash":      filepath.Join(common, "logs/refs/stash"),
		"settings":   filepath.Join(os.Getenv("HOME"), ".gitconfig"),
	} {
		s[name] = digest(path)
	}
	exclude, _ := os.ReadFile(filepath.Join(common, "info/exclude")) // none is as good as empty
	head, block, _ := strings.Cut(string(exclude), "# offrun: begin\n")
	_, tail, _ := strings.Cut(block, "# offrun: end\n")
	s["exclude"] = strings.TrimSpace(head + tail)
	r.walk(filepath.Join(common, "hooks"), "hook ", s)
	r.walk(r.Dir, "file ", s)
	for line := range strings.Lines(r.Git("for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(name, "refs/offrun/") && !strings.HasPrefix(name, "refs/heads/run/") {
			s[name] = id
		}
	}
	return s
}

// walk digests the files below dir that are the user's.
func (r *Repo) walk(dir, prefix string, into map[string]string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // no hooks folder, or a file that is gone meanwhile
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch filepath.ToSlash(rel) {
		case ".git", "tasks", ".offrun", "runs", ".worktrees":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.IsDir() {
			into[prefix+filepath.ToSlash(rel)] = digest(path)
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// digest stands for a file: kind, permissions, content.
func digest(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return ""
	case info.Mode().Type() == fs.ModeSymlink:
		target, _ := os.Readlink(path) // gone meanwhile is a change too
		return "link to " + target
	case !info.Mode().IsRegular():
		return info.Mode().String()
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(b))
}
