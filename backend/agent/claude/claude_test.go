package claude

import (
	"slices"
	"strings"
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

// TestF85Agent proves F85 and F86 too: limits in several words and places, none
// of them a failure.
func TestF85Agent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "ok", Class: work.ClassOK},
		agenttest.Session{File: "warn", Class: work.ClassOK},
		agenttest.Session{File: "resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "retry-then-ok", Class: work.ClassOK},
		agenttest.Session{File: "stream-json-input", Class: work.ClassOK},
		agenttest.Session{File: "plan", Class: work.ClassNeedsYou},
		agenttest.Session{File: "limit", Code: 1, Class: work.ClassLimited, Resets: "2026-11-29T13:17:38Z"},
		agenttest.Session{File: "limit-7day", Code: 1, Class: work.ClassLimited, Resets: "2026-12-03T00:02:04Z"},
		agenttest.Session{File: "limit-2.1.197", Code: 1, Class: work.ClassLimited, Resets: "2026-11-29T14:26:24Z"},
		agenttest.Session{File: "limit-apikey", Code: 1, Class: work.ClassLimited},
		agenttest.Session{File: "midlimit", Code: 1, Class: work.ClassLimited, Resets: "2026-11-29T13:21:30Z"},
		agenttest.Session{File: "credit-too-low", Code: 1, Class: work.ClassLimited},
		agenttest.Session{File: "autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "autherr-apikey", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "nologin", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "forbidden", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "err500", Code: 1, Class: work.ClassNetwork},
		agenttest.Session{File: "neterr", Code: 1, Class: work.ClassNetwork},
		agenttest.Session{File: "qwen-ok", Class: work.ClassOK},
		agenttest.Session{File: "qwen-plan", Class: work.ClassOK},
		agenttest.Session{File: "qwen-resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "qwen-limit", Code: -1, Reason: work.GaveUp, Class: work.ClassLimited},
		agenttest.Session{File: "qwen-neterr", Code: -1, Reason: work.GaveUp, Class: work.ClassIncomplete},
		agenttest.Session{File: "qwen-autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "qwen-nologin", Code: 1, Class: work.ClassNeedsLogin},
	)
}

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		ask  agent.Ask
		want string // "…" stands for a session id
	}{
		{agent.Ask{}, "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash,WebFetch,WebSearch --session-id …"},
		{agent.Ask{Permissions: agent.Everything, Model: "opus"}, "claude -p --output-format stream-json --verbose --dangerously-skip-permissions --model opus --session-id …"},
		{agent.Ask{Permissions: agent.OwnRules}, "claude -p --output-format stream-json --verbose --permission-mode default --session-id …"},
		{agent.Ask{ReadOnly: true, Permissions: agent.Everything}, "claude -p --output-format stream-json --verbose --tools Read,Grep,Glob --permission-mode dontAsk --allowedTools Read,Grep,Glob --session-id …"},
		{agent.Ask{Resume: true, Session: "s-1"}, "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash,WebFetch,WebSearch --resume s-1"},
	} {
		c, err := command(tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Shown("")
		if !tt.ask.Resume {
			got = strings.Replace(got, c.Session, "…", 1)
		}
		if got = strings.ReplaceAll(got, "'…'", "…"); got != tt.want {
			t.Errorf("command(%+v) = %s\nwant %s", tt.ask, got, tt.want)
		}
	}
}

// The program refuses to skip permissions as root unless told that it is meant.
func TestCommandAsRoot(t *testing.T) {
	for _, permissions := range []string{agent.InsideWorkspace, agent.Everything} {
		c, err := command(agent.Ask{Root: true, Permissions: permissions})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := slices.Contains(c.Env, "IS_SANDBOX=1"), permissions == agent.Everything; got != want {
			t.Errorf("%s: IS_SANDBOX set: %v, want %v", permissions, got, want)
		}
	}
	if slices.Contains(quiet, "IS_SANDBOX=1") {
		t.Error("one command changed the list of all")
	}
}

func TestReadLogin(t *testing.T) {
	for _, tt := range []struct {
		stdout string
		want   agent.LoginState
		detail string
	}{
		{`{"loggedIn":true,"authMethod":"claude.ai","email":"a@example.invalid","subscriptionType":"max"}`, agent.LoggedIn, "a@example.invalid, max"},
		{`{"loggedIn":true,"authMethod":"api_key"}`, agent.LoggedIn, "api_key"},
		{`{"loggedIn":false,"authMethod":"none"}`, agent.NotLoggedIn, ""},
		{"Unknown command: auth", agent.LoginUnknown, ""},
		{"{}", agent.LoginUnknown, ""},
	} {
		if got, detail := readLogin(tt.stdout, "", 0); got != tt.want || detail != tt.detail {
			t.Errorf("readLogin(%q) = %q, %q; want %q, %q", tt.stdout, got, detail, tt.want, tt.detail)
		}
	}
}

func TestAskedQuestion(t *testing.T) {
	got := Decode([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"q","name":"AskUserQuestion","input":{"questions":[{"question":"Which port?"}]}}]}}`), false)
	if len(got) != 1 || got[0].Kind != work.Asked || got[0].Text != "Which port?" || got[0].Failed {
		t.Errorf("got %+v", got)
	}
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }

func BenchmarkDecode(b *testing.B) {
	line := []byte(`{"type":"assistant","message":{"content":[{"text":"line 12345 of a flood that goes on and on","type":"text"}],"id":"msg","role":"assistant"},"session_id":"8d02bb77"}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Decode(line, false)
	}
}
