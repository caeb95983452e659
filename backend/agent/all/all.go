// Package all lists the agents that this build knows, and adds what settings say.
// To add one, add a line.
package all

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"offrun/backend/agent"
	"offrun/backend/agent/acp"
	"offrun/backend/agent/amp"
	"offrun/backend/agent/claude"
	"offrun/backend/agent/codex"
	"offrun/backend/agent/copilot"
	"offrun/backend/agent/cursor"
	"offrun/backend/agent/custom"
	"offrun/backend/agent/gemini"
	"offrun/backend/agent/grok"
	"offrun/backend/agent/opencode"
	"offrun/backend/agent/qwen"
	"offrun/backend/agent/simulated"
	"offrun/backend/work"
)

// Agents returns the built-in agents, the real ones first. Self is the path of
// this program, which plays the simulated ones.
func Agents(self string) []agent.Agent {
	agents := append([]agent.Agent{
		claude.Agent,
		codex.Agent,
		gemini.Agent,
		opencode.Agent,
		qwen.Agent,
		copilot.Agent,
		cursor.Agent,
		amp.Agent,
		grok.Agent,
	}, simulated.Agents(self, claude.Decode)...)
	seen := map[work.AgentID]bool{}
	for _, a := range agents {
		if seen[a.ID] {
			panic(fmt.Sprintf("two agents are called %q", a.ID))
		}
		seen[a.ID] = true
	}
	return agents
}

// Formats are the output formats that settings may name.
func Formats() map[string]custom.Format {
	return map[string]custom.Format{
		"text":     {Decode: agent.Text},
		"claude":   {Decode: claude.Decode, Structured: true},
		"codex":    {Decode: codex.Decode, Structured: true},
		"copilot":  {Decode: copilot.Decode, Structured: true},
		"gemini":   {Decode: gemini.Decode, Structured: true},
		"opencode": {Decode: opencode.Decode, Structured: true},
		"qwen":     {Decode: qwen.Decode, Structured: true},
	}
}

// With returns agents and what settings make of them: an entry with a command is
// an agent of its own, in place of a built-in one of that name; one without
// changes a built-in agent's environment, its model, its program, and how it is spoken
// to. The error joins all mistakes.
func With(agents []agent.Agent, settings []work.AgentSettings) ([]agent.Agent, error) {
	agents = slices.Clone(agents)
	seen := map[work.AgentID]bool{}
	var mistakes []error
	for _, s := range settings {
		at := slices.IndexFunc(agents, func(a agent.Agent) bool { return a.ID == s.ID })
		a, err := with(agents, at, s)
		switch {
		case seen[s.ID]:
			err = work.Errorf(work.Invalid, "agent %s is there twice", s.ID)
		case err == nil && at < 0:
			agents = append(agents, a)
		case err == nil:
			agents[at] = a
		}
		seen[s.ID] = true
		if err != nil {
			mistakes = append(mistakes, err)
		}
	}
	if mistakes != nil {
		return nil, errors.Join(mistakes...)
	}
	return agents, nil
}

func with(agents []agent.Agent, at int, s work.AgentSettings) (agent.Agent, error) {
	var a agent.Agent
	switch {
	case len(s.Cmd) > 0 && s.Path != "":
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s: path belongs to built-in agents", s.ID).Do("Put the path into cmd.")
	case len(s.Cmd) > 0:
		var err error
		if a, err = custom.New(s, Formats()); err != nil {
			return agent.Agent{}, err
		}
	case at < 0:
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s is not built in and has no cmd", s.ID).
			Do("Add cmd, the program and its arguments as a list.")
	case s.Output != "" || s.Prompt != "" || len(s.Resume) > 0:
		return agent.Agent{}, work.Errorf(work.Invalid, "agent %s is built in: output, prompt and resume belong to agents with a cmd", s.ID)
	default:
		a = agents[at]
	}
	a.Program = cmp.Or(s.Path, a.Program)
	if s.Driver == "acp" {
		if err := speaks(a, s); err != nil {
			return agent.Agent{}, err
		}
		a = acp.Over(a) // whose program may be an adapter
	}
	command := a.Command
	a.Command = func(ask agent.Ask) (agent.Command, error) {
		env := maps.Clone(s.Env)
		if env == nil {
			env = map[string]string{}
		}
		maps.Copy(env, ask.Env)
		ask.Env, ask.Model = env, cmp.Or(ask.Model, s.Model)
		c, err := command(ask)
		if err == nil && s.Path != "" {
			c.Argv[0] = a.Program
		}
		return c, err
	}
	return a, nil
}

// speaks says what stands against speaking the Agent Client Protocol with a.
func speaks(a agent.Agent, s work.AgentSettings) error {
	switch {
	case len(s.Cmd) == 0 && a.ACP == nil:
		return work.Errorf(work.Invalid, "agent %s does not speak the Agent Client Protocol", s.ID).
			Do("Take away driver: acp, or add cmd, a program that speaks it for the agent.")
	case s.Output != "" || s.Prompt != "" || len(s.Resume) > 0:
		return work.Errorf(work.Invalid, "agent %s has driver: acp: output, prompt and resume belong to agents that print what they do", s.ID)
	}
	return nil
}

// Find returns the agent called id, or an error that lists those that are there.
func Find(agents []agent.Agent, id work.AgentID) (agent.Agent, error) {
	var ids []string
	for _, a := range agents {
		if a.ID == id {
			return a, nil
		}
		ids = append(ids, string(a.ID))
	}
	err := work.Errorf(work.NotFound, "no agent %q", id).Do("Choose one of the list, or describe it under agents: in .offrun/project.yaml.")
	err.List = ids
	return agent.Agent{}, err
}
