package agenttest

import (
	"strings"
	"testing"

	"offrun/backend/agent"
)

// A Command says what an agent starts for an ask.
type Command struct {
	Ask  agent.Ask
	Want string // as a shell would write it; "…" stands for an id that the agent made up
}

// Commands checks what a starts.
func Commands(t *testing.T, a agent.Agent, commands []Command) {
	t.Helper()
	for _, tt := range commands {
		c, err := a.Command(tt.Ask)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Shown("")
		if c.Session != "" && !tt.Ask.Resume {
			got = strings.ReplaceAll(got, c.Session, "…")
		}
		if got = strings.ReplaceAll(got, "'…'", "…"); got != tt.Want {
			t.Errorf("command for %+v is %s\nwant %s", tt.Ask, got, tt.Want)
		}
	}
}
