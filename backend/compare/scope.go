package compare

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"offrun/backend/work"
)

// rules are what a run says about paths.
type rules struct {
	scope     bool // whether there is one
	allowed   Globs
	protected Globs
	forbidden Globs
}

// rulesOf takes the rules from the card and the settings that were frozen when
// the run started. What the card asks to hand in is allowed, too.
func rulesOf(run *work.Run) rules {
	return rules{
		scope:     len(run.Card.Allowed) > 0,
		allowed:   Scope(slices.Concat(run.Card.Allowed, run.Card.Files)...),
		protected: Guard(run.Settings.Protected...),
		forbidden: Guard(run.Card.Forbidden...),
	}
}

// judge sorts the paths of changes into v's lists.
func (r rules) judge(v *work.Verdict, changes []work.Change) {
	for path := range paths(changes) {
		if r.scope && !r.allowed.Match(path) {
			v.OutOfScope = append(v.OutOfScope, path)
		}
		if r.protected.Match(path) {
			v.Protected = append(v.Protected, path)
		}
		if r.forbidden.Match(path) {
			v.Forbidden = append(v.Forbidden, path)
		}
	}
	slices.Sort(v.OutOfScope)
	slices.Sort(v.Protected)
	slices.Sort(v.Forbidden)
}

// Globs is a list of paths and patterns as people write them in cards and
// settings:
//
//	src/api/login.ts   this file, or this folder and all in it
//	src/api/           this folder and all in it
//	**/*.go  src/*/x   * within one name, ** across folders, also ? [a-z] {a,b}
//	*.go               a pattern without a slash: in every folder
//	/go.mod            from the top of the project, as everything with a slash is
//
// A name without a slash or pattern can be read two ways, and the reading that
// flags more is taken: see Scope and Guard. A path with brackets in its name is
// also found when it is written as it is. Letters match however their accents
// are composed; case matters.
type Globs struct{ all []glob }

type glob struct {
	text     string // without slashes at its ends
	pattern  string // for doublestar; "" for a plain path
	folder   bool   // only what lies in it
	anywhere bool   // a plain name, in any folder
}

// Scope returns globs of what may change: login.ts means the one at the top.
func Scope(patterns ...string) Globs { return globs(patterns, false) }

// Guard returns globs of what must not change: go.sum means every file or folder
// of that name.
func Guard(patterns ...string) Globs { return globs(patterns, true) }

func globs(patterns []string, anywhere bool) Globs {
	var g Globs
	for _, p := range patterns {
		if p = strings.TrimSpace(norm.NFC.String(p)); p != "" {
			g.all = append(g.all, newGlob(p, anywhere))
		}
	}
	return g
}

func newGlob(p string, anywhere bool) glob {
	top := strings.HasPrefix(p, "/") || strings.HasPrefix(p, "./")
	g := glob{folder: strings.HasSuffix(p, "/")}
	p = strings.TrimPrefix(p, "./")
	g.text = strings.Trim(p, "/")
	if g.text == "." || g.text == "" {
		return glob{pattern: "**"} // the project itself
	}
	deep := !top && !strings.Contains(g.text, "/")
	switch {
	case !strings.ContainsAny(g.text, `*?[{\`):
		g.anywhere = deep && anywhere
	case doublestar.ValidatePattern(g.text):
		g.pattern = g.text
		if deep {
			g.pattern = "**/" + g.text
		}
	}
	return g
}

// Match reports whether path, with slashes, is one of g or lies in one.
func (g Globs) Match(path string) bool {
	path = norm.NFC.String(path)
	return slices.ContainsFunc(g.all, func(one glob) bool { return one.match(path) })
}

func (g glob) match(path string) bool {
	inside := strings.HasPrefix(path, g.text) && strings.HasPrefix(path[len(g.text):], "/")
	if inside || !g.folder && path == g.text {
		return true
	}
	switch {
	case g.anywhere:
		return strings.Contains("/"+path, "/"+g.text+"/") || !g.folder && strings.HasSuffix(path, "/"+g.text)
	case g.pattern == "":
		return false
	case !g.folder && doublestar.MatchUnvalidated(g.pattern, path):
		return true
	}
	dir := path[:max(0, strings.LastIndexByte(path, '/'))]
	return dir != "" && doublestar.MatchUnvalidated(g.pattern+"/**", dir)
}
