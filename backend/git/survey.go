package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"offrun/backend/work"
)

// A Survey is what a look at every file of a worktree found. No file is opened.
type Survey struct {
	Nested []string // folders that are git directories or hold one, relative; "." is the top; not the worktree's own .git file
	Mounts []string // folders on another file system
	Bytes  int64    // on disk
	Seal   string   // changes when any file is written, added, removed or renamed, even with its times put back
}

// Survey looks at every file of the worktree, ignored ones too. Its Seal, taken
// before a snapshot, later proves that the snapshot still is all there is.
func (w Worktree) Survey(ctx context.Context) (Survey, error) {
	s := surveyor{ctx: ctx, seal: sha256.New()}
	top, err := os.Open(w.Path)
	if err != nil {
		return Survey{}, unseen(w.Path, err)
	}
	defer top.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(top.Fd()), &st); err != nil {
		return Survey{}, err
	}
	s.device = uint64(st.Dev) //nolint:unconvert // its type differs between systems
	if err := s.folder(top, "."); err != nil {
		return Survey{}, unseen(w.Path, err)
	}
	s.found.Nested = append(s.found.Nested, w.modules()...)
	s.found.Seal = hex.EncodeToString(s.seal.Sum(nil))
	return s.found, nil
}

// unseen explains why a folder could not be looked through (F134).
func unseen(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return work.Hide(work.Unavailable, err, fmt.Sprintf("not all of %s can be read", dir)).
			Do("Something in it belongs to another user, or its owner may not read it. Change that, and clean again.")
	}
	return fmt.Errorf("look through %s: %w", dir, err)
}

// modules returns the git directories of submodules that were initialised in the
// worktree; they lie in its admin directory and go with it.
func (w Worktree) modules() []string {
	if w.Admin == "" {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(w.Admin, "modules"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(entries) > 0 {
		return []string{filepath.Join(w.Admin, "modules")}
	}
	return nil
}

type surveyor struct {
	ctx    context.Context
	seal   hash.Hash
	device uint64
	found  Survey
}

// folder looks at the open folder dir, called name, and all below it. It goes from
// descriptor to descriptor, so that nothing is followed out of the worktree.
func (s *surveyor) folder(dir *os.File, name string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	slices.Sort(names)
	if looksLikeGitDir(names) && !strings.EqualFold(path.Base(name), ".git") { // that is noted already
		s.found.Nested = append(s.found.Nested, name)
	}
	for _, n := range names {
		if err := s.file(dir, name, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *surveyor) file(dir *os.File, in, n string) error {
	var st unix.Stat_t
	err := unix.Fstatat(int(dir.Fd()), n, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil // gone since the folder was read
	}
	if err != nil {
		return &fs.PathError{Op: "lstat", Path: path.Join(in, n), Err: err}
	}
	isDir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if strings.EqualFold(n, ".git") && (in != "." || isDir) {
		s.found.Nested = append(s.found.Nested, in)
	}
	s.found.Bytes += st.Blocks * 512
	name := path.Join(in, n)
	if !isDir {
		fmt.Fprintf(s.seal, "%q %o %d %d %d %d\n", name, st.Mode, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
		return nil
	}
	fmt.Fprintf(s.seal, "%q %o\n", name, st.Mode)
	if uint64(st.Dev) != s.device { //nolint:unconvert // see Survey
		s.found.Mounts = append(s.found.Mounts, name)
		return nil
	}
	fd, err := unix.Openat(int(dir.Fd()), n, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	sub := os.NewFile(uintptr(fd), name)
	defer sub.Close()
	return s.folder(sub, name)
}

// looksLikeGitDir reports whether a folder with these names is one that git takes
// for a git directory.
func looksLikeGitDir(names []string) bool {
	return slices.Contains(names, "HEAD") && slices.Contains(names, "objects") && slices.Contains(names, "refs")
}
