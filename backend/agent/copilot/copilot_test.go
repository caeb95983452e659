package copilot

import (
	"strings"
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
)

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		ask  agent.Ask
		want string // "…" stands for a session id
	}{
		{agent.Ask{}, `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all-tools --allow-all-urls --session-id …`},
		{agent.Ask{Permissions: agent.Everything, Model: "m"}, `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all --model m --session-id …`},
		{agent.Ask{Permissions: agent.OwnRules}, `copilot --output-format json --no-ask-user --no-auto-update --no-color --session-id …`},
		{agent.Ask{ReadOnly: true, Permissions: agent.Everything}, `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all-tools --deny-tool=write --deny-tool=shell --session-id …`},
		{agent.Ask{Resume: true, Session: "s-1"}, `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all-tools --allow-all-urls --resume=s-1`},
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

func TestAccounts(t *testing.T) {
	folder := "session-state/" + agenttest.ID + "/"
	agenttest.Accounts(t, Agent, "/w", map[string]string{
		folder + "events.jsonl": "", folder + "workspace.yaml": "", folder + "checkpoints/index.md": "", folder + "inuse.77.lock": "",
		"session-state/other-1234/events.jsonl": "",
	}, folder+"events.jsonl", folder+"workspace.yaml", folder+"checkpoints/index.md")
}

// F76: what needs a person is told as a question, what a rule of ours denies is not.
func TestF76Denied(t *testing.T) {
	for message, want := range map[string]int{
		"Permission denied because no interactive user response was available. Retry in an interactive session.": 2,
		"Permission to run this tool was denied due to the following rules: `write`":                             1,
	} {
		got := Decode([]byte(`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":false,"error":{"message":"`+message+`","code":"denied"}}}`), false)
		if len(got) != want || !got[len(got)-1].Failed {
			t.Errorf("%q: %+v", message, got)
		}
	}
}
