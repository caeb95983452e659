package claude

import (
	"fmt"
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
		agenttest.Session{File: "credit-too-low", Code: 1, Class: work.ClassNeedsYou},
		agenttest.Session{File: "autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "autherr-apikey", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "nologin", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "forbidden", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "err500", Code: 1, Class: work.ClassNetwork},
		agenttest.Session{File: "neterr", Code: 1, Class: work.ClassNetwork},
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

func TestAccounts(t *testing.T) {
	const cwd, slug = "/home/u/my.repo", "projects/-home-u-my-repo/"
	agenttest.Accounts(t, Agent, cwd, map[string]string{slug + agenttest.ID + ".jsonl": "", slug + "other-1234.jsonl": ""}, slug+agenttest.ID+".jsonl")
	agenttest.Accounts(t, Agent, cwd, map[string]string{"projects/-private-x/" + agenttest.ID + ".jsonl": ""}, "projects/-private-x/"+agenttest.ID+".jsonl")
}

func TestWindows(t *testing.T) {
	const line = `{"type":"rate_limit_event","rate_limit_info":{"status":"%s","resetsAt":1795958258,"rateLimitType":"five_hour","unifiedWindows":` +
		`{"five_hour":{"utilization":0.5,"resetsAt":1795958258},"seven_day":{"utilization":0.4,"resetsAt":1796217458}}}}`
	for status, kind := range map[string]work.EntryKind{"rejected": work.Hit, "allowed_warning": work.Hit, "allowed": work.Spent} {
		got := Decode(fmt.Appendf(nil, line, status), false)
		if len(got) != 1 || got[0].Kind != kind || len(got[0].Windows) != 2 {
			t.Fatalf("%s: %+v", status, got)
		}
		if w := got[0].Windows[1]; w.Name != "seven_day" || w.Used != 0.4 || w.ResetsAt.Unix() != 1796217458 {
			t.Errorf("%s: window %+v", status, w)
		}
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

// F72: what pays is part of the conversation.
func TestF72AuthSource(t *testing.T) {
	for source, want := range map[string]string{"ANTHROPIC_API_KEY": "uses ANTHROPIC_API_KEY", "none": ""} {
		got := Decode([]byte(`{"type":"system","subtype":"init","session_id":"s","apiKeySource":"`+source+`"}`), false)
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("%s: %+v, want %q", source, got, want)
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
