package project

import (
	"errors"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// cloneWhole clones a folder with everything in it in one call, as APFS can. done
// is false if this file system cannot.
func (c *carrier) cloneWhole(name, half string) (done bool, _ error) {
	// clonefile takes paths and would follow links on the way to them.
	parent, err := filepath.EvalSymlinks(filepath.Join(c.to.Name(), filepath.FromSlash(path.Dir(half))))
	if err != nil {
		return false, err
	}
	top, err := filepath.EvalSymlinks(c.to.Name())
	if err != nil {
		return false, err
	}
	if rel, err := filepath.Rel(top, parent); err != nil || !filepath.IsLocal(rel) {
		return false, errors.Join(err, os.ErrPermission)
	}
	source := filepath.Join(c.from.Name(), filepath.FromSlash(name))
	err = unix.Clonefile(source, filepath.Join(parent, path.Base(half)), unix.CLONE_NOFOLLOW)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return false, err
	}
	return false, c.to.RemoveAll(half)
}

// cloneFile is never of use where cloneWhole was not.
func cloneFile(_, _ *os.File) (cloned, possible bool, _ error) { return false, false, nil }
