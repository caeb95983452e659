package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// manifest is the file in an entry of the trash that says what lies beside it: in
// tree the worktree's folder, in admin git's records of it.
const manifest = "manifest.json"

// trashed is the manifest of one entry.
type trashed struct {
	Worktree  string    `json:"worktree"`
	Admin     string    `json:"admin"`
	Mark      string    `json:"mark"`
	RemovedAt time.Time `json:"removed_at"`
}

// Trash is the folder that removed worktrees lie in until EmptyTrash.
func (r Repo) Trash() string { return filepath.Join(r.home(), ".trash") }

// newTrash makes an entry that holds the manifest t and nothing else.
func (r Repo) newTrash(t trashed) (string, error) {
	if err := os.MkdirAll(r.Trash(), 0o700); err != nil {
		return "", err
	}
	if err := plainFolder(r.Trash()); err != nil {
		return "", err
	}
	entry, err := os.MkdirTemp(r.Trash(), filepath.Base(t.Worktree)+"-")
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return "", err
	}
	return entry, renameio.WriteFile(filepath.Join(entry, manifest), append(text, '\n'), 0o600)
}

// EmptyTrash deletes what RemoveWorktree put away, one entry after the other until
// ctx is done. Only entries whose mark begins with owner are touched: those of
// another installation stay (F95), and so does whatever has no manifest.
//
// It returns the bytes on disk that are free now. An entry that cannot be deleted
// does not keep it from the others; the errors are joined.
func (r Repo) EmptyTrash(ctx context.Context, owner string) (freed int64, err error) {
	entries, err := os.ReadDir(r.Trash())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err == nil {
		err = plainFolder(r.Trash())
	}
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return freed, ctx.Err()
		}
		entry := filepath.Join(r.Trash(), e.Name())
		if !e.IsDir() || owner == "" || !strings.HasPrefix(markOf(entry), owner) {
			continue
		}
		bytes, err := deleteEntry(ctx, entry)
		if err != nil {
			failed = append(failed, fmt.Errorf("empty trash: %w", err))
		}
		freed += bytes
	}
	return freed, errors.Join(failed...)
}

// markOf returns the mark of an entry of the trash, or "" if it is not one.
func markOf(entry string) string {
	text, err := readSmall(filepath.Join(entry, manifest))
	var t trashed
	if err != nil || json.Unmarshal([]byte(text), &t) != nil {
		return ""
	}
	return t.Mark
}

// deleteEntry deletes an entry of the trash, the manifest last: what is cut off in
// the middle can be gone on with. Folders that their owner may not write, as
// package caches have them, are opened first.
func deleteEntry(ctx context.Context, entry string) (freed int64, err error) {
	parts := []string{filepath.Join(entry, "tree"), filepath.Join(entry, "admin")}
	s, err := Worktree{Path: entry}.Survey(ctx)
	if err == nil {
		err = removeAll(parts)
	}
	if errors.Is(err, fs.ErrPermission) {
		err = openUp(entry)
		if err == nil {
			err = removeAll(parts)
		}
	}
	if err != nil {
		return 0, err
	}
	return s.Bytes, os.RemoveAll(entry)
}

func removeAll(paths []string) error {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil {
			return err
		}
	}
	return nil
}

// openUp gives the owner every right on the folders below dir.
func openUp(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			// WalkDir calls once before it reads the folder, in time to open it.
			return os.Chmod(name, 0o700) //nolint:gosec // a folder in our trash, never a link: WalkDir does not follow them
		}
		return err
	})
}

// plainFolder checks that dir is a folder and reached without a symbolic link.
func plainFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && (real != dir || !info.IsDir()) {
		err = fmt.Errorf("%s is not a folder, or leads elsewhere", dir)
	}
	return err
}
