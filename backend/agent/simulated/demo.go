package simulated

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"offrun/backend/work"
)

// demo holds a repository of a few shell functions, one of them with a failing
// test, and the card that asks to mend it. It needs nothing but sh.
//
//go:embed all:demo
var demo embed.FS

// Card is the card of the demo repository.
const Card = "tasks/slug.md"

// Demo writes the files of the demo repository into dir, which it creates; the
// caller makes a repository of them. A dir that is not empty is left alone.
func Demo(dir string) error {
	there, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(there) > 0 {
		return work.Errorf(work.Conflict, "%s is not empty", dir).Do("Name a folder that does not exist yet.")
	}
	files, err := fs.Sub(demo, "demo")
	if err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
}
