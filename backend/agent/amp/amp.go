// Package amp describes Amp, the amp command line, from its public documentation:
// the program itself was not run.
package amp

import (
	"offrun/backend/agent"
	"offrun/backend/agent/claude"
	"offrun/backend/work"
)

// Agent is Amp.
var Agent = agent.Agent{
	ID:         "amp",
	Name:       "Amp",
	Program:    "amp",
	Places:     []string{"~/.amp/bin", "~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:    []string{"--version"},
	Login:      &agent.Login{Next: "amp login"},
	Command:    command,
	Decode:     claude.Decode, // its --stream-json is made to be read like that
	Structured: true,
	Resumes:    true,
}

// command maps no permissions: the program runs its tools without asking, and what
// it may not do is told to it by plugins and settings files only. Models are
// chosen by its modes.
func command(ask agent.Ask) (agent.Command, error) {
	if ask.ReadOnly {
		return agent.Command{}, work.Errorf(work.Unavailable, "Amp cannot be held to reading only").Do("Choose another agent for this.")
	}
	c := agent.Command{Argv: []string{"amp"}, Stdin: ask.Prompt, Env: agent.Environ(ask)}
	if ask.Resume {
		c.Session = ask.Session
		c.Argv = append(c.Argv, "threads", "continue", ask.Session)
	}
	c.Argv = append(c.Argv, "--execute", "--stream-json")
	if ask.Model != "" {
		c.Argv = append(c.Argv, "--mode", ask.Model)
	}
	return c, nil
}
