package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"

	"offrun/backend/config"
	"offrun/backend/work"
)

// A reader is a config.Reader that knows what only a project's settings hold.
type reader struct {
	config.Reader
	agents []work.AgentID // that select may name beside the file's own; none means any
	chosen []config.Key   // what select names
}

// settings reads text. What is wrong keeps its default.
func (r *reader) settings(text []byte) work.Settings {
	s := Defaults()
	body := r.Document(text)
	if body == nil {
		return s
	}
	var known []string
	for _, one := range settings {
		known = append(known, one.key)
	}
	for key, value := range r.Entries(body, known...) {
		settings[slices.Index(known, key.Text)].read(r, value, &s)
	}
	r.findChosen(s.Agents)
	return s
}

// findChosen notes what select names and nobody describes. It is asked last: the
// file's own agents may stand below.
func (r *reader) findChosen(own []work.AgentSettings) {
	if len(r.agents) == 0 {
		return
	}
	ids := make([]string, len(r.agents))
	for i, id := range r.agents {
		ids[i] = string(id)
	}
	for _, a := range own {
		if !slices.Contains(ids, string(a.ID)) {
			ids = append(ids, string(a.ID))
		}
	}
	for _, c := range r.chosen {
		if id, _, _ := strings.Cut(c.Text, ":"); !slices.Contains(ids, id) {
			r.Mistake(c.Node, "there is no agent %q; allowed: %s, or one described under agents", id, strings.Join(ids, ", "))
		}
	}
}

// agentIDs reads a choice of agents, each with a model if it likes: claude:opus.
func (r *reader) agentIDs(n ast.Node) []work.AgentID {
	var all []work.AgentID
	for _, item := range r.Items(n) {
		text, _ := config.Scalar(item)
		id, model, with := strings.Cut(text, ":")
		if !config.IsAgentID(id) || with && strings.TrimSpace(model) == "" || strings.ContainsAny(model, " \t\n") {
			r.Mistake(item, "%s is no agent id; allowed: %s, with :model behind it", config.Shown(item), config.AgentIDs)
			continue
		}
		all = append(all, work.AgentID(text))
		r.chosen = append(r.chosen, config.Key{Node: item, Text: text})
	}
	return all
}

// globs reads a list of patterns for paths within the project.
func (r *reader) globs(n ast.Node) []string {
	var all []string
	for _, item := range r.Items(n) {
		switch glob := strings.TrimPrefix(r.Text(item, "a list of globs"), "./"); {
		case glob == "":
		case !doublestar.ValidatePattern(glob):
			r.Mistake(item, "%q is no glob; allowed: such as .env, certs/*.pem or src/**/*.go", glob)
		case !inside(glob):
			r.Mistake(item, "%q leads out of the project; allowed: relative paths", glob)
		default:
			all = append(all, glob)
		}
	}
	return all
}

// inside reports whether name, a slash path or glob, stays within the project
// and out of its git directory.
func inside(name string) bool {
	clean := path.Clean(name)
	top, _, _ := strings.Cut(clean, "/")
	return !path.IsAbs(name) && top != ".." && clean != "." && !strings.EqualFold(top, ".git") &&
		!strings.ContainsAny(name, "\x00\\\n") && !strings.Contains(name, "/../")
}

var branchName = regexp.MustCompile(`^[^-/.\s~^:?*\[\\][^\s~^:?*\[\\]*$`)

func (r *reader) branch(n ast.Node) string {
	name := r.Text(n, "the name of a branch")
	if name != "" && (!branchName.MatchString(name) || strings.Contains(name, "..") || strings.Contains(name, "@{")) {
		r.Mistake(n, "%q is no branch; allowed: the name of a local branch, such as main", name)
		return ""
	}
	return name
}
