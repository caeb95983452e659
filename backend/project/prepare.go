package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"offrun/backend/git"
	"offrun/backend/work"
)

// A Prep says which worktree to prepare, and from what. All but Task is required.
type Prep struct {
	Repo     git.Repo // its main checkout is where files are brought from
	To       string   // the worktree's top folder, absolute
	Settings work.Settings
	Task     string // file that becomes .offrun/task.md; "" means that there is none
}

// taskFile is where the frozen card lies in a worktree.
const taskFile = ".offrun/task.md"

// Prepare brings into a fresh worktree what git does not keep: files that it
// ignores, and dependency folders (F34). It returns a line about each. What the
// worktree has already stays as it is, so it can be called again after it was
// interrupted.
//
// Only what git ignores in the main checkout is brought; everything else would
// look like the agent's work. Paths come from settings and must stay inside of
// the two folders: no symbolic link is followed out of them. After an error,
// such as a full disk, the worktree is incomplete and must be removed (F123).
func Prepare(ctx context.Context, p Prep) ([]string, error) {
	from, err := os.OpenRoot(p.Repo.Dir)
	if err != nil {
		return nil, work.Hide(work.NotFound, err, fmt.Sprintf("project folder %q cannot be opened", p.Repo.Dir))
	}
	defer from.Close()
	to, err := os.OpenRoot(p.To)
	if err != nil {
		return nil, work.Hide(work.NotFound, err, fmt.Sprintf("worktree %q cannot be opened", p.To))
	}
	defer to.Close()
	c := &carrier{ctx: ctx, repo: p.Repo, from: from, to: to}
	if err := c.all(p); err != nil {
		return c.lines, explain(err, p.To)
	}
	return c.lines, nil
}

// explain says what to do about an error of the file system.
func explain(err error, dir string) error {
	if _, ok := errors.AsType[*work.Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return work.Hide(work.Unavailable, err, fmt.Sprintf("the disk is full: the files that worktree %s needs do not fit", dir)).
			Do("Free some disk space, or set dependencies in " + SettingsFile + " to what is needed.")
	}
	return work.Hide(work.Unavailable, err, fmt.Sprintf("files cannot be brought into worktree %s", dir)).
		Do("Check the permissions of what bring and dependencies in " + SettingsFile + " name.")
}

// A carrier brings files from the main checkout into one worktree.
type carrier struct {
	ctx      context.Context
	repo     git.Repo
	from, to *os.Root
	lines    []string
}

func (c *carrier) say(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *carrier) all(p Prep) error {
	if p.Task != "" {
		if err := c.task(p.Task); err != nil {
			return err
		}
	}
	wanted := append(c.files(p.Settings.Bring), c.folders(p.Settings.Dependencies)...)
	wanted, err := c.onlyIgnored(wanted)
	if err != nil {
		return err
	}
	for _, w := range wanted {
		if err := c.bring(w); err != nil {
			return fmt.Errorf("bring %s: %w", w.name, err)
		}
	}
	return nil
}

// task writes the frozen card into the worktree.
func (c *carrier) task(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := c.to.MkdirAll(path.Dir(taskFile), 0o755); err != nil {
		return err
	}
	return c.to.WriteFile(taskFile, text, 0o644)
}

// A want is a file or folder of the main checkout that a worktree shall have.
type want struct {
	name   string // slash path
	how    string // clone or link; "" for a file or folder that bring names
	folder bool
}

// onlyIgnored returns those of wanted that the worktree lacks and that git
// ignores in the main checkout, and says why the others stay.
func (c *carrier) onlyIgnored(wanted []want) ([]want, error) {
	var missing []want
	for _, w := range wanted {
		switch _, err := c.to.Lstat(w.name); {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, w)
		case err != nil:
			c.say("%s: not brought, as a link in the worktree leads elsewhere", w.name)
		}
	}
	if len(missing) == 0 {
		return nil, nil // spares git, as in most repositories
	}
	dirty, err := c.repo.Dirty(c.ctx)
	if err != nil {
		return nil, err
	}
	blobs := c.repo.Blobs(c.ctx)
	var ignored []want
	for _, w := range missing {
		_, err := blobs.Read("HEAD:"+w.name, 0)
		switch {
		case overlaps(dirty, w.name):
			c.say("%s: not brought, as git does not ignore it", w.name)
		case work.CodeOf(err) != work.NotFound: // there, or too long for us to ask
			c.say("%s: not brought, as it is committed, but not on the base of this run", w.name)
		default:
			ignored = append(ignored, w)
		}
	}
	return ignored, blobs.Close()
}

// overlaps reports whether one of paths, where folders end with a slash, is
// name, lies in it, or holds it.
func overlaps(paths []string, name string) bool {
	for _, p := range paths {
		if strings.HasPrefix(name+"/", strings.TrimSuffix(p, "/")+"/") || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	return false
}

func (c *carrier) bring(w want) error {
	if w.how == link {
		return c.link(w.name)
	}
	if err := c.to.MkdirAll(path.Dir(w.name), 0o755); err != nil {
		return err
	}
	// Whole or not at all: what a killed bench left half is not taken for complete.
	half := path.Join(path.Dir(w.name), ".offrun-half-"+path.Base(w.name))
	if err := c.to.RemoveAll(half); err != nil {
		return err
	}
	said, err := c.copyTo(half, w)
	if err != nil {
		return err
	}
	if err := c.to.Rename(half, w.name); err != nil {
		return err
	}
	c.say("%s: %s", w.name, said)
	return nil
}

// link makes name a symbolic link to the main checkout's folder, and has git
// ignore it: the usual pattern with a closing slash does not match a link (F57).
func (c *carrier) link(name string) error {
	if err := c.repo.Exclude(c.ctx, "/"+quote(name)); err != nil {
		return err
	}
	if err := c.to.Symlink(filepath.Join(c.repo.Dir, filepath.FromSlash(name)), name); err != nil {
		return err
	}
	c.say("%s: linked to the main checkout; what is written there is shared", name)
	return nil
}

// quote returns name as a pattern of git's that matches it alone.
func quote(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `).Replace(name)
}
