package watch

import (
	"context"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// poll compares names, sizes and times of all files, over and over. It rests
// twenty times as long as a look takes, and at least a second.
func (t tree) poll(ctx context.Context, changed chan<- struct{}) {
	seed := maphash.MakeSeed()
	last, first := uint64(0), true
	for {
		began := time.Now()
		now := t.state(ctx, seed)
		if ctx.Err() != nil {
			return
		}
		if first || now != last {
			ring(changed)
		}
		last, first = now, false
		select {
		case <-time.After(max(time.Second, 20*time.Since(began))):
		case <-ctx.Done():
			return
		}
	}
}

// state is a number that differs when anything but a file's content alone does.
func (t tree) state(ctx context.Context, seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	// The walk goes on past folders that vanish, and ends early only with ctx.
	_ = filepath.WalkDir(t.root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil
		}
		if d.IsDir() && t.skipped(path) {
			return fs.SkipDir
		}
		maphash.WriteComparable(&h, path)
		if info, err := d.Info(); err == nil {
			maphash.WriteComparable(&h, info.Mode())
			maphash.WriteComparable(&h, info.ModTime().UnixNano())
			if !d.IsDir() {
				maphash.WriteComparable(&h, info.Size())
			}
		}
		return nil
	})
	return h.Sum64()
}

// A file that just grew is looked at again after fastest; each look in vain
// makes the pause longer, up to slowest.
const (
	fastest = 20 * time.Millisecond
	slowest = 200 * time.Millisecond
)

// Growth sends a hint when the file at path appears, grows, shrinks or is
// replaced, and one at the start if it is there. The channel is closed when ctx
// is done. It asks for the size a few times a second, which costs less than the
// smallest of the system's watches and works on every file system.
func Growth(ctx context.Context, path string) <-chan struct{} {
	hints := make(chan struct{}, 1)
	go func() {
		defer close(hints)
		var last os.FileInfo
		for pause := fastest; ; {
			now, err := os.Stat(path)
			if err != nil {
				now = nil // not there yet, or not any more
			}
			if differs(last, now) {
				ring(hints)
				pause = fastest
			}
			last = now
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			pause = min(pause*3/2, slowest)
		}
	}()
	return hints
}

func differs(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return b != nil
	}
	return a.Size() != b.Size() || !os.SameFile(a, b)
}
