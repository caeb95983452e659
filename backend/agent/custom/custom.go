// Package custom makes agents of what settings describe: an argument list with
// placeholders, and the format of its output. No shell is involved, so a prompt
// reaches the program as it is.
package custom

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"offrun/backend/agent"
	"offrun/backend/config"
	"offrun/backend/work"
)

// A Format is an output format that settings may name.
type Format struct {
	Decode     agent.Decoder
	Structured bool // it has a final word
}

// New returns the agent that s describes; formats are the output formats by
// name, "text" among them. The error names the first mistake and what is allowed.
func New(s work.AgentSettings, formats map[string]Format) (agent.Agent, error) {
	format, ok := formats[cmp.Or(s.Output, "text")]
	switch {
	case !config.IsAgentID(string(s.ID)):
		return agent.Agent{}, work.Errorf(work.Invalid, "%q is no agent id; allowed: %s", s.ID, config.AgentIDs)
	case len(s.Cmd) == 0 || s.Cmd[0] == "":
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: cmd is empty", s.ID).
			Do("Write the program and its arguments as a list.")
	case !ok:
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: unknown output %q; allowed: %s", s.ID, s.Output, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	case s.Prompt != "" && s.Prompt != "stdin":
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: unknown prompt %q; allowed: stdin", s.ID, s.Prompt)
	}
	for _, arg := range slices.Concat(s.Cmd, s.Resume) {
		if unknown := config.UnknownPlaceholders(arg); len(unknown) > 0 {
			return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: unknown placeholder %s; allowed: %s", s.ID, unknown[0], strings.Join(config.Placeholders, " "))
		}
	}
	return agent.Agent{
		ID:         s.ID,
		Name:       string(s.ID),
		Program:    s.Cmd[0],
		Command:    func(ask agent.Ask) (agent.Command, error) { return command(s, ask), nil },
		Decode:     format.Decode,
		Structured: format.Structured,
		Resumes:    len(s.Resume) > 0,
	}, nil
}

func command(s work.AgentSettings, ask agent.Ask) agent.Command {
	argv := s.Cmd
	if ask.Resume {
		argv = s.Resume
	}
	if ask.Session == "" && slices.ContainsFunc(argv, func(arg string) bool { return mentions(arg, "session_id") }) {
		ask.Session = uuid.NewString()
	}
	c := agent.Command{Argv: fillAll(argv, ask), Env: agent.Environ(ask), Session: ask.Session}
	if s.Prompt == "stdin" {
		c.Stdin = ask.Prompt
	}
	return c
}

// fillAll fills every argument. Where no model is chosen, an argument that
// consists of {{model}} is left out, and so is the flag before it.
func fillAll(argv []string, ask agent.Ask) []string {
	var filled []string
	for i, arg := range argv {
		if ask.Model == "" && mentions(arg, "model") {
			if i > 1 && !strings.HasPrefix(arg, "-") && strings.HasPrefix(argv[i-1], "-") {
				filled = filled[:len(filled)-1]
			}
			continue
		}
		filled = append(filled, fill(arg, ask))
	}
	return filled
}

func mentions(arg, name string) bool {
	return slices.ContainsFunc(config.Placeholder.FindAllStringSubmatch(arg, -1), func(p []string) bool { return p[1] == name })
}

// fill replaces the placeholders of arg in one pass: what a prompt contains is
// not looked at again.
func fill(arg string, ask agent.Ask) string {
	return config.Placeholder.ReplaceAllStringFunc(arg, func(p string) string {
		switch strings.Trim(p, "{} \t\n") {
		case "task_file":
			return ask.TaskFile
		case "prompt":
			return ask.Prompt
		case "workdir":
			return ask.Dir
		case "model":
			return ask.Model
		}
		return ask.Session // New lets no other pass
	})
}
