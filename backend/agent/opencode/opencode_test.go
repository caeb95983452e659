package opencode

import (
	"slices"
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
		{agent.Ask{}, `opencode run --format json --print-logs --log-level ERROR --auto`},
		{agent.Ask{Permissions: agent.Everything, Model: "p/m"}, `opencode run --format json --print-logs --log-level ERROR --auto -m p/m`},
		{agent.Ask{Permissions: agent.OwnRules}, `opencode run --format json --print-logs --log-level ERROR`},
		{agent.Ask{ReadOnly: true, Permissions: agent.Everything}, `opencode run --format json --print-logs --log-level ERROR --agent plan`},
		{agent.Ask{Resume: true, Session: "ses_1"}, `opencode run --format json --print-logs --log-level ERROR --auto --session ses_1`},
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

// What is denied is denied by a variable: the plan agent alone lets commands write.
func TestDenials(t *testing.T) {
	for _, tt := range []struct {
		ask  agent.Ask
		want string
	}{
		{agent.Ask{ReadOnly: true}, "OPENCODE_PERMISSION=" + readOnly},
		{agent.Ask{}, "OPENCODE_PERMISSION=" + inside},
		{agent.Ask{Permissions: agent.Everything}, ""},
		{agent.Ask{Permissions: agent.OwnRules}, ""},
	} {
		c, err := command(tt.ask)
		at := slices.IndexFunc(c.Env, func(kv string) bool { return strings.HasPrefix(kv, "OPENCODE_PERMISSION=") })
		if err != nil || (at >= 0) != (tt.want != "") || at >= 0 && c.Env[at] != tt.want {
			t.Errorf("command(%+v): environment %q, %v", tt.ask, c.Env, err)
		}
	}
}

func TestAccounts(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/home/u/data")
	agenttest.Accounts(t, Agent, "/w", nil)
	if env := environ("/made/up"); !slices.Contains(env, "OPENCODE_DB=/home/u/data/opencode/opencode.db") {
		t.Errorf("logins do not share their conversations: %q", env)
	}
}

func TestReadLogin(t *testing.T) {
	for _, tt := range []struct {
		stdout string
		want   agent.LoginState
	}{
		{"┌  Credentials ~/.local/share/opencode/auth.json\n│\n●  Anthropic oauth\n│\n└  1 credentials\n", agent.LoggedIn},
		{"┌  Credentials ~/.local/share/opencode/auth.json\n│\n└  0 credentials\n", agent.LoginUnknown},
		{"", agent.LoginUnknown},
	} {
		if got, _ := readLogin(tt.stdout, "", 0); got != tt.want {
			t.Errorf("readLogin(%q) = %q, want %q", tt.stdout, got, tt.want)
		}
	}
}
