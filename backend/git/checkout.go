package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Checkout is a folder in which a branch of the repository is checked out, or
// said to be: the main checkout or a linked worktree, anybody's.
type Checkout struct {
	Path   string
	Admin  string // its git directory; "" if none was found that belongs to Path
	Branch string // "" if HEAD is detached
	Uses   string // branch that a rebase there will write when it is done, or ""
}

// in is a call on a checkout.
func (r Repo) in(c Checkout) call {
	to := r.at()
	to.dir, to.gitDir, to.workTree = c.Path, c.Admin, c.Path
	return to
}

// Checkouts returns all checkouts of the repository, the main one first.
func (r Repo) Checkouts(ctx context.Context) ([]Checkout, error) {
	out, err := r.run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var all []Checkout
	for i, record := range strings.Split(strings.TrimSuffix(string(out), "\x00\x00"), "\x00\x00") {
		var c Checkout
		bare := false
		for _, line := range strings.Split(record, "\x00") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				c.Path = value
			case "branch":
				c.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "bare":
				bare = true
			}
		}
		switch {
		case i == 0 && r.Admin == "": // git derives its path from GitDir, wrongly if that lies elsewhere
			c.Path, c.Admin = r.Dir, r.GitDir
		case bare:
			continue
		default:
			if c.Admin, err = r.ownAdmin(c.Path); err != nil {
				return nil, err
			}
		}
		c.Uses = rebased(c.Admin)
		all = append(all, c)
	}
	return all, nil
}

// ownAdmin returns the git directory of the worktree at path, if the folder names
// it too: an agent can write records of its own into GitDir, to make us write into
// a folder that it cannot reach itself (S08).
func (r Repo) ownAdmin(path string) (string, error) {
	admin, err := r.adminOf(path)
	if err != nil || admin == "" {
		return "", err
	}
	back, err := readPointer(filepath.Join(path, ".git"))
	if err != nil || !sameFile(back, admin) {
		return "", nil //nolint:nilerr // not there, or not its own: the caller sees that Admin is missing
	}
	return admin, nil
}

// rebased returns the branch that a rebase under way in admin will write, or "".
// HEAD is detached meanwhile.
func rebased(admin string) string {
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		if name, err := readSmall(filepath.Join(admin, dir, "head-name")); admin != "" && err == nil {
			return strings.TrimPrefix(strings.TrimSpace(name), "refs/heads/")
		}
	}
	return ""
}

// underway names an operation that stands unfinished in admin, or returns "".
func underway(admin string) (string, error) {
	for _, op := range []struct{ file, name string }{
		{"MERGE_HEAD", "a merge"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"},
		{"REVERT_HEAD", "a revert"},
		{"rebase-merge", "a rebase"},
		{"rebase-apply", "a rebase"},
	} {
		_, err := os.Lstat(filepath.Join(admin, op.file))
		if err == nil {
			return op.name, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}
