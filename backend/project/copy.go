package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"golang.org/x/sync/errgroup"
)

// copyTo copies w to the name half in the worktree and says how it went.
func (c *carrier) copyTo(half string, w want) (string, error) {
	if !w.folder {
		cp := c.copier(c.ctx)
		return "brought along", cp.file(c.from, c.to, w.name, half)
	}
	if done, err := c.cloneWhole(w.name, half); done || err != nil {
		return "cloned", cmp.Or(err, c.relocate(half, w.name))
	}
	if err := c.to.Mkdir(half, 0o700); err != nil {
		return "", err
	}
	src, err := c.from.OpenRoot(w.name)
	if err != nil {
		return "", err
	}
	dst, err := c.to.OpenRoot(half)
	if err != nil {
		return "", errors.Join(err, src.Close())
	}
	group, ctx := errgroup.WithContext(c.ctx)
	group.SetLimit(runtime.NumCPU())
	cp := c.copier(ctx)
	cp.group = group
	group.Go(func() error { return cp.folder(src, dst) })
	if err := group.Wait(); err != nil {
		return "", err
	}
	return cp.String(), c.relocate(half, w.name)
}

// A copier copies files and folders between two roots, copy-on-write as long as
// the file system does that. It keeps modes and times, which build tools compare.
type copier struct {
	ctx      context.Context
	group    *errgroup.Group
	from, to string // absolute; absolute links from one to itself are made to the other
	files    atomic.Int64
	cloned   atomic.Int64
	bytes    atomic.Int64
	plain    atomic.Bool // the file system cannot clone
}

func (c *carrier) copier(ctx context.Context) *copier {
	return &copier{ctx: ctx, from: c.from.Name(), to: c.to.Name()}
}

func (cp *copier) String() string {
	how := "copied"
	if n := cp.cloned.Load(); n > 0 {
		how = "cloned"
	}
	return fmt.Sprintf("%s %s, %s", how, english.Plural(int(cp.files.Load()), "file", ""), humanize.IBytes(uint64(cp.bytes.Load())))
}

// folder copies all of src into dst, which is empty, and closes both. Folders in
// it are copied side by side as far as the group has room.
func (cp *copier) folder(src, dst *os.Root) (err error) {
	defer func() { err = errors.Join(err, src.Close(), dst.Close()) }()
	dir, err := src.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	info, err := dir.Stat()
	if err != nil {
		return err
	}
	for {
		entries, err := dir.ReadDir(256)
		for _, entry := range entries {
			if err := cp.entry(src, dst, entry); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(dst.Chmod(".", info.Mode().Perm()), dst.Chtimes(".", info.ModTime(), info.ModTime()))
}

func (cp *copier) entry(src, dst *os.Root, entry fs.DirEntry) error {
	if err := cp.ctx.Err(); err != nil {
		return err
	}
	name := entry.Name()
	switch entry.Type() {
	case 0:
		return cp.file(src, dst, name, name)
	case fs.ModeSymlink:
		return cp.symlink(src, dst, name)
	case fs.ModeDir:
		return cp.subfolder(src, dst, name)
	}
	return nil // sockets and pipes belong to running programs
}

func (cp *copier) subfolder(src, dst *os.Root, name string) error {
	if err := dst.Mkdir(name, 0o700); err != nil {
		return err
	}
	subSrc, err := src.OpenRoot(name)
	if err != nil {
		return err
	}
	subDst, err := dst.OpenRoot(name)
	if err != nil {
		return errors.Join(err, subSrc.Close())
	}
	if cp.group.TryGo(func() error { return cp.folder(subSrc, subDst) }) {
		return nil
	}
	return cp.folder(subSrc, subDst)
}

// symlink copies a link as it is. One with an absolute path into the main
// checkout would lead the agent there; it is made to lead into the worktree.
func (cp *copier) symlink(src, dst *os.Root, name string) error {
	target, err := src.Readlink(name)
	if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(target, cp.from+string(filepath.Separator)); ok {
		target = filepath.Join(cp.to, rest)
	}
	return dst.Symlink(target, name)
}

// file copies a regular file, or what a link within src leads to.
func (cp *copier) file(src, dst *os.Root, from, to string) (err error) {
	in, err := src.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	perm := info.Mode().Perm()
	out, err := dst.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|0o200)
	if err != nil {
		return err
	}
	err = cp.content(out, in, info.Size())
	if err == nil && perm&0o222 != 0o200 {
		err = out.Chmod(perm) // the umask may have cut it
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	cp.files.Add(1)
	cp.bytes.Add(info.Size())
	return dst.Chtimes(to, info.ModTime(), info.ModTime())
}

// content fills out with what in holds.
func (cp *copier) content(out, in *os.File, size int64) error {
	if size > 0 && !cp.plain.Load() {
		cloned, possible, err := cloneFile(out, in)
		if err != nil {
			return err
		}
		if !possible {
			cp.plain.Store(true)
		}
		if cloned {
			cp.cloned.Add(1)
			return nil
		}
	}
	_, err := io.Copy(out, in)
	return err
}
