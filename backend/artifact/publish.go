package artifact

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// TurnDir returns the folder of a turn in the attempt's folder dir.
func TurnDir(dir string, turn int) string {
	return filepath.Join(dir, "turns", strconv.Itoa(turn))
}

// Publish makes the files of a turn those of the attempt's folder dir, by hard
// links where the disk has them and by copies where it has not. Each changes at
// once; a file that the turn does not have is taken away, so that no file of an
// earlier turn passes for one of this. It may be called again after it was
// interrupted.
func Publish(dir string, turn int) error {
	for _, name := range ofTurn {
		if err := publish(filepath.Join(TurnDir(dir, turn), name), filepath.Join(dir, name), os.Link); err != nil {
			return err
		}
	}
	return nil
}

func publish(from, to string, link func(from, to string) error) error {
	source, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return remove(to)
	}
	if err != nil {
		return err
	}
	// Renaming a link over another of the same file does nothing, and leaves both.
	if there, err := os.Lstat(to); err == nil && os.SameFile(source, there) {
		return nil
	}
	next := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".next")
	if err := remove(next); err != nil {
		return err
	}
	if link(from, next) != nil {
		return copyFile(from, to, source.Mode().Perm())
	}
	return os.Rename(next, to)
}

func copyFile(from, to string, perm fs.FileMode) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return WriteAtomic(to, perm, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// remove removes a file that may not be there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
