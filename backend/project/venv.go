package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"regexp"

	"github.com/dustin/go-humanize/english"
)

// venvFiles are the files of a Python environment that name its own place and
// that of packages installed from the project itself.
var venvFiles = []string{
	"pyvenv.cfg", "bin/*",
	"lib/python*/site-packages/*.pth", "lib/python*/site-packages/*.egg-link",
	"lib/python*/site-packages/__editable__*.py", "lib/python*/site-packages/*.dist-info/direct_url.json",
}

// relocate makes a copied Python environment, still called half, one of the
// worktree. A package that is installed in place would otherwise be the main
// checkout's: tests of the agent's work would run against code it never touched.
func (c *carrier) relocate(half, name string) error {
	if _, err := c.to.Lstat(half + "/pyvenv.cfg"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	root, err := c.to.OpenRoot(half)
	if err != nil {
		return err
	}
	defer root.Close()
	moved := 0
	for _, pattern := range venvFiles {
		files, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			did, err := move(root, file, c.from.Name(), c.to.Name())
			if err != nil {
				return err
			}
			if did {
				moved++
			}
		}
	}
	if moved > 0 {
		c.say("%s: %s of the Python environment now name this worktree", name, english.Plural(moved, "file", ""))
	}
	return nil
}

// move replaces the folder from by to in a text file, and keeps its times.
func move(root *os.Root, file, from, to string) (bool, error) {
	const most = 1 << 20
	info, err := root.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return false, err
	}
	text, err := root.ReadFile(file)
	if err != nil || bytes.IndexByte(text, 0) >= 0 || !bytes.Contains(text, []byte(from)) {
		return false, err
	}
	// Not in the middle of a longer name.
	place := regexp.MustCompile(regexp.QuoteMeta(from) + `($|[^\w.-])`)
	moved := place.ReplaceAllFunc(text, func(found []byte) []byte {
		return append([]byte(to), found[len(from):]...)
	})
	if err := root.WriteFile(file, moved, info.Mode().Perm()); err != nil {
		return false, err
	}
	return true, root.Chtimes(file, info.ModTime(), info.ModTime())
}
