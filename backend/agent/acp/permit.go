package acp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A policy says what an agent that asks may do. It is an answer to a question and
// no fence: what an agent does without asking, or with a path that it does not
// name, passes it by.
type policy struct {
	permissions string
	inside      []string // folders that are the agent's, absolute, without symbolic links
}

func newPolicy(permissions string, folders ...string) policy {
	p := policy{permissions: permissions}
	for _, dir := range folders {
		if dir != "" {
			p.inside = append(p.inside, resolve(dir))
		}
	}
	return p
}

// A ruling is what a policy says of a call.
type ruling string

const (
	allow ruling = "allow"
	deny  ruling = "deny"
	ask   ruling = "ask" // a person
)

// harmless are the kinds of tools that change nothing.
var harmless = []string{"read", "search", "think", "fetch"}

// rule rules on a call; why is for people, where it is denied.
func (p policy) rule(c toolCall) (r ruling, why string) {
	switch p.permissions {
	case agent.Everything:
		return allow, ""
	case agent.OwnRules:
		return ask, ""
	}
	if slices.Contains(harmless, c.Kind) {
		return allow, ""
	}
	if p.permissions == agent.Reading {
		return deny, "it may only read"
	}
	if !slices.Contains([]string{"edit", "delete", "move", "execute"}, c.Kind) {
		return deny, "nothing tells that it stays inside the worktree"
	}
	paths := c.paths()
	for _, path := range append(paths, c.folders()...) {
		if !p.has(path) {
			return deny, path + " is outside the worktree"
		}
	}
	if len(paths) == 0 && c.Kind != "execute" {
		return deny, "it does not say which file it is about"
	}
	return allow, ""
}

// has reports whether path lies in a folder of the agent's. A relative path
// counts from the first.
func (p policy) has(path string) bool {
	path = strings.TrimPrefix(path, "file://")
	if strings.HasPrefix(path, "~") {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.inside[0], path)
	}
	path = resolve(path)
	return slices.ContainsFunc(p.inside, func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// resolve returns path without symbolic links, also that of a file that is not
// there yet.
func resolve(path string) string {
	path, rest := filepath.Clean(path), ""
	for range 255 { // links that lead in a circle end here
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		if to, err := os.Readlink(path); err == nil { // to what is not there
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			path = to
			continue
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = filepath.Dir(path)
	}
	return string(filepath.Separator) // nobody's folder
}

// paths returns the files that a call says it is about.
func (c toolCall) paths() []string {
	var paths []string
	for _, l := range c.Locations {
		paths = append(paths, l.Path)
	}
	for _, part := range c.Content {
		if part.Type == "diff" {
			paths = append(paths, part.Path)
		}
	}
	paths = append(paths, text(c.Input, "file_path", "filePath", "path", "abs_path", "absolute_path", "notebook_path", "source", "destination")...)
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool { return path == "" })
}

// folders returns the folders in which a call says that it runs.
func (c toolCall) folders() []string {
	return text(c.Input, "cwd", "workdir", "dir", "dir_path", "directory")
}

// maxQuestion is the most text, in bytes, of a question.
const maxQuestion = 2000

// question says for people what is asked.
func (c toolCall) question() string {
	text := c.text()
	if text == "" {
		text = c.tool()
	}
	for _, path := range c.paths() {
		if !strings.Contains(text, path) {
			text += ", " + path
		}
	}
	return agent.Cut(agent.Clean(text), maxQuestion)
}

// options returns the answers that are offered.
func (r request) options() []work.Option {
	var options []work.Option
	for _, o := range r.Options {
		options = append(options, work.Option{ID: o.ID, Name: agent.Clean(o.Name), Kind: o.Kind})
	}
	return options
}
