package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1" //nolint:gosec // git's own object names
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sides are the trees of a three-way merge, by id: what Theirs changed since
// Base is done to Ours. Base and Ours may be named by commits instead, if the one
// is an ancestor of the other.
type Sides struct {
	Base, Ours, Theirs     string
	BaseCommit, OursCommit string
}

// A Merge is the outcome of a three-way merge in the object store.
type Merge struct {
	Tree      string   // of no use if there are conflicts
	Conflicts []string // paths that a person has to merge, sorted
}

// Merge combines s in the object store. No checkout, index or ref is touched.
//
// The sides are trees, not branches: what is merged is what changed since Base,
// even if the branch has been rewritten since, or history is cut off (shallow).
func (r Repo) Merge(ctx context.Context, s Sides) (Merge, error) {
	if m, ok := s.trivial(); ok {
		return m, nil
	}
	scratch, err := os.MkdirTemp("", "offrun-merge-")
	if err != nil {
		return Merge{}, err
	}
	defer os.RemoveAll(scratch) // a leftover is rubbish in the temporary folder, not more
	c := r.at()
	return s.merge(ctx, c.with("GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteAlternate(scratch)), scratch)
}

// TryMerge is Merge for a look: it leaves no object behind, and Tree does not
// exist afterwards unless it did before.
func (r Repo) TryMerge(ctx context.Context, s Sides) (Merge, error) {
	if m, ok := s.trivial(); ok {
		return m, nil
	}
	scratch, err := os.MkdirTemp("", "offrun-merge-")
	if err != nil {
		return Merge{}, err
	}
	defer os.RemoveAll(scratch) // see Merge
	return s.merge(ctx, r.WithObjects(scratch).at().set("core.looseCompression", "0"), scratch)
}

// trivial merges s if one side is the base, or both are the same.
func (s Sides) trivial() (Merge, bool) {
	switch {
	case s.BaseCommit != "":
		return Merge{Tree: s.Theirs}, s.BaseCommit == s.OursCommit
	case s.Base == s.Ours, s.Ours == s.Theirs:
		return Merge{Tree: s.Theirs}, true
	case s.Base == s.Theirs:
		return Merge{Tree: s.Ours}, true
	}
	return Merge{}, false
}

// merge merges s with c, which finds the objects in the folder scratch.
func (s Sides) merge(ctx context.Context, c call, scratch string) (Merge, error) {
	ours, theirs, err := s.commits(scratch)
	if err != nil {
		return Merge{}, fmt.Errorf("prepare merge: %w", err)
	}
	var out bytes.Buffer
	err = c.set("merge.renames", "true").set("merge.directoryRenames", "conflict").
		pipe(ctx, &out, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	fields := records(out.Bytes())
	switch code := exitCode(err); {
	case code == 0 && len(fields) == 1:
		return Merge{Tree: fields[0]}, nil
	case code == 1 && len(fields) > 1:
		paths := slices.Sorted(slices.Values(fields[1:]))
		return Merge{Tree: fields[0], Conflicts: slices.Compact(paths)}, nil
	case err == nil:
		err = fmt.Errorf("git merge-tree: unexpected answer %q", out.String())
	}
	return Merge{}, err
}

// commits writes a little history of three commits into the object folder dir:
// ours and theirs, both made from base. merge-tree wants commits, and finds the
// base by itself; to name it takes git 2.40.
func (s Sides) commits(dir string) (ours, theirs string, err error) {
	if s.BaseCommit != "" {
		theirs, err = writeCommit(dir, s.Theirs, s.BaseCommit)
		return s.OursCommit, theirs, err
	}
	base, err := writeCommit(dir, s.Base, "")
	if err != nil {
		return "", "", err
	}
	if ours, err = writeCommit(dir, s.Ours, base); err != nil {
		return "", "", err
	}
	theirs, err = writeCommit(dir, s.Theirs, base)
	return ours, theirs, err
}

// writeCommit writes a loose commit object into the object folder dir and
// returns its id. Starting git for it would cost more than the merge.
func writeCommit(dir, tree, parent string) (string, error) {
	body := "tree " + tree + "\n"
	if parent != "" {
		body += "parent " + parent + "\n"
	}
	const who = "Offrun <offrun@localhost> 0 +0000"
	body += "author " + who + "\ncommitter " + who + "\n\nscratch\n"
	object := fmt.Sprintf("commit %d\x00%s", len(body), body)
	h := newHash(tree)
	h.Write([]byte(object))
	id := hex.EncodeToString(h.Sum(nil))

	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write([]byte(object)); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(dir, id[:2]), 0o700); err != nil {
		return "", err
	}
	return id, os.WriteFile(filepath.Join(dir, id[:2], id[2:]), packed.Bytes(), 0o400)
}

// newHash returns the hash that like, an object id, was made with.
func newHash(like string) hash.Hash {
	if len(like) == 2*sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's own object names
}

// Drift is how a branch stands to a commit that it once was at.
type Drift struct {
	Base, BaseTree string // the commit, and its tree
	Tip, Tree      string // the branch's commit now, and its tree
	Behind         int    // commits that the branch has and base has not
	Lost           int    // commits that base has and the branch has no longer: it was rewritten
}

// Sides says how tree, made from the base, is merged into the branch.
func (d Drift) Sides(tree string) Sides {
	if d.BaseTree == "" {
		return Sides{BaseCommit: d.Base, OursCommit: d.Tip, Theirs: tree}
	}
	return Sides{Base: d.BaseTree, Ours: d.Tree, Theirs: tree}
}

// Drift compares branch, a local one, with base, the id of a commit.
func (r Repo) Drift(ctx context.Context, base, branch string) (Drift, error) {
	tip := "refs/heads/" + branch
	out, err := r.run(ctx, "rev-list", "--no-commit-header", "--boundary", "--left-right", "--format=%m %H %T", base+"..."+tip)
	if err != nil {
		return Drift{}, r.noBranch(ctx, branch, err)
	}
	d := Drift{Base: base}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		switch {
		case len(f) != 3:
			return Drift{}, fmt.Errorf("git rev-list: unexpected line %q", line)
		case f[0] == ">" && d.Behind == 0: // a walk begins at the tip
			d.Tip, d.Tree, d.Behind = f[1], f[2], 1
		case f[0] == ">":
			d.Behind++
		case f[0] == "<":
			d.Lost++
		}
		if f[1] == base {
			d.BaseTree = f[2]
		}
	}
	if d.Behind > 0 {
		return d, nil
	}
	ids, err := r.line(ctx, "rev-parse", tip+"^{commit}", tip+"^{tree}", base+"^{tree}")
	f := strings.Fields(ids)
	if err != nil || len(f) != 3 {
		return Drift{}, r.noBranch(ctx, branch, err)
	}
	d.Tip, d.Tree, d.BaseTree = f[0], f[1], f[2]
	return d, nil
}

// noBranch makes an error of Drift one that says what is missing, if it is the
// branch.
func (r Repo) noBranch(ctx context.Context, branch string, err error) error {
	if _, missing := r.Resolve(ctx, "refs/heads/"+branch); missing != nil {
		return missing
	}
	return err
}
