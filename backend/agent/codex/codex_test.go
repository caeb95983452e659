package codex

import (
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

func TestF85Agent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "ok", Class: work.ClassOK},
		agenttest.Session{File: "readonly", Class: work.ClassOK},
		agenttest.Session{File: "resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "limit", Code: 1, Class: work.ClassLimited, Resets: "2026-11-29T13:24:00Z"},
		agenttest.Session{File: "limit-3days", Code: 1, Class: work.ClassLimited, Resets: "2026-12-02T11:39:00Z"},
		agenttest.Session{File: "midlimit", Code: 1, Class: work.ClassLimited, Resets: "2026-11-29T13:29:00Z"},
		agenttest.Session{File: "insufficient-quota", Code: 1, Class: work.ClassNeedsYou},
		agenttest.Session{File: "rate", Code: 1, Class: work.ClassLimited},
		agenttest.Session{File: "autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "autherr-apikey", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "err500", Code: 1, Class: work.ClassNetwork},
		agenttest.Session{File: "overloaded", Code: 1, Class: work.ClassNetwork},
		agenttest.Session{File: "neterr", Code: -1, Reason: work.GaveUp, Class: work.ClassNetwork},
	)
}

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		ask  agent.Ask
		want string
	}{
		{agent.Ask{}, `codex exec --json --skip-git-repo-check -c 'sandbox_mode="workspace-write"' -c 'approval_policy="never"' -c sandbox_workspace_write.network_access=true -`},
		{agent.Ask{Permissions: agent.Everything, Model: "gpt-5.5"}, `codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m gpt-5.5 -`},
		{agent.Ask{ReadOnly: true, Permissions: agent.Everything}, `codex exec --json --skip-git-repo-check -c 'sandbox_mode="read-only"' -c 'approval_policy="never"' -`},
		{agent.Ask{Resume: true, Session: "s-1", Permissions: agent.Everything}, `codex exec resume --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox s-1 -`},
	} {
		c, err := command(tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Shown(""); got != tt.want {
			t.Errorf("command(%+v) = %s\nwant %s", tt.ask, got, tt.want)
		}
	}
}

func TestAccounts(t *testing.T) {
	file := "sessions/2026/11/29/rollout-2026-11-29T11-24-00-" + agenttest.ID + ".jsonl"
	agenttest.Accounts(t, Agent, "/w", map[string]string{file: "", "sessions/2026/11/28/rollout-2026-11-28T11-24-00-22222222-2222-4333-8444-555555555555.jsonl": ""}, file)
}

func TestReadLogin(t *testing.T) {
	for _, tt := range []struct {
		stderr string
		code   int
		want   agent.LoginState
	}{
		{"", 0, agent.LoggedIn},
		{"Not logged in\n", 1, agent.NotLoggedIn},
		{"error: unexpected argument", 2, agent.LoginUnknown},
	} {
		if got, _ := readLogin("", tt.stderr, tt.code); got != tt.want {
			t.Errorf("readLogin(%q, %d) = %q, want %q", tt.stderr, tt.code, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
