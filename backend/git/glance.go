package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxGlance is how many commits Glance reads by itself.
const maxGlance = 200

// Glance is Drift for a look: where a branch has moved by few and recent commits,
// git has them in files of their own, and reading those costs much less than
// starting git. BaseTree may be missing then; Drift.Sides does without it.
func (r Repo) Glance(ctx context.Context, base, branch string) (Drift, error) {
	if d, ok := r.glance(base, branch); ok {
		return d, nil
	}
	return r.Drift(ctx, base, branch)
}

// glance succeeds only if it is sure: every way back from the branch leads to base
// over commits in files of their own. Whatever it does not
// know, history that is cut off among it, is for git.
func (r Repo) glance(base, branch string) (Drift, bool) {
	if _, err := os.Lstat(filepath.Join(r.GitDir, "shallow")); !errors.Is(err, fs.ErrNotExist) {
		return Drift{}, false
	}
	tip, sure := r.refNow("refs/heads/" + branch)
	if !sure || tip == "" {
		return Drift{}, false
	}
	d := Drift{Base: base, Tip: tip}
	seen := map[string]bool{base: true}
	for next := []string{tip}; len(next) > 0; next = next[1:] {
		if seen[next[0]] {
			continue
		}
		tree, parents, err := r.looseCommit(next[0])
		if err != nil || len(parents) == 0 || d.Behind == maxGlance {
			return Drift{}, false
		}
		seen[next[0]] = true
		if d.Behind++; next[0] == tip {
			d.Tree = tree
		}
		next = append(next, parents...)
	}
	return d, true
}

// looseCommit reads a commit that lies in a file of its own.
func (r Repo) looseCommit(id string) (tree string, parents []string, err error) {
	if len(id) < 40 {
		return "", nil, fmt.Errorf("%q is not an object id", id)
	}
	f, err := os.Open(filepath.Join(r.GitDir, "objects", id[:2], id[2:]))
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return "", nil, err
	}
	object, err := io.ReadAll(io.LimitReader(z, 1<<20))
	if err != nil {
		return "", nil, err
	}
	h := newHash(id)
	h.Write(object)
	head, body, _ := bytes.Cut(object, []byte{0})
	if !bytes.HasPrefix(head, []byte("commit ")) || hex.EncodeToString(h.Sum(nil)) != id {
		return "", nil, fmt.Errorf("object %s is not a commit, or damaged", id)
	}
	for line := range strings.Lines(string(body)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			tree = value
		case "parent":
			parents = append(parents, value)
		case "":
			return tree, parents, nil
		}
	}
	return tree, parents, nil
}
