// Package custom makes agents of what settings describe: an argument list with
// placeholders, and the format of its output. No shell is involved, so a prompt
// reaches the program as it is.
package custom

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A Format is an output format that settings may name.
type Format struct {
	Decode     agent.Decoder
	Structured bool // it has a final word
}

var id = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// New returns the agent that s describes; formats are the output formats by
// name, "text" among them. The error names the first mistake and what is allowed.
func New(s work.AgentSettings, formats map[string]Format) (agent.Agent, error) {
	format, ok := formats[cmp.Or(s.Output, "text")]
	switch {
	case !id.MatchString(string(s.ID)):
		return agent.Agent{}, work.Errorf(work.Invalid, "agent id %q: allowed are a-z, 0-9 and -, at most 32, not - at first", s.ID)
	case len(s.Cmd) == 0 || s.Cmd[0] == "":
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: cmd is empty", s.ID).
			Do("Write the program and its arguments as a list.")
	case !ok:
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: unknown output %q; allowed: %s", s.ID, s.Output, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	case s.Prompt != "" && s.Prompt != "stdin":
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: unknown prompt %q; allowed: stdin", s.ID, s.Prompt)
	}
	for _, argv := range [][]string{s.Cmd, s.Resume} {
		if err := check(s.ID, argv); err != nil {
			return agent.Agent{}, err
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
	return slices.ContainsFunc(placeholder.FindAllStringSubmatch(arg, -1), func(p []string) bool { return p[1] == name })
}

var placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// Placeholders are what an argument may contain.
var Placeholders = []string{"{{task_file}}", "{{prompt}}", "{{workdir}}", "{{model}}", "{{session_id}}"}

func check(agent work.AgentID, argv []string) error {
	for _, arg := range argv {
		for _, p := range placeholder.FindAllStringSubmatch(arg, -1) {
			if !slices.Contains(Placeholders, "{{"+p[1]+"}}") {
				return work.Errorf(work.Invalid, "agent %s: unknown placeholder %s; allowed: %s", agent, p[0], strings.Join(Placeholders, " "))
			}
		}
	}
	return nil
}

// fill replaces the placeholders of arg in one pass: what a prompt contains is
// not looked at again.
func fill(arg string, ask agent.Ask) string {
	return placeholder.ReplaceAllStringFunc(arg, func(p string) string {
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
		return ask.Session // check lets no other pass
	})
}
