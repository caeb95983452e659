package grok

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
		agenttest.Session{File: "documented-cancelled", Class: work.ClassNeedsYou},
	)
}

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		ask  agent.Ask
		want string // "…" stands for a session id
	}{
		{agent.Ask{Prompt: "x"}, `grok --single=x --output-format streaming-json --no-auto-update --always-approve --session-id …`},
		{agent.Ask{ReadOnly: true, Permissions: agent.Everything}, `grok --single= --output-format streaming-json --no-auto-update --permission-mode plan --session-id …`},
		{agent.Ask{Permissions: agent.OwnRules, Resume: true, Session: "s-1", Model: "m"}, `grok --single= --output-format streaming-json --no-auto-update --model m --resume s-1`},
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
