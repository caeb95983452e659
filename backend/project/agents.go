package project

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"offrun/backend/work"
)

var (
	agentID     = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	variable    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)
)

const allowedIDs = "a-z, 0-9 and -, at most 32"

var (
	placeholders = []string{"task_file", "prompt", "workdir", "model", "session_id"}
	outputs      = []string{"text", "claude", "codex", "gemini", "opencode", "qwen", "copilot"}
)

// agents reads the descriptions of agents.
func (r *reader) agents(n ast.Node) []work.AgentSettings {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.mistake(n, "%s is of the wrong kind; allowed: a list of agents, each with id", shown(n))
		return nil
	}
	var all []work.AgentSettings
	for _, item := range seq.Values {
		a := r.agent(item)
		if a.ID == "" {
			continue
		}
		if slices.ContainsFunc(all, func(b work.AgentSettings) bool { return a.ID == b.ID }) {
			r.mistake(item, "agent %q stands here a second time; allowed: each id once", a.ID)
			continue
		}
		all = append(all, a)
	}
	return all
}

// agent reads one description; its ID is "" if that is wrong.
func (r *reader) agent(n ast.Node) work.AgentSettings {
	var a work.AgentSettings
	before, named := len(r.mistakes), false
	for key, value := range r.entries(n, "id", "cmd", "resume", "prompt", "output", "env", "timeout", "model") {
		switch key.text {
		case "id":
			a.ID, named = r.agentID(value), true
		case "cmd":
			a.Cmd = r.arguments(value)
		case "resume":
			a.Resume = r.arguments(value)
		case "prompt":
			a.Prompt = r.word(value, "stdin")
		case "output":
			a.Output = r.word(value, outputs...)
		case "env":
			a.Env = r.environment(value)
		case "timeout":
			a.Timeout = r.seconds(value, 1)
		case "model":
			a.Model = r.text(value, "the name of a model")
		}
	}
	if !named && len(r.mistakes) == before {
		r.mistake(n, "an agent without id; allowed: %s", allowedIDs)
	}
	return a
}

func (r *reader) agentID(n ast.Node) work.AgentID {
	if text, ok := scalar(n); ok && agentID.MatchString(text) {
		return work.AgentID(text)
	}
	r.mistake(n, "%s is no agent id; allowed: %s", shown(n), allowedIDs)
	return ""
}

// agentIDs reads a choice of agents, each with a model if it likes: claude:opus.
func (r *reader) agentIDs(n ast.Node) []work.AgentID {
	var all []work.AgentID
	for _, item := range r.items(n) {
		text, _ := scalar(item)
		id, model, with := strings.Cut(text, ":")
		if !agentID.MatchString(id) || with && strings.TrimSpace(model) == "" || strings.ContainsAny(model, " \t\n") {
			r.mistake(item, "%s is no agent id; allowed: %s, with :model behind it", shown(item), allowedIDs)
			continue
		}
		all = append(all, work.AgentID(text))
	}
	return all
}

// arguments reads an argument list. There is no shell that would split a text
// into one.
func (r *reader) arguments(n ast.Node) []string {
	seq, ok := n.(*ast.SequenceNode)
	if !ok || len(seq.Values) == 0 {
		r.mistake(n, "%s is of the wrong kind; allowed: a list such as [my-agent, --task, \"{{task_file}}\"]", shown(n))
		return nil
	}
	var all []string
	for i, item := range seq.Values {
		text, ok := scalar(item)
		if !ok || i == 0 && strings.TrimSpace(text) == "" || strings.Contains(text, "\x00") {
			r.mistake(item, "%s is no argument; allowed: text, the program first", shown(item))
			continue
		}
		for _, p := range placeholder.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(placeholders, p[1]) {
				r.mistake(item, "unknown placeholder %s; allowed: {{%s}}", cut(p[0]), strings.Join(placeholders, "}} {{"))
			}
		}
		all = append(all, text)
	}
	return all
}

// environment reads variables. Numbers and booleans are taken as they were
// written.
func (r *reader) environment(n ast.Node) map[string]string {
	env := map[string]string{}
	for key, value := range r.entries(n) {
		text, ok := scalar(value)
		switch {
		case !variable.MatchString(key.text):
			r.mistake(key.node, "%q is no variable; allowed: letters, digits and _", cut(key.text))
		case !ok || strings.Contains(text, "\x00"):
			r.mistake(value, "%s is of the wrong kind; allowed: text", shown(value))
		default:
			env[key.text] = text
		}
	}
	return env
}
