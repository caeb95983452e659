package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"offrun/backend/work"
)

// PointerIntact checks the three files by which a worktree and its repository
// find each other. An agent can rewrite all of them (F40, S08). Our own calls do
// not depend on them, but whoever runs git in the folder does. The error is a
// Conflict that says which file is wrong.
func (w Worktree) PointerIntact() error {
	for _, p := range []struct{ file, prefix, base, want string }{
		{filepath.Join(w.Path, ".git"), "gitdir: ", w.Path, w.Admin},
		{filepath.Join(w.Admin, "gitdir"), "", w.Admin, filepath.Join(w.Path, ".git")},
		{filepath.Join(w.Admin, "commondir"), "", w.Admin, w.Repo.GitDir},
	} {
		text, err := readSmall(p.file)
		name, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), p.prefix)
		if err == nil && ok && sameFile(absolute(p.base, name), p.want) {
			continue
		}
		return work.Hide(work.Conflict, err, fmt.Sprintf("%s no longer points to %s", p.file, p.want)).
			Do("Something rewrote it; do not run git in that folder. Put the line back, or clean the attempt up.")
	}
	return nil
}

// readPointer returns the git directory that a .git file names.
func readPointer(file string) (string, error) {
	text, err := readSmall(file)
	if err != nil {
		return "", err
	}
	name, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s does not name a git directory", file)
	}
	return absolute(filepath.Dir(file), name), nil
}

// readSmall reads a file of git's that holds one path.
func readSmall(file string) (string, error) {
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > 64<<10:
		return "", fmt.Errorf("%s is not a small plain file", file)
	}
	b, err := os.ReadFile(file)
	return string(b), err
}

func absolute(base, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(base, name)
}

// sameFile compares two paths, as far as they exist by what they lead to.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
