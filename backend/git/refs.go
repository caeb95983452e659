package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Ref returns the commit that a full ref name, or an expression that begins with a
// commit id, refers to, or "".
func (r Repo) Ref(ctx context.Context, ref string) (string, error) {
	if id, sure := r.refNow(ref); sure {
		return id, nil
	}
	id, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if exitCode(err) > 0 {
		return "", nil
	}
	return id, err
}

// refNow reads a branch, or a ref of ours, from the files that git keeps refs in,
// which costs much less than starting git. It is not sure where they are kept
// otherwise. An id of "" then means that there is no such ref.
func (r Repo) refNow(ref string) (id string, sure bool) {
	if !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/offrun/") || strings.ContainsAny(ref, "^~:@{\\ ") || strings.Contains(ref, "..") {
		return "", false
	}
	if _, err := os.Lstat(filepath.Join(r.GitDir, "reftable")); !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	id, sure = r.looseRef(ref)
	if !sure || id != "" {
		return id, sure
	}
	packed, err := os.ReadFile(filepath.Join(r.GitDir, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if head, _, found := strings.Cut(string(packed), " "+ref+"\n"); found {
		id = head[strings.LastIndexByte(head, '\n')+1:]
		return id, isID(id)
	}
	return r.looseRef(ref) // as git does: it may just have been unpacked
}

// looseRef reads a ref from a file of its own.
func (r Repo) looseRef(ref string) (id string, sure bool) {
	text, err := readSmall(filepath.Join(r.GitDir, filepath.FromSlash(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", true
	}
	id = strings.TrimSpace(text)
	return id, err == nil && isID(id)
}

func isID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && (len(s) == 40 || len(s) == 64)
}

// SetRef makes one of our own refs, below refs/offrun/, refer to commit.
func (r Repo) SetRef(ctx context.Context, ref, commit string) error {
	if !strings.HasPrefix(ref, "refs/offrun/") {
		return fmt.Errorf("set ref: %q is not a ref of ours", ref)
	}
	_, err := r.run(ctx, "update-ref", ref, commit)
	return err
}

// DropRef deletes one of our own refs, if it still refers to commit.
func (r Repo) DropRef(ctx context.Context, ref, commit string) error {
	if !strings.HasPrefix(ref, "refs/offrun/") {
		return fmt.Errorf("drop ref: %q is not a ref of ours", ref)
	}
	_, err := r.run(ctx, "update-ref", "-d", ref, commit)
	return err
}

// Tree returns the id of a commit's tree.
func (r Repo) Tree(ctx context.Context, commit string) (string, error) {
	return r.line(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
}

// Contains reports whether commit is tip itself or an ancestor of it.
func (r Repo) Contains(ctx context.Context, tip, commit string) (bool, error) {
	_, err := r.run(ctx, "merge-base", "--is-ancestor", commit, tip)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Pushed reports whether a branch of a remote has commit, as of the last fetch or
// push.
func (r Repo) Pushed(ctx context.Context, commit string) (bool, error) {
	out, err := r.line(ctx, "for-each-ref", "--count=1", "--contains="+commit, "--format=%(refname)", "refs/remotes/")
	return out != "", err
}

// CommitSaying returns the newest commit after from, up to to, whose message holds
// text, or "".
func (r Repo) CommitSaying(ctx context.Context, text, from, to string) (string, error) {
	return r.line(ctx, "rev-list", "--max-count=1", "--fixed-strings", "--grep="+text, from+".."+to, "--")
}

// Message returns the message of a commit.
func (r Repo) Message(ctx context.Context, commit string) (string, error) {
	out, err := r.run(ctx, "cat-file", "commit", commit)
	_, message, _ := strings.Cut(string(out), "\n\n")
	return message, err
}

// Holds reports whether commit is one with this tree and at least these parents.
func (r Repo) Holds(ctx context.Context, commit, tree string, parents []string) (bool, error) {
	has, have, err := r.looseCommit(commit)
	if err != nil {
		out, err := r.line(ctx, "rev-list", "--no-walk", "--no-commit-header", "--format=%T %P", commit)
		f := strings.Fields(out)
		if err != nil || len(f) == 0 {
			return false, err
		}
		has, have = f[0], f[1:]
	}
	missing := func(p string) bool { return p != commit && !slices.Contains(have, p) }
	return has == tree && !slices.ContainsFunc(parents, missing), nil
}
