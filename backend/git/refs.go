package git

import (
	"context"
	"fmt"
	"strings"
)

// Ref returns the commit that a full ref name refers to, or "".
func (r Repo) Ref(ctx context.Context, ref string) (string, error) {
	id, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if exitCode(err) > 0 {
		return "", nil
	}
	return id, err
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
