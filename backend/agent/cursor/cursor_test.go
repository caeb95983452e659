package cursor

import (
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

// The sessions are made up from the documentation.
func TestAgent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "documented", Class: work.ClassOK},
		agenttest.Session{File: "documented-rejected", Class: work.ClassNeedsYou},
	)
}

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{Prompt: "x"}, Want: `cursor-agent -p --output-format stream-json --trust --sandbox enabled -- x`},
		{Ask: agent.Ask{Prompt: "x", Permissions: agent.Everything, Model: "m"}, Want: `cursor-agent -p --output-format stream-json --trust --force --sandbox disabled --model m -- x`},
		{Ask: agent.Ask{Prompt: "x", ReadOnly: true}, Want: `cursor-agent -p --output-format stream-json --trust --mode ask -- x`},
		{Ask: agent.Ask{Prompt: "x", Permissions: agent.OwnRules, Resume: true, Session: "s-1"}, Want: `cursor-agent -p --output-format stream-json --trust --resume s-1 -- x`},
	})
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
