package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

// Our lines in info/exclude stand between these two, so that they can be told from
// the user's own.
const (
	excludeBegin = "# offrun: begin"
	excludeEnd   = "# offrun: end"
)

// Exclude adds ignore patterns to info/exclude of the repository, which holds for
// all its worktrees and is never committed. Patterns that are there already are
// not added again. A pattern without a closing slash also matches a symbolic link
// (F57).
//
// Then it asks git whether the patterns have effect: a line in .gitignore that
// says otherwise wins, and is a Conflict (F32).
func (r Repo) Exclude(ctx context.Context, patterns ...string) error {
	r, release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	file := filepath.Join(r.GitDir, "info", "exclude")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if next := addExcludes(string(text), patterns); next != string(text) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := renameio.WriteFile(file, []byte(next), 0o644); err != nil {
			return err
		}
	}
	return r.checkExcluded(ctx, patterns)
}

// Excludes reports whether the patterns are in info/exclude: whether Exclude has
// nothing to add.
func (r Repo) Excludes(patterns ...string) bool {
	text, err := os.ReadFile(filepath.Join(r.GitDir, "info", "exclude"))
	return err == nil && addExcludes(string(text), patterns) == string(text)
}

// addExcludes returns text with the patterns it lacks, in our block.
func addExcludes(text string, patterns []string) string {
	theirs, ours := splitExclude(text)
	missing := false
	for _, p := range patterns {
		if !slices.Contains(ours, p) && !slices.Contains(strings.Split(theirs, "\n"), p) {
			ours = append(ours, p)
			missing = true
		}
	}
	if !missing {
		return text
	}
	return joinExclude(theirs, ours)
}

// splitExclude takes the text of info/exclude apart: what is the user's, and the
// lines of our block.
func splitExclude(text string) (theirs string, ours []string) {
	head, rest, found := strings.Cut(text, excludeBegin+"\n")
	if !found {
		return text, nil
	}
	block, tail, found := strings.Cut(rest, excludeEnd+"\n")
	if !found {
		return text, nil // cut short by an editor: leave it as it is
	}
	return head + tail, strings.Split(strings.TrimSuffix(block, "\n"), "\n")
}

func joinExclude(theirs string, ours []string) string {
	if theirs != "" && !strings.HasSuffix(theirs, "\n") {
		theirs += "\n"
	}
	return theirs + excludeBegin + "\n" + strings.Join(ours, "\n") + "\n" + excludeEnd + "\n"
}

func (r Repo) checkExcluded(ctx context.Context, patterns []string) error {
	var names []string
	for _, p := range patterns {
		if strings.ContainsAny(p, "*?[!\\") {
			continue // no single name stands for it
		}
		name := strings.TrimPrefix(p, "/")
		if strings.HasSuffix(name, "/") {
			name += "x"
		}
		names = append(names, name)
	}
	ignored, err := r.at().ignored(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !ignored[name] {
			return work.Errorf(work.Conflict, "%s is not ignored, although info/exclude says so", name).
				Do(fmt.Sprintf("A line of a .gitignore brings it back; find it with: git check-ignore -v --no-index %s", name))
		}
	}
	return nil
}

// ignored returns those of paths that an ignore rule matches, tracked or not.
func (c call) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(paths) == 0 {
		return found, nil
	}
	var in []byte
	for _, p := range paths {
		in = append(append(in, "./"+p...), 0) // or a name that begins with ":" would be a pattern
	}
	out, err := c.input(in).with("GIT_LITERAL_PATHSPECS=0").run(ctx, "check-ignore", "--no-index", "-z", "--stdin")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	for _, p := range records(out) {
		found[strings.TrimPrefix(p, "./")] = true
	}
	return found, nil
}
