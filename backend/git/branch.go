package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"offrun/backend/work"
)

// Branch returns the branch that HEAD of the main checkout names, or "" if HEAD
// is detached. The branch need not have a commit yet.
func (r Repo) Branch(ctx context.Context) (string, error) { return r.at().branch(ctx) }

func (c call) branch(ctx context.Context) (string, error) {
	ref, err := c.line(ctx, "symbolic-ref", "--quiet", "HEAD")
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// HasBranch reports whether there is a local branch of that name.
func (r Repo) HasBranch(ctx context.Context, branch string) (bool, error) {
	if id, sure := r.refNow("refs/heads/" + branch); sure {
		return id != "", nil
	}
	_, err := r.run(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+branch)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// DefaultBranch returns the branch that results land on if nobody says
// otherwise: the one that HEAD names; where HEAD is detached the remote's, main
// or master, whichever is there.
func (r Repo) DefaultBranch(ctx context.Context) (string, error) {
	if branch, err := r.Branch(ctx); err != nil || branch != "" {
		return branch, err
	}
	names := []string{"main", "master"}
	if ref, err := r.line(ctx, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"); err == nil {
		names = append([]string{strings.TrimPrefix(ref, "refs/remotes/origin/")}, names...)
	}
	for _, name := range names {
		if ok, err := r.HasBranch(ctx, name); err != nil || ok {
			return name, err
		}
	}
	return "", work.Errorf(work.NotFound, "HEAD of %s is detached, and there is neither a main nor a master branch", r.Dir).
		Do("Set trunk in .offrun/project.yaml.")
}

// Upstream returns the branch that branch follows, such as origin/main, and how
// many commits each has that the other lacks, as of the last fetch. name is "" if
// it follows none, or one that is gone.
func (r Repo) Upstream(ctx context.Context, branch string) (ahead, behind int, name string, err error) {
	name, err = r.line(ctx, "for-each-ref", "--format=%(upstream:short)", "refs/heads/"+branch)
	if err != nil || name == "" {
		return 0, 0, "", err
	}
	out, err := r.line(ctx, "rev-list", "--left-right", "--count", "refs/heads/"+branch+"..."+name, "--")
	if exitCode(err) == 128 {
		return 0, 0, "", nil // configured, but never fetched
	}
	if err != nil {
		return 0, 0, "", err
	}
	if _, err := fmt.Sscan(out, &ahead, &behind); err != nil {
		return 0, 0, "", fmt.Errorf("git rev-list: %q: %w", out, err)
	}
	return ahead, behind, name, nil
}

// Behind returns how many commits ref has that base lacks: how far a branch has
// moved since a run began (F08).
func (r Repo) Behind(ctx context.Context, base, ref string) (int, error) {
	out, err := r.line(ctx, "rev-list", "--count", base+".."+ref, "--")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}
