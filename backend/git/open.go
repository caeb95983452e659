package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"offrun/backend/work"
)

// Open finds the repository that dir lies in and its main checkout, also from a
// linked worktree. It is the only function that lets git look around.
//
// A linked worktree of a bare repository is its own main checkout; a bare
// repository without one is Invalid.
func Open(ctx context.Context, dir string) (Repo, error) {
	real, err := realPath(dir)
	if err == nil {
		_, err = os.ReadDir(real)
	}
	if err != nil {
		return Repo{}, unreadable(dir, err)
	}
	found, err := discover(ctx, real)
	if err != nil {
		return Repo{}, err
	}
	if found.admin == found.common {
		return Repo{Dir: found.top, GitDir: found.common}, nil
	}
	return mainOf(ctx, found)
}

// discovered is what git says about a folder.
type discovered struct{ top, admin, common string }

// discover lets git look for a repository from dir upwards.
func discover(ctx context.Context, dir string) (discovered, error) {
	c := call{dir: dir}
	// All at once, in the usual case: a checkout, and no path with a line feed.
	all, err := c.line(ctx, "rev-parse", "--path-format=absolute", "--is-bare-repository", "--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-toplevel")
	if f := strings.Split(all, "\n"); err == nil && len(f) == 5 && f[0] == "false" && f[1] == "true" {
		return discovered{top: f[4], admin: f[2], common: f[3]}.real()
	}
	words, err := c.line(ctx, "rev-parse", "--is-bare-repository", "--is-inside-work-tree")
	if err != nil {
		return discovered{}, notRepository(dir, err)
	}
	var d discovered
	for _, ask := range []struct {
		flag string
		to   *string
	}{{"--git-dir", &d.admin}, {"--git-common-dir", &d.common}, {"--show-toplevel", &d.top}} {
		if ask.to == &d.top && words != "false\ntrue" {
			return discovered{}, withoutTree(dir, d, words)
		}
		if *ask.to, err = c.line(ctx, "rev-parse", "--path-format=absolute", ask.flag); err == nil {
			*ask.to, err = realPath(*ask.to)
		}
		if err != nil {
			return discovered{}, err
		}
	}
	return d, nil
}

// real returns d without symbolic links.
func (d discovered) real() (discovered, error) {
	for _, path := range []*string{&d.top, &d.admin, &d.common} {
		var err error
		if *path, err = realPath(*path); err != nil {
			return discovered{}, err
		}
	}
	return d, nil
}

// mainOf returns the repository of a linked worktree with its main checkout.
func mainOf(ctx context.Context, linked discovered) (Repo, error) {
	self := Repo{Dir: linked.top, GitDir: linked.common, Admin: linked.admin}
	out, err := self.run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return Repo{}, err
	}
	first, _, _ := strings.Cut(string(out), "\x00\x00")
	if strings.HasSuffix(first, "\x00bare") {
		if misconfigured(linked.common) {
			return Repo{}, saysBare(linked.common)
		}
		return self, nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(first, "worktree "), "\x00")
	main, err := discover(ctx, name)
	if err != nil || main.common != linked.common || main.admin != main.common {
		return Repo{}, work.Hide(work.Invalid, err, fmt.Sprintf("%s is a linked worktree, and its main checkout cannot be found from there", linked.top)).
			Do("Open the main checkout's own folder.")
	}
	return Repo{Dir: main.top, GitDir: main.common}, nil
}

// withoutTree explains a repository that has no work tree at dir.
func withoutTree(dir string, d discovered, words string) error {
	switch {
	case misconfigured(d.common) && strings.HasPrefix(words, "true"):
		return saysBare(d.common)
	case strings.HasPrefix(words, "true"):
		return work.Errorf(work.Invalid, "%s is a bare repository: it has no checkout to work in", dir).
			Do("Open one of its worktrees, or make one with: git worktree add.")
	}
	return work.Errorf(work.Invalid, "%s lies inside a git directory", dir).Do("Open the folder with the checked-out files.")
}

// misconfigured reports whether a git directory that says it is bare looks like
// that of a checkout: something has set core.bare (F11).
func misconfigured(common string) bool { return filepath.Base(common) == ".git" }

func saysBare(common string) error {
	return work.Errorf(work.Invalid, "%s says core.bare = true, although it belongs to a checkout", filepath.Join(common, "config")).
		Do("If nobody meant that, set it back with: git config core.bare false.")
}

func unreadable(dir string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return work.Hide(work.NotFound, err, fmt.Sprintf("there is no folder %s", dir)).Do("Check the spelling of the path.")
	case errors.Is(err, fs.ErrPermission):
		return work.Hide(work.Unavailable, err, fmt.Sprintf("%s cannot be read", dir)).Do("Check the permissions of the folder.")
	}
	return work.Hide(work.Invalid, err, fmt.Sprintf("%s is not a folder", dir)).Do("Name the folder of a git repository.")
}

func notRepository(dir string, err error) error {
	said := complaint(err)
	switch {
	case strings.Contains(said, "dubious ownership"):
		return work.Hide(work.Unavailable, err, fmt.Sprintf("git does not trust %s, because it belongs to another user", dir)).
			Do(fmt.Sprintf("If you trust it: git config --global --add safe.directory %s", dir))
	case strings.Contains(said, "cannot use bare repository"):
		return work.Hide(work.Invalid, err, fmt.Sprintf("%s is a bare repository: it has no checkout to work in", dir)).
			Do("Open one of its worktrees, or make one with: git worktree add.")
	case strings.Contains(said, "not a git repository"):
		return work.Hide(work.Invalid, err, fmt.Sprintf("%s is not a git repository", dir)).Do("Open a folder that is, or make it one with: git init.")
	case said != "":
		return work.Hide(work.Invalid, err, fmt.Sprintf("git cannot read the repository at %s", dir)).Do("See what it says: git -C " + dir + " status.")
	}
	return err
}
