package gemini

import (
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
)

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{}, Want: `gemini -o stream-json --skip-trust --approval-mode yolo --session-id …`},
		{Ask: agent.Ask{Permissions: agent.Everything, Model: "m"}, Want: `gemini -o stream-json --skip-trust --approval-mode yolo -m m --session-id …`},
		{Ask: agent.Ask{Permissions: agent.OwnRules}, Want: `gemini -o stream-json --skip-trust --approval-mode default --session-id …`},
		{Ask: agent.Ask{ReadOnly: true, Permissions: agent.Everything}, Want: `gemini -o stream-json --skip-trust --approval-mode plan --session-id …`},
		{Ask: agent.Ask{Resume: true, Session: "s-1"}, Want: `gemini -o stream-json --skip-trust --approval-mode yolo --resume s-1`},
	})
}

func TestAccounts(t *testing.T) {
	const project = `{"projects":{"/w/repo":"repo-1"}}`
	chat := ".gemini/tmp/repo-1/chats/session-2026-11-29T11-24-" + agenttest.ID[:8] + ".jsonl"
	other := ".gemini/tmp/repo/chats/session-2026-11-28T11-24-" + agenttest.ID[:8] + ".jsonl"
	owner := ".gemini/tmp/repo-1/.project_root"
	// The mapping decides between two folders, and its own note of the owner comes along.
	agenttest.Accounts(t, Agent, "/w/repo", map[string]string{".gemini/projects.json": project, chat: "", other: "", owner: "/w/repo"}, chat, owner)
	// Without one, or with one that leads elsewhere, all folders are looked through.
	agenttest.Accounts(t, Agent, "/w/repo", map[string]string{chat: ""}, chat)
	agenttest.Accounts(t, Agent, "/w/repo", map[string]string{".gemini/projects.json": `{"projects":{"/w/repo":"../../x"}}`, chat: ""}, chat)
	agenttest.Accounts(t, Agent, "/w/repo", map[string]string{".gemini/projects.json": "no json", chat: ""}, chat)
}
