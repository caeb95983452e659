package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/work"
)

const (
	noMode   = "000000" // of a path that is not there
	linkMode = "120000"
)

// A content is what a tree or an index holds at a path.
type content struct{ mode, id string }

// A step is one path that differs between two trees.
type step struct {
	path     string
	old, new content // mode is noMode where the path is not there
}

// steps returns the paths that differ between two commits, renames taken apart.
func (r Repo) steps(ctx context.Context, from, to string) ([]step, error) {
	// Without an index git has none to read, which would take longer than the rest.
	c := r.at().with("GIT_INDEX_FILE=" + filepath.Join(r.GitDir, "offrun-no-index"))
	out, err := c.run(ctx, "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	fields := records(out)
	var all []step
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree: unexpected %q", fields[i])
		}
		all = append(all, step{path: fields[i+1], old: content{f[0], f[2]}, new: content{f[1], f[3]}})
	}
	return all, nil
}

// A dirt is a tracked path that has changed in a checkout.
type dirt struct {
	staged, unstaged bool
	index            content
	unmerged         bool
}

// maxPathspec is how many bytes of paths go into one command line; for more, all
// of the checkout is looked at.
const maxPathspec = 64 << 10

// dirts returns those tracked paths that have changes, among steps and perhaps
// others. Nothing is written, the index not even refreshed.
func (r Repo) dirts(ctx context.Context, c Checkout, steps []step) (map[string]dirt, error) {
	args := []string{"status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty", "--"}
	size := 0
	for _, s := range steps {
		size += len(s.path)
	}
	if size <= maxPathspec {
		for _, s := range steps {
			args = append(args, s.path)
		}
	}
	out, err := r.in(c).run(ctx, args...)
	if err != nil {
		return nil, err
	}
	found := map[string]dirt{}
	for _, line := range records(out) {
		switch {
		case strings.HasPrefix(line, "1 "): // 1 XY sub mH mI mW hH hI path
			f := strings.SplitN(line, " ", 9)
			if len(f) != 9 || len(f[1]) != 2 {
				return nil, fmt.Errorf("git status: unexpected %q", line)
			}
			found[f[8]] = dirt{staged: f[1][0] != '.', unstaged: f[1][1] != '.', index: content{f[4], f[7]}}
		case strings.HasPrefix(line, "u "): // u XY sub m1 m2 m3 mW h1 h2 h3 path
			f := strings.SplitN(line, " ", 11)
			found[f[len(f)-1]] = dirt{unmerged: true}
		}
	}
	return found, nil
}

// clearWay makes sure that m can write its paths in a checkout without loss.
// Otherwise the error is a Conflict that lists what is in the way, and nothing has
// been touched.
//
// If m.Again, paths that already are as m wants them do not count. Those whose
// index entry still is the old one are put back first, as git would take them for
// the user's changes; their content is in the object store. If index and files
// both have arrived already, and only the branch is left to move, arrived is true.
func (r Repo) clearWay(ctx context.Context, c Checkout, m Move) (arrived bool, err error) {
	steps, err := r.steps(ctx, m.From, m.To)
	if err != nil || len(steps) == 0 {
		return false, err
	}
	dirts, err := r.dirts(ctx, c, steps)
	if err != nil {
		return false, err
	}
	var inWay, half []string
	done := 0
	for _, s := range steps {
		d, dirty := dirts[s.path]
		what := s.path
		if !dirty {
			if what = untracked(c.Path, s, steps); what == "" {
				continue
			}
		}
		if m.Again && d.done(s) {
			done++
			continue
		}
		if m.Again && !d.staged && !d.unmerged && r.arrivedAt(ctx, c, s) {
			half = append(half, s.path)
			continue
		}
		inWay = append(inWay, what)
	}
	if len(inWay) > 0 {
		slices.Sort(inWay)
		e := work.Errorf(work.Conflict, "changes in %s are in the way: %s that are not committed there would be overwritten", c.Path, english.Plural(len(slices.Compact(inWay)), "file", "")).
			Do("Commit them or move them away, and try again. Nothing was changed.")
		e.List = slices.Compact(inWay)
		return false, e
	}
	return done == len(steps), r.putBack(ctx, c, steps, half)
}

// done reports whether a path's index entry and file both are as s makes them.
func (d dirt) done(s step) bool { return d.staged && !d.unstaged && d.index == s.new }

// untracked returns what lies where s adds a path, although the index knows
// nothing of it: the path itself, a parent that is no folder, or a file in a
// folder of that name. Ignored files count (F106): git would overwrite them.
// Whatever else steps delete is no obstacle.
func untracked(root string, s step, steps []step) string {
	if s.old.mode != noMode || s.new.mode == noMode {
		return ""
	}
	goes := func(path string) bool {
		return slices.ContainsFunc(steps, func(o step) bool { return o.path == path && o.new.mode == noMode })
	}
	for i, b := range []byte(s.path) {
		if b != '/' {
			continue
		}
		parent := s.path[:i]
		info, err := os.Lstat(filepath.Join(root, parent))
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir() && goes(parent):
			return ""
		case err != nil || !info.IsDir():
			return parent
		}
	}
	found := ""
	err := filepath.WalkDir(filepath.Join(root, s.path), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if path := filepath.ToSlash(rel); err == nil && !goes(path) {
			found = path
			return fs.SkipAll
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.path
	}
	return found
}

// arrivedAt reports whether the file of s in the checkout has the content that s
// gives it, or is not there: git removes a file before it writes the new one. What
// the index says does not matter.
func (r Repo) arrivedAt(ctx context.Context, c Checkout, s step) bool {
	name := filepath.Join(c.Path, s.path)
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return errors.Is(err, fs.ErrNotExist)
	case s.new.mode == noMode:
		return false
	case s.new.mode == linkMode:
		to, err := os.Readlink(name)
		return err == nil && blobID(to, s.new.id) == s.new.id
	case !info.Mode().IsRegular():
		return false
	}
	id, err := r.in(c).line(ctx, "hash-object", "--", s.path)
	return err == nil && id == s.new.id
}

// blobID returns the id of a blob, by the hash that like was made with.
func blobID(content, like string) string {
	h := newHash(like)
	fmt.Fprintf(h, "blob %d\x00%s", len(content), content)
	return hex.EncodeToString(h.Sum(nil))
}

// putBack gives the paths in half the content that the index has for them.
func (r Repo) putBack(ctx context.Context, c Checkout, steps []step, half []string) error {
	var old bytes.Buffer
	for _, s := range steps {
		switch {
		case !slices.Contains(half, s.path):
		case s.old.mode == noMode:
			if err := os.Remove(filepath.Join(c.Path, s.path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		default:
			old.WriteString(s.path + "\x00")
		}
	}
	if old.Len() == 0 {
		return nil
	}
	_, err := r.in(c).input(old.Bytes()).run(ctx, "checkout-index", "--force", "--index", "-z", "--stdin")
	return err
}
