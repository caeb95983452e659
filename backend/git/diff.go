package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"offrun/backend/work"
)

// treeDiff is a call that compares two trees. Nothing of the user's may change
// what comes out (F43, F44), so attributes files outside the repository are left
// out too.
func (r Repo) treeDiff() call {
	return r.at().set("core.attributesFile", os.DevNull)
}

// diffFlags are given to every comparison of two trees.
var diffFlags = []string{
	"diff-tree", "-r", "--no-commit-id", "--full-index", "--no-abbrev",
	"-M", "-l1000", "--no-relative", "--ignore-submodules=none",
}

// patchFlags fix the form of a patch: the parser and git apply expect these.
var patchFlags = []string{
	"-p", "--no-color", "--no-ext-diff", "--no-textconv",
	"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
	"--diff-algorithm=myers", "--indent-heuristic", "--inter-hunk-context=0",
}

// Changes lists the files that differ between base and tree, which may be commits
// or trees, sorted by path. Renames are found.
func (r Repo) Changes(ctx context.Context, base, tree string) ([]work.Change, error) {
	args := append(diffFlags[:len(diffFlags):len(diffFlags)], "--raw", "--numstat", "-z", "--no-ext-diff", "--no-textconv", base, tree)
	out, err := r.treeDiff().run(ctx, args...)
	if err != nil {
		return nil, err
	}
	return parseChanges(out)
}

// Patch writes the difference between base and tree as a patch that git apply
// turns back into tree, binary files included (F52). It is bytes: whoever trims,
// decodes or joins it breaks it (F53).
func (r Repo) Patch(ctx context.Context, base, tree string, w io.Writer) error {
	args := append(append([]string{}, diffFlags...), patchFlags...)
	return r.treeDiff().pipe(ctx, w, append(args, "--binary", "-U3", base, tree)...)
}

// PatchOptions say how PatchText compares.
type PatchOptions struct {
	IgnoreSpace bool // lines that differ only by white space are equal, empty ones are not there
	Context     int  // lines around each change
}

// PatchText returns the patch of some paths, or of all if none are given, for
// reading; binary files are only named.
func (r Repo) PatchText(ctx context.Context, base, tree string, o PatchOptions, paths ...string) ([]byte, error) {
	args := append(append([]string{}, diffFlags...), patchFlags...)
	args = append(args, "-U"+strconv.Itoa(o.Context))
	if o.IgnoreSpace {
		args = append(args, "--ignore-all-space", "--ignore-blank-lines", "--ignore-cr-at-eol")
	}
	args = append(args, base, tree, "--")
	return r.treeDiff().run(ctx, append(args, paths...)...)
}

// Stat returns the change as a table for people: files, bars, a sum.
func (r Repo) Stat(ctx context.Context, base, tree string) ([]byte, error) {
	args := append(diffFlags[:len(diffFlags):len(diffFlags)], "--stat=100", "--summary", "--no-color", "--no-ext-diff", "--no-textconv", base, tree)
	return r.treeDiff().run(ctx, args...)
}

// VerifyPatch proves that the patch in the file at path turns base into tree: it
// is applied to a temporary index and the outcome compared. No file outside a
// temporary folder is written, whatever the patch says (S12).
func (r Repo) VerifyPatch(ctx context.Context, base, tree, path string) (err error) {
	dir, err := os.MkdirTemp("", "offrun-patch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	objects := filepath.Join(dir, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	r = r.WithObjects(objects)
	c := r.at().with("GIT_INDEX_FILE="+filepath.Join(dir, "index")).set("core.autocrlf", "false")
	if _, err := c.run(ctx, "read-tree", base); err != nil {
		return err
	}
	_, err = c.run(ctx, "apply", "--cached", "--allow-empty", "--whitespace=nowarn", "--no-ignore-whitespace", "--", path)
	if exitCode(err) > 0 {
		return work.Hide(work.Conflict, err, fmt.Sprintf("%s does not apply to its base %s: %s", path, base, lastLine(complaint(err))))
	}
	if err != nil {
		return err
	}
	got, err := c.line(ctx, "write-tree")
	if err != nil {
		return err
	}
	want, err := r.line(ctx, "rev-parse", "--verify", "--end-of-options", tree+"^{tree}")
	if err != nil {
		return err
	}
	if got != want {
		return work.Errorf(work.Conflict, "%s applied to %s gives the tree %s, not %s", path, base, got, want)
	}
	return nil
}

// statuses are the letters of diff-tree in our words.
var statuses = map[byte]string{
	'A': "added", 'M': "changed", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "type",
}

const absent = "000000" // mode of a file that is not there

// A rawChange is a record of diff-tree --raw.
type rawChange struct {
	oldMode, newMode, oldID, newID string
	status                         byte
	from, path                     string // from is "" unless renamed or copied
}

// parseChanges reads raw records, then numstat records, all NUL-separated. Only
// that form says which of two names of a renamed file is which (F46).
func parseChanges(out []byte) ([]work.Change, error) {
	raws, rest, err := parseRaw(records(out))
	if err != nil {
		return nil, err
	}
	cs := make([]work.Change, 0, len(raws))
	for _, raw := range raws {
		c := work.Change{Path: raw.path, From: raw.from, Status: statuses[raw.status]}
		if raw.oldMode != absent {
			c.OldMode, c.Old = raw.oldMode, raw.oldID
		}
		if raw.newMode != absent {
			c.NewMode, c.New = raw.newMode, raw.newID
		}
		if rest, err = parseCounts(rest, &c); err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("git diff-tree: %d counts without a file", len(rest))
	}
	return cs, nil
}

// parseRaw reads the records that begin with a colon and returns the others.
func parseRaw(recs []string) ([]rawChange, []string, error) {
	var cs []rawChange
	for len(recs) > 0 && strings.HasPrefix(recs[0], ":") {
		f := strings.Split(recs[0][1:], " ")
		if len(f) != 5 || f[4] == "" || statuses[f[4][0]] == "" {
			return nil, nil, fmt.Errorf("git diff-tree: malformed record %q", recs[0])
		}
		c := rawChange{oldMode: f[0], newMode: f[1], oldID: f[2], newID: f[3], status: f[4][0]}
		names := 1
		if c.status == 'R' || c.status == 'C' {
			names = 2
		}
		if len(recs) <= names {
			return nil, nil, fmt.Errorf("git diff-tree: %q names no file", recs[0])
		}
		if names == 2 {
			c.from = recs[1]
		}
		c.path = recs[names]
		recs = recs[names+1:]
		cs = append(cs, c)
	}
	return cs, recs, nil
}

// parseCounts reads the numstat record of c from the front of recs.
func parseCounts(recs []string, c *work.Change) ([]string, error) {
	if len(recs) == 0 {
		return nil, fmt.Errorf("git diff-tree: no counts for %q", c.Path)
	}
	f := strings.SplitN(recs[0], "\t", 3)
	names := recs[:1]
	if len(f) == 3 && f[2] == "" && len(recs) >= 3 {
		names = recs[:3] // renamed: both names follow
		f[2] = recs[2]
	}
	if len(f) != 3 || f[2] != c.Path {
		return nil, fmt.Errorf("git diff-tree: counts %q are not those of %q", recs[0], c.Path)
	}
	for i, n := range []*int{&c.Added, &c.Deleted} {
		if f[i] == "-" {
			*n = -1
			continue
		}
		v, err := strconv.ParseUint(f[i], 10, 31)
		if err != nil {
			return nil, fmt.Errorf("git diff-tree: counts %q: %w", recs[0], err)
		}
		*n = int(v)
	}
	return recs[len(names):], nil
}
