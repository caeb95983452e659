package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tips returns commits from which all can be reached that the worktree or its
// branch know of: what HEAD and the branch are at, what either was at before and
// the reflog still holds, and the refs of the worktree alone (F49, F90). It is
// empty if there is neither worktree nor branch.
func (w Worktree) Tips(ctx context.Context, branch string) ([]string, error) {
	logs := []string{filepath.Join(w.Admin, "logs", "HEAD")}
	if branch != "" {
		logs = append(logs, filepath.Join(w.Repo.GitDir, "logs", "refs", "heads", filepath.FromSlash(branch)))
	}
	var names []string
	for _, file := range logs {
		ids, err := loggedIDs(file)
		if err != nil {
			return nil, err
		}
		names = append(names, ids...)
	}
	own, err := w.ownRefs()
	if err != nil {
		return nil, err
	}
	names = append(names, own...)
	at := ""
	if branch != "" {
		if at, err = w.Repo.Ref(ctx, "refs/heads/"+branch); err != nil {
			return nil, err
		}
		names = append(names, at)
	}
	c := w.Repo.at()
	head, err := readSmall(filepath.Join(w.Admin, "HEAD"))
	if w.Admin != "" && err == nil && (branch == "" || strings.TrimSpace(head) != "ref: refs/heads/"+branch) {
		c.gitDir = w.Admin
		names = append(names, "HEAD")
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return strings.Trim(n, "0") == "" })
	if len(names) == 1 && names[0] == at {
		return names, nil // as nearly always: where it began
	}
	ids, err := c.commits(ctx, names)
	if err != nil || len(ids) < 2 {
		return ids, err
	}
	return c.independent(ctx, ids)
}

// loggedIDs returns the ids that a reflog names.
func loggedIDs(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 2 {
			ids = append(ids, f[0], f[1])
		}
	}
	return ids, err
}

// ownRefs returns the ids in files of the admin directory that refer to commits:
// refs of this worktree only, and the heads that git leaves behind.
func (w Worktree) ownRefs() ([]string, error) {
	var ids []string
	for _, name := range []string{"ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge/orig-head"} {
		if text, err := readSmall(filepath.Join(w.Admin, name)); w.Admin != "" && err == nil {
			ids = append(ids, strings.Fields(text)...)
		}
	}
	refs := filepath.Join(w.Admin, "refs")
	err := filepath.WalkDir(refs, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := readSmall(name)
		ids = append(ids, strings.TrimSpace(text))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return ids, err
}

// commits returns the ids of those names that are commits which exist.
func (c call) commits(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := c.input([]byte(strings.Join(names, "\n")+"\n")).run(ctx, "cat-file", "--batch-check=%(objecttype) %(objectname)")
	var ids []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "commit" {
			ids = append(ids, f[1])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// independent returns those ids that cannot be reached from another of them, a
// slice at a time to keep the command line short.
func (c call) independent(ctx context.Context, ids []string) ([]string, error) {
	const most = 500
	var tips []string
	for part := range slices.Chunk(ids, most) {
		out, err := c.line(ctx, append([]string{"merge-base", "--independent"}, append(tips, part...)...)...)
		if err != nil {
			return nil, err
		}
		tips = strings.Fields(out)
	}
	return tips, nil
}
