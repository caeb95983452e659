package project

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ours are the folders at the top that hold other worktrees and runs.
var ours = []string{".git", ".worktrees", "runs", ".offrun"}

// files finds what the globs of the bring setting name.
func (c *carrier) files(globs []string) []want {
	found := map[string]want{}
	for _, glob := range globs {
		base, pattern := doublestar.SplitPattern(strings.TrimSuffix(glob, "/"))
		pattern = path.Join(base, pattern)
		if !strings.ContainsAny(pattern, `*?[{\`) {
			base = pattern // the walk begins at what is named
		}
		c.match(base, pattern, found)
	}
	names := slices.Sorted(maps.Keys(found))
	wanted := make([]want, len(names))
	for i, name := range names {
		wanted[i] = found[name]
	}
	return wanted
}

// match finds the regular files and folders below base that pattern matches. A
// folder comes whole, unless the worktree has it: then what is in it comes one by
// one. Dependency folders are not searched, unless base lies in one.
func (c *carrier) match(base, pattern string, found map[string]want) {
	visit := func(name string, entry fs.DirEntry, err error) error {
		if err != nil || c.ctx.Err() != nil {
			if _, there := c.from.Lstat(name); there == nil {
				c.say("%s: not brought, as it cannot be read or is a link out of the project", name)
			}
			return fs.SkipDir
		}
		if entry.IsDir() && name != base && (slices.Contains(ours, name) || slices.Contains(dependencies, entry.Name())) {
			return fs.SkipDir
		}
		if !doublestar.MatchUnvalidated(pattern, name) && !doublestar.MatchUnvalidated(pattern+"/**", name) {
			return nil
		}
		_, missing := c.to.Lstat(name)
		switch {
		case entry.IsDir() && missing != nil:
			found[name] = want{name: name, folder: true}
			return fs.SkipDir
		case entry.Type().IsRegular():
			found[name] = want{name: name}
		}
		return nil
	}
	_ = fs.WalkDir(c.from.FS(), base, visit) // visit has said what cannot be read
}

// folders finds the dependency folders that are there. A plain name is looked
// for in the top three levels: a package beside the others has its own.
func (c *carrier) folders(how map[string]string) []want {
	var found []want
	for _, name := range slices.Sorted(maps.Keys(how)) {
		if strings.Contains(name, "/") {
			if info, err := c.from.Lstat(name); err == nil && info.IsDir() {
				found = append(found, want{path.Clean(name), how[name], true})
			}
		}
	}
	c.search(".", 1, how, func(name, how string) {
		if !slices.ContainsFunc(found, func(w want) bool { return w.name == name }) {
			found = append(found, want{name, how, true})
		}
	})
	return slices.DeleteFunc(found, func(w want) bool {
		switch w.how {
		case install:
			c.say("%s: left to the setup command", w.name)
		case clone, link:
			_, err := c.to.Lstat(path.Dir(w.name))
			return err != nil // the base of the run has no such package
		}
		return true
	})
}

// search calls found for every folder at or below dir that how names plainly.
func (c *carrier) search(dir string, level int, how map[string]string, found func(name, how string)) {
	f, err := c.from.Open(dir)
	if err != nil {
		return // what cannot be read cannot be brought
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		switch way, named := how[entry.Name()]; {
		case !entry.IsDir() || slices.Contains(ours, name):
		case named:
			found(name, way)
		case level < 3 && !strings.HasPrefix(entry.Name(), ".") && !slices.Contains(dependencies, entry.Name()):
			c.search(name, level+1, how, found)
		}
	}
}
