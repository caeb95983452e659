// Package simulated holds three agents that are none. They know the demo
// repository only, where one mends it as it was asked, one mends it and changes
// much else, and one fails, so that whoever has no agent installed can try the
// whole path. They are called simulated wherever they appear.
package simulated

import (
	"github.com/google/uuid"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// The simulated agents.
const (
	Careful work.AgentID = "sim-careful" // solves the task within its scope
	Sprawl  work.AgentID = "sim-sprawl"  // passes the tests, reformats half of the repository
	Broken  work.AgentID = "sim-broken"  // fails the tests
)

// IDs are the simulated agents in the order in which they are shown.
var IDs = []work.AgentID{Careful, Sprawl, Broken}

// Agents returns the simulated agents. Self is the path of this program, which
// runs them as "simulate ID"; decode reads Claude Code's format, which they print.
func Agents(self string, decode agent.Decoder) []agent.Agent {
	var agents []agent.Agent
	for _, id := range IDs {
		agents = append(agents, agent.Agent{
			ID:         id,
			Name:       players[id].name + " (simulated)",
			Simulated:  true,
			Verified:   true,
			Program:    self,
			Command:    func(ask agent.Ask) (agent.Command, error) { return command(self, id, ask), nil },
			Decode:     decode,
			Structured: true,
			Resumes:    true,
			Enforces:   func(string) string { return "" },
		})
	}
	return agents
}

func command(self string, id work.AgentID, ask agent.Ask) agent.Command {
	c := agent.Command{Argv: []string{self, "simulate", string(id)}, Stdin: ask.Prompt, Env: agent.Environ(ask), Session: ask.Session}
	if c.Session == "" {
		c.Session = uuid.NewString()
	}
	c.Argv = append(c.Argv, "--session", c.Session)
	if ask.Resume {
		c.Argv = append(c.Argv, "--resume")
	}
	if ask.ReadOnly {
		c.Argv = append(c.Argv, "--read-only")
	}
	return c
}
