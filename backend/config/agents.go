package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"offrun/backend/work"
)

var (
	agentID  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	outputs  = []string{"text", "claude", "codex", "gemini", "opencode", "qwen", "copilot"}
)

// AgentIDs says in messages what an agent may be called.
const AgentIDs = "a-z, 0-9 and -, at most 32"

// IsAgentID reports whether an agent may be called id.
func IsAgentID(id string) bool { return agentID.MatchString(id) }

// Placeholders are what an argument of an agent may contain.
var Placeholders = []string{"{{task_file}}", "{{prompt}}", "{{workdir}}", "{{model}}", "{{session_id}}"}

// Placeholder matches a placeholder, known or not; its group is the name.
var Placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// UnknownPlaceholders returns those in arg that are none of Placeholders.
func UnknownPlaceholders(arg string) []string {
	var unknown []string
	for _, p := range Placeholder.FindAllStringSubmatch(arg, -1) {
		if !slices.Contains(Placeholders, "{{"+p[1]+"}}") {
			unknown = append(unknown, p[0])
		}
	}
	return unknown
}

// Agents reads the descriptions of agents.
func (r *Reader) Agents(n ast.Node) []work.AgentSettings {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.Mistake(n, "%s is of the wrong kind; allowed: a list of agents, each with id", Shown(n))
		return nil
	}
	var all []work.AgentSettings
	for _, item := range seq.Values {
		a := r.agent(item)
		if a.ID == "" {
			continue
		}
		if slices.ContainsFunc(all, func(b work.AgentSettings) bool { return a.ID == b.ID }) {
			r.Mistake(item, "agent %q stands here a second time; allowed: each id once", a.ID)
			continue
		}
		all = append(all, a)
	}
	return all
}

// agent reads one description; its ID is "" if that is wrong.
func (r *Reader) agent(n ast.Node) work.AgentSettings {
	var a work.AgentSettings
	before, named := len(r.mistakes), false
	for key, value := range r.Entries(n, "id", "cmd", "resume", "prompt", "output", "env", "timeout", "model", "path", "driver") {
		switch key.Text {
		case "id":
			a.ID, named = r.agentID(value), true
		case "cmd":
			a.Cmd = r.arguments(value)
		case "resume":
			a.Resume = r.arguments(value)
		case "prompt":
			a.Prompt = r.Word(value, "stdin")
		case "output":
			a.Output = r.Word(value, outputs...)
		case "env":
			a.Env, a.Secret = r.environment(value)
		case "timeout":
			a.Timeout = r.Seconds(value, 1)
		case "model":
			a.Model = r.Text(value, "the name of a model")
		case "path":
			a.Path = r.program(value)
		case "driver":
			a.Driver = r.Word(value, "stream", "acp")
		}
	}
	if !named && len(r.mistakes) == before {
		r.Mistake(n, "an agent without id; allowed: %s", AgentIDs)
	}
	return a
}

// program reads where a program lies. A relative path would mean another program in
// every folder.
func (r *Reader) program(n ast.Node) string {
	text := r.Text(n, "the absolute path of a program")
	if text != "" && (!filepath.IsAbs(text) || strings.Contains(text, "\x00")) {
		r.Mistake(n, "%s is no absolute path; allowed: such as /opt/bin/claude", Shown(n))
		return ""
	}
	return text
}

func (r *Reader) agentID(n ast.Node) work.AgentID {
	if text, ok := Scalar(n); ok && IsAgentID(text) {
		return work.AgentID(text)
	}
	r.Mistake(n, "%s is no agent id; allowed: %s", Shown(n), AgentIDs)
	return ""
}

// arguments reads an argument list. There is no shell that would split a text
// into one.
func (r *Reader) arguments(n ast.Node) []string {
	const such = `such as [my-agent, --task, "{{task_file}}"]`
	seq, ok := n.(*ast.SequenceNode)
	switch {
	case !ok:
		r.Mistake(n, "%s is of the wrong kind; allowed: a list %s", Shown(n), such)
		return nil
	case len(seq.Values) == 0:
		r.Mistake(n, "the list is empty; allowed: the program and its arguments, %s", such)
		return nil
	}
	var all []string
	for i, item := range seq.Values {
		text, ok := Scalar(item)
		if !ok || i == 0 && strings.TrimSpace(text) == "" || strings.Contains(text, "\x00") {
			r.Mistake(item, "%s is no argument; allowed: text, the program first", Shown(item))
			continue
		}
		for _, p := range UnknownPlaceholders(text) {
			r.Mistake(item, "unknown placeholder %s; allowed: %s", cut(p), strings.Join(Placeholders, " "))
		}
		all = append(all, text)
	}
	return all
}

// environment reads variables, and which of them are marked as secret:
//
//	{NAME: text, OTHER: {value: text, secret: true}}
//
// Numbers and booleans are taken as they were written.
func (r *Reader) environment(n ast.Node) (env map[string]string, secret []string) {
	env = map[string]string{}
	for key, value := range r.Entries(n) {
		value, marked := r.variable(value)
		text, ok := Scalar(value)
		switch {
		case !variable.MatchString(key.Text):
			r.Mistake(key.Node, "%q is no variable; allowed: letters, digits and _", cut(key.Text))
		case !ok || strings.Contains(text, "\x00"):
			r.Mistake(value, "%s is of the wrong kind; allowed: text, or {value: text, secret: true}", Shown(value))
		default:
			env[key.Text] = text
			if marked {
				secret = append(secret, key.Text)
			}
		}
	}
	slices.Sort(secret)
	return env, secret
}

// variable returns the value in n, and whether it is marked as secret.
func (r *Reader) variable(n ast.Node) (value ast.Node, secret bool) {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		return n, false
	}
	value = n // is told as a mistake if there is no other
	for key, v := range r.Entries(n, "value", "secret") {
		if key.Text == "value" {
			value = v
		} else {
			secret = r.Word(v, "true", "false") == "true"
		}
	}
	return value, secret
}
