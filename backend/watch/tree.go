// Package watch tells that files changed. Its signals are hints: one may stand
// for many changes, or for none, but after every change there is one. What has
// changed, the reader finds out by looking.
package watch

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// Options say what of a tree is watched, and how often it is reported.
type Options struct {
	Skip       func(rel string) bool // files and folders to leave out, by slash path below the root; nil means none. A .git is always left out
	Every      time.Duration         // least time between two hints; 0 means 250 ms
	MaxFolders int                   // more than that are polled, not watched; 0 means 20,000
}

// Tree sends a hint when something below root changed, at most one per
// o.Every, and one when it begins to look. The channel is closed when ctx is
// done. It never fails: where the system cannot tell of changes, or has no
// watches left, it polls.
func Tree(ctx context.Context, root string, o Options) <-chan struct{} {
	if o.Every == 0 {
		o.Every = 250 * time.Millisecond
	}
	if o.MaxFolders == 0 {
		o.MaxFolders = 20_000
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	hints := make(chan struct{}, 1)
	go func() {
		defer close(hints)
		t := tree{root: root, Options: o}
		changed := make(chan struct{}, 1)
		go func() {
			defer close(changed)
			if !t.notified(ctx, changed) {
				t.poll(ctx, changed)
			}
		}()
		coalesce(ctx, changed, hints, o.Every)
	}()
	return hints
}

type tree struct {
	root string
	Options
}

// ring leaves a signal, unless one waits already: its reader will look later
// than now.
func ring(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// coalesce passes signals on, each after a pause in which more may come, until
// from is closed. from holds one signal meanwhile, for what comes after the next
// hint.
func coalesce(ctx context.Context, from <-chan struct{}, to chan<- struct{}, pause time.Duration) {
	for range from {
		select {
		case <-time.After(pause):
			ring(to)
		case <-ctx.Done():
		}
	}
}

// folders calls visit for dir and every folder below that is not left out.
// Folders that vanish or cannot be read are passed over.
func (t tree) folders(dir string, visit func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if t.skipped(path) {
			return fs.SkipDir
		}
		return visit(path)
	})
}

func (t tree) skipped(path string) bool {
	rel, err := filepath.Rel(t.root, path)
	if err != nil || rel == "." {
		return false
	}
	return filepath.Base(path) == ".git" || t.Skip != nil && t.Skip(filepath.ToSlash(rel))
}
