package copilot

import (
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
)

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{}, Want: `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all-tools --allow-all-urls --session-id …`},
		{Ask: agent.Ask{Permissions: agent.Everything, Model: "m"}, Want: `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all --model m --session-id …`},
		{Ask: agent.Ask{Permissions: agent.OwnRules}, Want: `copilot --output-format json --no-ask-user --no-auto-update --no-color --session-id …`},
		{Ask: agent.Ask{ReadOnly: true, Permissions: agent.Everything}, Want: `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all-tools --deny-tool=write --deny-tool=shell --session-id …`},
		{Ask: agent.Ask{Resume: true, Session: "s-1"}, Want: `copilot --output-format json --no-ask-user --no-auto-update --no-color --allow-all-tools --allow-all-urls --resume=s-1`},
	})
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
