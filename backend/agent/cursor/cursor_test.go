package cursor

import (
	"strings"
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
	for _, tt := range []struct {
		ask  agent.Ask
		want string // "…" stands for a session id
	}{
		{agent.Ask{Prompt: "x"}, `cursor-agent -p --output-format stream-json --trust --sandbox enabled -- x`},
		{agent.Ask{Prompt: "x", Permissions: agent.Everything, Model: "m"}, `cursor-agent -p --output-format stream-json --trust --force --sandbox disabled --model m -- x`},
		{agent.Ask{Prompt: "x", ReadOnly: true}, `cursor-agent -p --output-format stream-json --trust --mode ask -- x`},
		{agent.Ask{Prompt: "x", Permissions: agent.OwnRules, Resume: true, Session: "s-1"}, `cursor-agent -p --output-format stream-json --trust --resume s-1 -- x`},
	} {
		c, err := command(tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Shown("")
		if c.Session != "" && !tt.ask.Resume {
			got = strings.ReplaceAll(got, c.Session, "…")
		}
		if got = strings.ReplaceAll(got, "'…'", "…"); got != tt.want {
			t.Errorf("command(%+v) = %s\nwant %s", tt.ask, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
