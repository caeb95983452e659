package grok

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
		agenttest.Session{File: "documented-cancelled", Class: work.ClassNeedsYou},
	)
}

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{Prompt: "x"}, Want: `grok --single=x --output-format streaming-json --no-auto-update --always-approve --session-id …`},
		{Ask: agent.Ask{ReadOnly: true, Permissions: agent.Everything}, Want: `grok --single= --output-format streaming-json --no-auto-update --permission-mode plan --session-id …`},
		{Ask: agent.Ask{Permissions: agent.OwnRules, Resume: true, Session: "s-1", Model: "m"}, Want: `grok --single= --output-format streaming-json --no-auto-update --model m --resume s-1`},
	})
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
