package amp

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
		agenttest.Session{File: "documented-error", Code: 1, Class: work.ClassNeedsLogin},
	)
}

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		ask  agent.Ask
		want string // "…" stands for a session id
	}{
		{agent.Ask{}, `amp --execute --stream-json`},
		{agent.Ask{Resume: true, Session: "T-1", Model: "rush"}, `amp threads continue T-1 --execute --stream-json --mode rush`},
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
