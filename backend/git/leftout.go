package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// A dependency folder is left out of a snapshot if it holds more than this and
// nobody ignored it. It would be thousands of files that no one wants to read.
const (
	manyFiles = 5000
	manyBytes = 50 << 20
)

// dependencyNames are names of folders that package managers fill.
var dependencyNames = map[string]bool{
	"node_modules": true, "bower_components": true, "jspm_packages": true, ".yarn": true, ".pnpm-store": true,
	".venv": true, "venv": true, "virtualenv": true, "site-packages": true, ".tox": true, ".nox": true,
	"vendor": true, "Pods": true, "Carthage": true, ".gradle": true, ".m2": true, "target": true,
	".dart_tool": true, "elm-stuff": true,
}

// leaveOut returns the paths that are not to be added: submodules, whose state is
// never recorded by us, and big dependency folders.
func (t *taking) leaveOut(ctx context.Context, es []entry) ([]string, error) {
	var left []string
	for _, e := range es {
		if e.mode != gitlink {
			continue
		}
		left = append(left, e.path)
		if text := t.submodule(ctx, e); text != "" {
			t.s.Submodules = append(t.s.Submodules, e.path+": "+text)
		}
	}
	found, err := t.dependencies(ctx, es)
	if err != nil {
		return nil, err
	}
	var big []string
	for _, dir := range found {
		if text := tooBig(filepath.Join(t.Path, dir)); text != "" {
			big = append(big, dir+" "+text)
			left = append(left, dir)
		}
	}
	t.s.TooBig = strings.Join(big, ", ")
	return left, nil
}

// dependencies finds dependency folders that nobody ignores and in which the
// project keeps no files itself.
func (t *taking) dependencies(ctx context.Context, es []entry) ([]string, error) {
	found, err := t.notIgnored(ctx, dependencyFoldersIn(t.Path))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if es == nil {
		if es, err = t.git.entries(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(found, func(dir string) bool {
		return slices.ContainsFunc(es, func(e entry) bool { return strings.HasPrefix(e.path, dir+"/") })
	}), nil
}

// dependencyFoldersIn finds folders that are called so, at most three levels down.
func dependencyFoldersIn(top string) []string {
	var found []string
	level := []string{""}
	for range 3 {
		var next []string
		for _, dir := range level {
			entries, _ := os.ReadDir(filepath.Join(top, dir)) // unreadable: git will say so
			for _, e := range entries {
				switch {
				case !e.IsDir() || e.Name() == ".git":
				case dependencyNames[e.Name()]:
					found = append(found, path.Join(dir, e.Name()))
				default:
					next = append(next, path.Join(dir, e.Name()))
				}
			}
		}
		level = next
	}
	return found
}

// notIgnored returns those of paths that no ignore rule matches.
func (t *taking) notIgnored(ctx context.Context, paths []string) ([]string, error) {
	ignored, err := t.git.ignored(ctx, paths)
	return slices.DeleteFunc(paths, func(p string) bool { return ignored[p] }), err
}

// tooBig says how much more than allowed a folder holds, or "". It stops counting
// there.
func tooBig(dir string) string {
	var files, bytes int64
	enough := errors.New("enough")
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		files++
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		if files > manyFiles || bytes > manyBytes {
			return enough
		}
		return nil
	})
	switch {
	case err == nil:
		return ""
	case files > manyFiles:
		return fmt.Sprintf("(more than %d files)", manyFiles)
	}
	return fmt.Sprintf("(more than %d MB)", manyBytes>>20)
}

// submodule says what is changed inside a submodule, or "". The submodule's own
// configuration is the agent's, so its filters are off.
func (t *taking) submodule(ctx context.Context, e entry) string {
	dir := filepath.Join(t.Path, e.path)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		return "" // not checked out
	}
	admin := filepath.Join(dir, ".git")
	if info, err := os.Lstat(admin); err != nil {
		return fmt.Sprintf("%s put where it belongs", english.Plural(len(files), "file was", "files were"))
	} else if !info.IsDir() {
		if admin, err = readPointer(admin); err != nil || !inside(admin, t.Repo.GitDir) {
			return "its .git file points elsewhere"
		}
	}
	c := call{dir: dir, gitDir: admin, commonDir: admin, workTree: dir}
	head, err := c.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "it cannot be read"
	}
	if head != e.id {
		return fmt.Sprintf("it is at %.12s instead of %.12s", head, e.id)
	}
	if c, err = c.filtersOff(ctx); err != nil {
		return "it cannot be read"
	}
	out, err := c.run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none")
	if err != nil {
		return "it cannot be read"
	}
	if n := len(records(out)); n > 0 {
		return fmt.Sprintf("%d changed files", n)
	}
	return ""
}

// inside reports whether path lies in dir, symbolic links resolved.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(settle(dir), settle(path))
	return err == nil && filepath.IsLocal(rel)
}
