package artifact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"offrun/backend/git"
	"offrun/backend/work"
)

// notices say what is odd about a worktree.
func notices(in In, s git.Snapshot) []string {
	var all []string
	say := func(when bool, format string, args ...any) {
		if when {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	say(s.Branch == "" && in.Branch != "", "left its branch: HEAD is detached") // F37
	say(s.Branch != "" && s.Branch != in.Branch, "switched to the branch %s", s.Branch)
	say(s.Unfinished != "", "left a %s unfinished", s.Unfinished)
	say(s.Unmerged, "left merge conflicts: files may hold conflict markers")
	for _, dir := range s.Nested {
		say(true, "made a repository of its own in %s: its files are part of the result, its history is not", dir) // F32
	}
	for _, text := range s.Submodules {
		say(true, "changed the submodule %s: not part of the result", text) // F20
	}
	say(s.TooBig != "", "left out, as dependencies that nobody ignored: %s", s.TooBig)
	for _, text := range s.Skipped {
		say(true, "not taken: %s", text)
	}
	say(len(s.Born) > 0, "not counted, since they differed from the start: %s", few(s.Born)) // F24
	return all
}

// empty explains why nothing changed (R8).
func empty(in In, r *work.Result, s git.Snapshot) string {
	switch {
	case in.Asked != "":
		return "asked a question and stopped: " + in.Asked
	case in.Elsewhere:
		return "nothing changed in its worktree, but files outside of it changed while it ran"
	case s.TooBig != "":
		return "only dependencies changed, and they are left out: " + s.TooBig
	case len(s.Submodules) > 0:
		return "only submodules changed, which are not part of a result: " + few(s.Submodules)
	case r.HasNotes:
		return "it only wrote " + Notes
	case len(r.Ignored) > 0:
		return "only ignored files changed: " + few(r.Ignored)
	case r.Head != in.Base && r.Head != "":
		return "it made commits that together change nothing"
	}
	return "nothing changed"
}

// few names the first of many.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// notBrought returns the ignored paths that no line of brought names.
func notBrought(ignored, brought []string) []string {
	named := map[string]bool{}
	for _, line := range brought {
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,:;"'()`, r) }) {
			named[strings.TrimSuffix(word, "/")] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(ignored), func(path string) bool {
		path = strings.TrimSuffix(path, "/")
		if strings.ContainsAny(path, ` ,:;"'()`) {
			return slices.ContainsFunc(brought, func(line string) bool { return strings.Contains(line, path) })
		}
		return named[path]
	})
}
