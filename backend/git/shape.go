package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// A Shape is what is special about a repository (P4).
type Shape struct {
	Unborn       bool     // no commit yet; most of the rest is not known then
	Detached     bool     // HEAD names no branch
	Shallow      bool     // history ends early
	Partial      bool     // objects are missing until they are needed, and then fetched
	Sparse       bool     // not all files are checked out
	ObjectFormat string   // sha1, sha256
	Submodules   []string // paths; they are not checked out in new worktrees
	Filters      []Filter // that .gitattributes names; LFS is one
	Clashes      []string // paths that are one file on a disk that ignores case (F24)
}

// Shape looks at what is special about r, at its HEAD.
func (r Repo) Shape(ctx context.Context) (Shape, error) {
	var s Shape
	branch, err := r.Branch(ctx)
	if err != nil {
		return Shape{}, err
	}
	s.Detached = branch == ""
	if s.ObjectFormat, err = r.line(ctx, "rev-parse", "--show-object-format"); err != nil {
		return Shape{}, err
	}
	if s.Partial, err = r.partial(ctx); err != nil {
		return Shape{}, err
	}
	sparse, err := r.line(ctx, "config", "--type=bool", "--get", "core.sparseCheckout")
	if err != nil && exitCode(err) != 1 {
		return Shape{}, err
	}
	s.Sparse = sparse == "true"
	if _, err := os.Stat(filepath.Join(r.GitDir, "shallow")); err == nil {
		s.Shallow = true
	}
	head, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if exitCode(err) == 1 {
		s.Unborn = true
		return s, nil
	}
	if err != nil {
		return Shape{}, err
	}
	if s.Filters, err = r.filters(ctx, head); err != nil {
		return Shape{}, err
	}
	s.Submodules, s.Clashes, err = r.pathsOfNote(ctx, head)
	return s, err
}

// partial reports whether a remote promises objects that are not here (F19).
func (r Repo) partial(ctx context.Context) (bool, error) {
	_, err := r.run(ctx, "config", "--get-regexp", `^(remote\..*\.promisor|extensions\.partialclone)$`)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// pathsOfNote finds submodules, and paths that differ only by case.
func (r Repo) pathsOfNote(ctx context.Context, commit string) (submodules, clashes []string, err error) {
	out, err := r.run(ctx, "ls-tree", "-r", "-t", "-z", "--full-tree", commit)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]string{}
	for _, rec := range records(out) {
		head, path, _ := strings.Cut(rec, "\t")
		if strings.HasPrefix(head, gitlink+" ") {
			submodules = append(submodules, path)
		}
		folded := strings.ToLower(path)
		if other, ok := seen[folded]; ok {
			clashes = append(clashes, other, path)
		}
		seen[folded] = path
	}
	return submodules, clashes, nil
}

// TreeSize counts the files of a commit and estimates what they take on disk once
// they are checked out, in bytes. It fetches nothing: in a partial clone, where
// sizes are not known, it guesses.
func (r Repo) TreeSize(ctx context.Context, commit string) (files int, bytes int64, err error) {
	partial, err := r.partial(ctx)
	if err != nil {
		return 0, 0, err
	}
	args := []string{"ls-tree", "-r", "-z", "--full-tree", "--long", commit}
	if partial {
		args = []string{"ls-tree", "-r", "-z", "--full-tree", commit}
	}
	out, err := r.run(ctx, args...)
	if err != nil {
		return 0, 0, err
	}
	recs := records(out)
	for _, rec := range recs {
		head, _, _ := strings.Cut(rec, "\t")
		bytes += onDisk(strings.Fields(head), partial)
	}
	return len(recs), bytes, nil
}

// onDisk rounds the size in "mode type id size" up to what a disk gives out.
func onDisk(f []string, partial bool) int64 {
	const block, guess = 4 << 10, 12 << 10
	switch {
	case partial:
		return guess
	case len(f) < 4:
		return block
	}
	var n int64
	for _, d := range []byte(f[3]) {
		if d >= '0' && d <= '9' { // "-" is a submodule
			n = n*10 + int64(d-'0')
		}
	}
	return (n + block - 1) / block * block
}
