package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// writeFull writes the private index as the full tree and returns how that differs
// from the base.
func (t *taking) writeFull(ctx context.Context) (_ []rawChange, err error) {
	if t.s.Full, err = t.git.line(ctx, "write-tree"); err != nil {
		return nil, err
	}
	return t.diff(ctx, t.o.Base, t.s.Full)
}

func (t *taking) diff(ctx context.Context, base, tree string) ([]rawChange, error) {
	out, err := t.git.run(ctx, "diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none", base, tree)
	if err != nil {
		return nil, err
	}
	cs, rest, err := parseRaw(records(out))
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("git diff-tree: malformed record %q", rest[0])
	}
	return cs, err
}

// writeTree makes the tree that is compared and lands: the full one with our own
// files as the base has them.
func (t *taking) writeTree(ctx context.Context, changes []rawChange) (err error) {
	var ours []rawChange
	for _, c := range changes {
		if t.ours(c.path) {
			ours = append(ours, c)
		}
	}
	t.s.Tree, t.s.Files = t.s.Full, len(changes)-len(ours)
	if len(ours) == 0 {
		return nil
	}
	// A second copy, so that a kept index still matches the files.
	index := t.index + ".tree"
	src, err := os.ReadFile(t.index)
	if err != nil {
		return err
	}
	if err := os.WriteFile(index, src, 0o600); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(index)) }()
	c := t.git.with("GIT_INDEX_FILE=" + index)
	if err := c.reset(ctx, ours); err != nil {
		return err
	}
	t.s.Tree, err = c.line(ctx, "write-tree")
	return err
}

// ours reports whether path is a file of Offrun's, not of the result.
func (t *taking) ours(path string) bool {
	if path == "NOTES.md" && t.o.Notes != "land" {
		return true
	}
	for _, dir := range append([]string{".offrun"}, t.o.Scratch...) {
		if path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}

// describe finds what a snapshot for keeps says beside its trees.
func (t *taking) describe(ctx context.Context) (err error) {
	t.s.Head, err = t.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	if t.s.Branch, err = t.at().branch(ctx); err != nil {
		return err
	}
	out, err := t.git.run(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return err
	}
	for _, path := range records(out) {
		if len(t.s.Ignored) < 200 && !t.ours(strings.TrimSuffix(path, "/")) {
			t.s.Ignored = append(t.s.Ignored, path)
		}
	}
	return nil
}

// Keep commits tree under a ref of ours, so that nothing in it can be lost, with
// what it came from as parents. The commit bears Offrun's name, not the user's,
// and is not signed (F36).
func (r Repo) Keep(ctx context.Context, ref, tree string, parents []string, message string) (string, error) {
	if !strings.HasPrefix(ref, "refs/offrun/") {
		return "", fmt.Errorf("keep: %q is not a ref of ours", ref)
	}
	args := []string{"commit-tree", "--no-gpg-sign", "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	id, err := r.at().input([]byte(message)).with(
		"GIT_AUTHOR_NAME=Offrun", "GIT_AUTHOR_EMAIL=offrun@localhost",
		"GIT_COMMITTER_NAME=Offrun", "GIT_COMMITTER_EMAIL=offrun@localhost",
	).line(ctx, append(args, tree)...)
	if err != nil {
		return "", err
	}
	_, err = r.run(ctx, "update-ref", ref, id)
	return id, err
}
