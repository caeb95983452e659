package opencode

import (
	"slices"
	"strings"
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
)

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{}, Want: `opencode run --format json --print-logs --log-level ERROR --auto`},
		{Ask: agent.Ask{Permissions: agent.Everything, Model: "p/m"}, Want: `opencode run --format json --print-logs --log-level ERROR --auto -m p/m`},
		{Ask: agent.Ask{Permissions: agent.OwnRules}, Want: `opencode run --format json --print-logs --log-level ERROR`},
		{Ask: agent.Ask{ReadOnly: true, Permissions: agent.Everything}, Want: `opencode run --format json --print-logs --log-level ERROR --agent plan`},
		{Ask: agent.Ask{Resume: true, Session: "ses_1"}, Want: `opencode run --format json --print-logs --log-level ERROR --auto --session ses_1`},
	})
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
