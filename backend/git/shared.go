package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

// sharedFiles are the files of the common git directory that SaveShared copies,
// beside the hooks.
var sharedFiles = []string{"config", "config.worktree", "info/attributes", "info/exclude"}

// SaveShared copies configuration, hooks and info files of the repository into
// dir, so that RestoreShared can bring them back. It is done once, when a run
// begins. The copies are private: configuration may hold secrets.
func (r Repo) SaveShared(ctx context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o700); err != nil {
		return err
	}
	for _, name := range sharedFiles {
		if err := mirror(filepath.Join(r.GitDir, name), filepath.Join(dir, name), 0o600); err != nil {
			return err
		}
	}
	return mirrorFolder(ctx, filepath.Join(r.GitDir, "hooks"), filepath.Join(dir, "hooks"))
}

// RestoreShared brings back what SaveShared copied into dir: what was changed is
// as it was, what was added is gone. Lines that Offrun put into info/exclude in
// between stay. A configuration that git is writing at this moment is Busy.
func (r Repo) RestoreShared(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "config")); err != nil {
		return work.Hide(work.NotFound, err, "there is no copy of the repository's configuration").
			Do("Look at .git/config and .git/hooks yourself.")
	}
	release, err := r.lockConfig()
	if err != nil {
		return err
	}
	defer release()
	exclude := filepath.Join(r.GitDir, "info", "exclude")
	now, err := os.ReadFile(exclude)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range sharedFiles {
		if err := mirror(filepath.Join(dir, name), filepath.Join(r.GitDir, name), 0o644); err != nil {
			return err
		}
	}
	if err := keepOurExcludes(exclude, string(now)); err != nil {
		return err
	}
	return mirrorFolder(ctx, filepath.Join(dir, "hooks"), filepath.Join(r.GitDir, "hooks"))
}

// lockConfig takes the lock that git itself takes before it writes config.
func (r Repo) lockConfig() (release func(), err error) {
	name := filepath.Join(r.GitDir, "config.lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, work.Hide(work.Busy, err, fmt.Sprintf("%s is there: a git is changing the configuration, or was killed doing so", name)).
			Do("Try again; if no git runs, remove that file.")
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = errors.Join(f.Close(), os.Remove(name)) }, nil // nothing was written to it
}

// keepOurExcludes gives info/exclude the lines of our block that it had before.
func keepOurExcludes(file, before string) error {
	_, ours := splitExclude(before)
	if len(ours) == 0 {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return renameio.WriteFile(file, []byte(addExcludes(string(text), ours)), 0o644)
}

// mirror makes to what from is: a plain file with the same content, a symbolic
// link, or nothing.
func mirror(from, to string, mode fs.FileMode) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		err := os.RemoveAll(to)
		return err
	}
	if err != nil {
		return err
	}
	if old, err := os.Lstat(to); err == nil && !old.Mode().IsRegular() {
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	if info.Mode().Type() == fs.ModeSymlink {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return renameio.Symlink(target, to)
	}
	if !info.Mode().IsRegular() {
		return nil // a socket or the like is nothing of git's
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(to); err == nil && slices.Equal(old, b) {
		return os.Chmod(to, mode)
	}
	return renameio.WriteFile(to, b, mode, renameio.IgnoreUmask())
}

// mirrorFolder does the same with a folder of hooks, which keep their modes.
func mirrorFolder(ctx context.Context, from, to string) error {
	info, err := os.Lstat(from)
	if err != nil || !info.IsDir() {
		return mirror(from, to, 0o700)
	}
	if old, err := os.Lstat(to); err == nil && !old.IsDir() {
		if err := os.Remove(to); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, dir := range []string{from, to} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			names[e.Name()] = true
		}
	}
	for name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		mode := fs.FileMode(0o755)
		if info, err := os.Lstat(filepath.Join(from, name)); err == nil {
			if info.IsDir() {
				continue // git runs nothing that lies deeper
			}
			mode = info.Mode().Perm()
		}
		if err := mirror(filepath.Join(from, name), filepath.Join(to, name), mode); err != nil {
			return err
		}
	}
	return nil
}
