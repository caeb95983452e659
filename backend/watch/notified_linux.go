package watch

import (
	"context"
	"errors"
	"os"

	"github.com/fsnotify/fsnotify"
)

var errTooMany = errors.New("too many folders")

// notified watches every folder by inotify until ctx is done. It returns false
// as soon as that is not possible: no watches left, too many folders, the root
// gone.
func (t tree) notified(ctx context.Context, changed chan<- struct{}) bool {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return false
	}
	n := inotify{tree: t, w: w}
	defer w.Close()
	if n.add(t.root) != nil || n.count == 0 {
		return false
	}
	ring(changed) // what happened while the watches were set
	for {
		err := error(nil)
		select {
		case <-ctx.Done():
			return true
		case e := <-w.Events:
			if t.skipped(e.Name) {
				continue
			}
			if e.Name == t.root && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) {
				return false
			}
			if e.Has(fsnotify.Create) && isDir(e.Name) {
				err = n.add(e.Name)
			}
		case <-w.Errors: //nolint:errcheck // it only says that events were lost; looking again is the cure
			err = n.add(t.root)
		}
		if err != nil {
			return false
		}
		ring(changed) // after add: it stands for what happened in a folder before it was watched
	}
}

type inotify struct {
	tree
	w     *fsnotify.Watcher
	count int // watched folders, those that are gone included
}

// add watches dir and the folders below.
func (n *inotify) add(dir string) error {
	return n.folders(dir, func(path string) error {
		if n.count >= n.MaxFolders {
			n.count = len(n.w.WatchList())
		}
		if n.count >= n.MaxFolders {
			return errTooMany
		}
		err := n.w.Add(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil
		}
		n.count++
		return err
	})
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
