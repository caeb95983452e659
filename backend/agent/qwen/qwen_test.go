package qwen

import (
	"testing"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

func TestF85Agent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "ok", Class: work.ClassOK},
		agenttest.Session{File: "plan", Class: work.ClassOK},
		agenttest.Session{File: "resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "limit", Code: -1, Reason: work.GaveUp, Class: work.ClassLimited},
		agenttest.Session{File: "neterr", Code: -1, Reason: work.GaveUp, Class: work.ClassIncomplete},
		agenttest.Session{File: "autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "nologin", Code: 1, Class: work.ClassNeedsLogin},
	)
}

func TestCommand(t *testing.T) {
	agenttest.Commands(t, Agent, []agenttest.Command{
		{Ask: agent.Ask{}, Want: `qwen -o stream-json --approval-mode yolo --session-id …`},
		{Ask: agent.Ask{Permissions: agent.Everything, Model: "m"}, Want: `qwen -o stream-json --approval-mode yolo -m m --session-id …`},
		{Ask: agent.Ask{Permissions: agent.OwnRules}, Want: `qwen -o stream-json --approval-mode default --session-id …`},
		{Ask: agent.Ask{ReadOnly: true, Permissions: agent.Everything}, Want: `qwen -o stream-json --approval-mode plan --session-id …`},
		{Ask: agent.Ask{Resume: true, Session: "s-1"}, Want: `qwen -o stream-json --approval-mode yolo --resume s-1`},
	})
}

// F85: the cause of a retry is told on standard error.
func TestF85Cause(t *testing.T) {
	for text, want := range map[string]work.Class{
		"Retrying in 60s (attempt 1/10): [API Error: 429 The usage limit has been reached]": work.ClassLimited,
		"Retrying in 4s (attempt 1/10): [API Error: 500 boom]":                              work.ClassNetwork,
		"Ripgrep not available: spawn rg EACCES. Falling back to built-in grep.":            "",
	} {
		got := Decode([]byte(text), true)
		if len(got) != min(1, len(want)) || len(got) == 1 && got[0].Class != want {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}

func TestAccounts(t *testing.T) {
	file, moved := "projects/-w-repo/chats/"+agenttest.ID+".jsonl", "projects/-x/chats/"+agenttest.ID+".jsonl"
	agenttest.Accounts(t, Agent, "/w/repo", map[string]string{file: "", moved: ""}, file)
	agenttest.Accounts(t, Agent, "/w/repo", map[string]string{moved: ""}, moved)
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
