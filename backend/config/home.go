package config

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"offrun/backend/work"
)

// Dir returns the data folder: OFFRUN_HOME if it is set, else
// ~/Library/Application Support/Offrun on a Mac, else $XDG_DATA_HOME/offrun.
// The folder need not exist.
func Dir(getenv func(string) string) (string, error) {
	if dir := getenv("OFFRUN_HOME"); dir != "" {
		if !filepath.IsAbs(dir) {
			// The bench is started in another folder, and would find another home.
			return "", work.Errorf(work.Invalid, "OFFRUN_HOME is %q", dir).Do("Set it to an absolute path.")
		}
		return filepath.Clean(dir), nil
	}
	if dir := getenv("XDG_DATA_HOME"); runtime.GOOS != "darwin" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "offrun"), nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", work.Errorf(work.Unavailable, "HOME is %q: there is no place for data", home).Do("Set HOME, or OFFRUN_HOME to an absolute path.")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "Offrun"), nil
	}
	return filepath.Join(home, ".local", "share", "offrun"), nil
}

// Make makes the data folder, for its user only, and checks that it can be
// written.
func Make(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = tryWrite(dir)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return work.Hide(work.Unavailable, err, "no space left in the data folder "+dir).Do("Free some disk space.")
	}
	return work.Hide(work.Unavailable, err, fmt.Sprintf("the data folder %s cannot be written", dir)).
		Do("Make it writable for you, or set OFFRUN_HOME to another folder.")
}

func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".try-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// Database returns the path of the database in the data folder dir.
func Database(dir string) string { return filepath.Join(dir, "offrun.db") }

// Words returns the path of the user's own words for what agents say when they stop.
func Words(dir string) string { return filepath.Join(dir, "limits.yaml") }

// maxSocket is the longest path, in bytes, that every system takes for a socket.
const maxSocket = 100

// Socket returns the path of the bench's socket for the data folder dir: inside
// it, or in a folder of ours under /tmp if that would be too long. The path
// depends on nothing but dir and the user, so that everybody finds it. That the
// folder is ours alone is checked.
func Socket(dir string) (string, error) {
	path := filepath.Join(dir, "offrun.sock")
	if len(path) <= maxSocket {
		return path, nil
	}
	folder := fmt.Sprintf("/tmp/offrun-%d", os.Getuid())
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("folder for the socket: %w", err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", fmt.Errorf("folder for the socket: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || int(owner.Uid) != os.Getuid() {
		return "", work.Errorf(work.Unavailable, "%s is not a private folder of yours", folder).
			Do("Remove it, or set OFFRUN_HOME to a shorter path.")
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(folder, hex.EncodeToString(sum[:8])+".sock"), nil
}

// InstallID returns the name that marks what belongs to the data folder dir:
// worktrees, processes. It is made the first time it is asked for, and stays.
func InstallID(dir string) (string, error) {
	path := filepath.Join(dir, "install-id")
	id, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeOnce(path, strings.ToLower(rand.Text()[:16])+"\n"); err != nil {
			return "", fmt.Errorf("make install-id: %w", err)
		}
		id, err = os.ReadFile(path)
	}
	if err != nil {
		return "", err
	}
	if s := strings.TrimSpace(string(id)); s != "" {
		return s, nil
	}
	return "", work.Errorf(work.Invalid, "%s is empty", path).Do("Remove the file: a new id is made.")
}

// makeOnce writes the file unless it is there. Whoever reads it sees it whole,
// and all who make it at the same time see the same text.
func makeOnce(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".once-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		if err = os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}
