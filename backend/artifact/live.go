package artifact

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"offrun/backend/git"
)

// A Counter counts the files that an agent has changed while it is at work. It
// leaves no trace: the agent's index is not touched, and objects go to a folder
// of its own. What it keeps there makes the next count cheaper.
type Counter struct {
	worktree git.Worktree
	base     string
	dir      string
}

// NewCounter returns a counter of the worktree's changes since the commit base
// that keeps its files in dir. It does nothing yet.
func NewCounter(w git.Worktree, base, dir string) *Counter {
	return &Counter{worktree: w, base: base, dir: dir}
}

// Files returns how many files differ from the base now. NOTES.md and files of
// ours are not counted. As with Collect, the caller has compared the shared
// configuration first.
func (c *Counter) Files(ctx context.Context) (int, error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return 0, err
	}
	s, err := c.worktree.Snapshot(ctx, git.SnapshotOptions{
		Base: c.base, Index: filepath.Join(c.dir, "index"), Objects: filepath.Join(c.dir, "objects"),
	})
	if err != nil {
		return 0, fmt.Errorf("count changed files: %w", err)
	}
	return s.Files, nil
}

// Close removes what the counter has kept.
func (c *Counter) Close() error { return os.RemoveAll(c.dir) }
