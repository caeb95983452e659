package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// addNested takes the files of repositories that an agent made inside the
// worktree. git would record such a folder as a link to a commit that exists
// nowhere else (F32), or refuse it if it has no commit; the files are what the
// agent did. Ignore rules hold for them as for all others.
func (t *taking) addNested(ctx context.Context, changes []rawChange) ([]rawChange, error) {
	var links []rawChange
	for _, c := range changes {
		if c.newMode == gitlink && c.oldMode != gitlink && !t.isSubmodule(c.path) {
			links = append(links, rawChange{oldMode: absent, newID: c.newID, path: c.path})
			t.s.Nested = append(t.s.Nested, c.path)
		}
	}
	if t.unborn {
		unborn, err := t.unbornRepositories(ctx)
		if err != nil {
			return nil, err
		}
		t.s.Nested = append(t.s.Nested, unborn...)
	}
	if len(t.s.Nested) == 0 {
		return changes, nil
	}
	slices.Sort(t.s.Nested)
	if err := t.git.reset(ctx, links); err != nil {
		return nil, err
	}
	if err := t.addNestedFiles(ctx); err != nil {
		return nil, err
	}
	return t.writeFull(ctx)
}

// addNestedFiles adds the files of the nested repositories one by one.
func (t *taking) addNestedFiles(ctx context.Context) error {
	var files []string
	for _, dir := range t.s.Nested {
		if t.isWorktree(dir) {
			t.s.Skipped = append(t.s.Skipped, dir+" is another worktree of this repository")
			continue
		}
		files = append(files, t.filesOf(dir)...)
	}
	files, err := t.notIgnored(ctx, files)
	switch {
	case err != nil || len(files) == 0:
		return err
	case len(files) > manyFiles:
		t.s.Skipped = append(t.s.Skipped, fmt.Sprintf("%s in nested repositories are too many", english.Plural(len(files), "file", "")))
		return nil
	}
	_, err = t.git.input([]byte(strings.Join(files, "\x00")+"\x00")).run(ctx, "update-index", "--add", "--replace", "-z", "--stdin")
	if exitCode(err) > 0 {
		t.s.Skipped = append(t.s.Skipped, "nested repositories: "+lastLine(complaint(err)))
		return nil
	}
	return err
}

// isSubmodule reports whether a folder is a submodule that the agent added with
// git's own command: then its git directory lies beside that of the worktree.
func (t *taking) isSubmodule(path string) bool {
	admin, err := readPointer(filepath.Join(t.Path, path, ".git"))
	return err == nil && inside(admin, filepath.Join(t.Admin, "modules"))
}

// isWorktree reports whether a folder is another worktree of the same repository.
func (t *taking) isWorktree(path string) bool {
	admin, err := readPointer(filepath.Join(t.Path, path, ".git"))
	return err == nil && inside(admin, filepath.Join(t.Repo.GitDir, "worktrees")) && !inside(admin, t.Admin)
}

// isNested reports whether dir is the top of a repository.
func isNested(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// unbornRepositories finds untracked folders that are repositories without a commit.
func (t *taking) unbornRepositories(ctx context.Context) ([]string, error) {
	out, err := t.git.run(ctx, "ls-files", "--others", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range records(out) {
		dir, ok := strings.CutSuffix(name, "/")
		if !ok {
			continue
		}
		_ = filepath.WalkDir(filepath.Join(t.Path, dir), func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return nil // unreadable: git has said so
			case d.Name() == ".git":
				return fs.SkipDir
			case !isNested(p):
				return nil
			}
			if rel, err := filepath.Rel(t.Path, p); err == nil {
				found = append(found, filepath.ToSlash(rel))
			}
			return fs.SkipDir
		})
	}
	return found, nil
}

// filesOf lists the files and symbolic links below dir, repositories further down
// included, without what is in any .git.
func (t *taking) filesOf(dir string) []string {
	var files []string
	_ = filepath.WalkDir(filepath.Join(t.Path, dir), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not there
		case strings.EqualFold(d.Name(), ".git"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type().IsRegular() || d.Type() == fs.ModeSymlink:
			if rel, err := filepath.Rel(t.Path, p); err == nil {
				files = append(files, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return files
}
