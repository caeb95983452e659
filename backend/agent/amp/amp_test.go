package amp

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
		agenttest.Session{File: "documented-error", Code: 1, Class: work.ClassNeedsLogin},
	)
}

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{}, Want: `amp --execute --stream-json`},
		{Ask: agent.Ask{Resume: true, Session: "T-1", Model: "rush"}, Want: `amp threads continue T-1 --execute --stream-json --mode rush`},
	})
}
