//go:build realagents

package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/agent/agenttest/modelstub"
	"offrun/backend/agent/agenttest/real"
	"offrun/backend/bench"
	"offrun/backend/git/gittest"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// script is what the model server answers, by a mark in the card.
var script = modelstub.Script{Side: "Stub title", Scenarios: []modelstub.Scenario{
	{Name: "again", When: modelstub.When{Prompt: "[[again]]"}, Turns: []modelstub.Turn{
		{Say: "Once more.", Bash: "echo more >> fake.txt"}, {Say: "I remember."},
	}},
	{Name: "fix", When: modelstub.When{Prompt: "[[fix]]"}, Turns: []modelstub.Turn{
		{Say: "I will write it.", Write: &modelstub.Write{Path: "fake.txt", Content: "hello\n"}},
		{Say: "Now I check.", Bash: "sh test.sh && printf '# Notes\\n\\n## Uncertain\\n- whether hello is enough\\n' > NOTES.md"},
		{Say: "All done."},
	}},
	{Name: "limit", When: modelstub.When{Prompt: "[[limit]]"}, Turns: []modelstub.Turn{
		{Say: "Step one.", Bash: "echo one > fake.txt"},
		{Fault: "usage_limit", ResetIn: 7200},
	}},
	{Name: "wall", When: modelstub.When{Prompt: "[[move]]", Key: "acct-a"}, Turns: []modelstub.Turn{
		{Say: "Step one.", Bash: "echo one > fake.txt"},
		{Fault: "usage_limit", ResetIn: 7200},
	}},
	{Name: "beyond", When: modelstub.When{Prompt: "[[move]]", Key: "acct-b"}, Turns: []modelstub.Turn{
		{Say: "I did step one before."}, {Say: "Step two.", Bash: "echo two >> fake.txt"}, {Say: "All done."},
	}},
	{Name: "everywhere", When: modelstub.When{Prompt: "[[nowhere]]", API: "anthropic"}, Turns: []modelstub.Turn{
		{Say: "Step one.", Bash: "echo one > fake.txt"},
		{Fault: "usage_limit", ResetIn: 7200},
	}},
	{Name: "elsewhere", When: modelstub.When{Prompt: "[[nowhere]]", API: "responses"}, Turns: []modelstub.Turn{
		{Say: "I take over.", Bash: "echo two >> fake.txt"}, {Say: "All done."},
	}},
	{Name: "busy", When: modelstub.When{Prompt: "[[busy]]"}, Turns: []modelstub.Turn{{Fault: "overloaded"}}},
	{Name: "auth", When: modelstub.When{Prompt: "[[auth]]"}, Turns: []modelstub.Turn{{Fault: "auth"}}},
}}

// realShop is a bench on a project whose built-in agents reach the model server
// at url and nothing else, with logins made up for them.
func realShop(t *testing.T, card, url string, login func(real.Agent) real.Login) *shop {
	t.Helper()
	programs := real.Programs(t) // before newShop moves HOME
	s := newShop(t, nil)
	s.repo.Write("tasks/fix.md", "# Task: "+card+"\n\n## Goal\nIt works.\n\n## Acceptance criteria\n- `sh test.sh`\n\n## Allowed scope\n- fake.txt\n")
	yaml := "agents:\n"
	for _, a := range real.Agents() {
		yaml += fmt.Sprintf("  - id: %s\n    env:\n", a.ID)
		env := append(login(a)(t, url), "HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1")
		for _, kv := range env {
			k, v, _ := strings.Cut(kv, "=")
			yaml += fmt.Sprintf("      %s: %q\n", k, v)
		}
	}
	s.repo.Write(".offrun/project.yaml", strings.Replace(s.repo.Read(".offrun/project.yaml"), "agents:\n", yaml, 1))
	s.close()
	node, err := proc.Find("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+":"+filepath.Dir(node)+":/usr/bin:/bin")
	s.open()
	if _, err := s.TrustProject(t.Context(), s.project); err != nil {
		t.Fatal(err)
	}
	return s
}

func key(a real.Agent) real.Login  { return a.Key }
func plan(a real.Agent) real.Login { return a.Plan }

// Claude Code and Codex do a whole run side by side: edit, test, notes, result,
// landing; then a follow-up in their own sessions.
func TestRealRun(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[fix]]", stub.URL, key)
	check := gittest.Invariants(t, s.repo.Dir)
	run := s.end(s.start("claude", "codex").ID)
	for _, a := range run.Attempts {
		turn := a.Turn()
		if a.State() != work.Done || turn.Tests.Status != work.Pass || turn.Result.Files != 1 || !turn.Result.HasNotes || turn.Session == "" || turn.Usage.Output == 0 {
			t.Errorf("%s: %s, why %q, turn %+v", a.Name, a.State(), a.Why(), turn)
		}
	}
	check()
	for _, name := range []work.AttemptName{"claude", "codex"} {
		if _, err := s.Send(t.Context(), run.ID, name, "[[again]]"); err != nil {
			t.Fatal(err)
		}
	}
	run = s.until(run.ID, "over", func(r work.Run) bool {
		return s.Working() == 0 && r.Attempts[0].Turn().N == 2 && r.Attempts[1].Turn().N == 2
	})
	for _, a := range run.Attempts {
		turn := a.Turn()
		b, err := os.ReadFile(filepath.Join(a.Dir, "fake.txt"))
		if a.State() != work.Done || !turn.Resumed || turn.Session != a.Turns[0].Session || err != nil || string(b) != "hello\nmore\n" {
			t.Errorf("%s after a follow-up: %s, why %q, fake.txt %q, turn %+v", a.Name, a.State(), a.Why(), b, turn)
		}
	}
	l, err := s.Land(t.Context(), run.ID, "claude", bench.LandOptions{})
	if err != nil || l.Files != 1 {
		t.Errorf("land = %+v, %v", l, err)
	}
	s.nothingLeft()
}

func TestRealUsageLimit(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[limit]]", stub.URL, plan)
	run := s.end(s.start("claude", "codex").ID)
	for _, a := range run.Attempts {
		turn := a.Turn()
		if a.State() != work.Limited || turn.Result.Files != 1 || turn.ResetsAt == nil {
			t.Errorf("%s: %s, why %q, turn %+v", a.Name, a.State(), a.Why(), turn)
		}
	}
	s.nothingLeft()
}

// The vendor answers with 5xx for as long as the programs try: no fault of the task's.
func TestRealVendorOverloaded(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[busy]]", stub.URL, key)
	run := s.end(s.start("claude", "codex").ID)
	for _, a := range run.Attempts {
		if a.State() != work.Failed || a.Turn().Class != work.ClassNetwork {
			t.Errorf("%s: %s (%s), why %q", a.Name, a.State(), a.Turn().Class, a.Why())
		}
	}
	s.nothingLeft()
}

func TestRealLoginRefused(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[auth]]", stub.URL, key)
	run := s.end(s.start("claude", "codex").ID)
	for _, a := range run.Attempts {
		if a.State() != work.NeedsYou || a.Turn().Class != work.ClassNeedsLogin {
			t.Errorf("%s: %s (%s), why %q", a.Name, a.State(), a.Turn().Class, a.Why())
		}
	}
	s.nothingLeft()
}

// Nothing listens. Claude Code gives up by itself; Codex never does, so the time
// limit ends it, or our patience with its retries, whichever is first.
func TestRealNetworkGone(t *testing.T) {
	s := realShop(t, "[[fix]]", "http://127.0.0.1:9", key)
	run, err := s.Start(t.Context(), s.project, bench.StartOptions{Card: "fix", Agents: []string{"claude", "codex"}, Timeout: 40e9})
	if err != nil {
		t.Fatal(err)
	}
	run = s.end(run.ID)
	if a := run.Attempt("claude"); a.State() != work.Failed || a.Turn().Class != work.ClassNetwork {
		t.Errorf("claude: %s (%s), why %q", a.State(), a.Turn().Class, a.Why())
	}
	if a := run.Attempt("codex"); a.State() != work.TimedOutNow && a.Turn().Class != work.ClassNetwork {
		t.Errorf("codex: %s (%s), why %q", a.State(), a.Turn().Class, a.Why())
	}
	s.nothingLeft()
}

// A3, A4, F79: a usage limit in the middle of a turn moves the conversation to a
// second login. The model server sees the earlier messages arrive with it, and the
// message that was cut off exactly once.
func TestRealMovesToSecondLogin(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[move]]", stub.URL, plan)
	for _, a := range real.Agents() {
		if a.Second == nil {
			continue
		}
		_, dir, _ := strings.Cut(a.Second(t, stub.URL)[0], "=")
		if _, err := s.AddAccount(t.Context(), a.ID, "second", dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	run := s.end(s.start("claude", "codex").ID)
	for _, a := range run.Attempts {
		turn := a.Turn()
		b, err := os.ReadFile(filepath.Join(a.Dir, "fake.txt"))
		if a.State() != work.Done || len(a.Turns) != 2 || !turn.Resumed || turn.Account != "second" || turn.Moved == nil ||
			turn.Session != a.Turns[0].Session || err != nil || string(b) != "one\ntwo\n" {
			t.Errorf("%s: %s, why %q, fake.txt %q, turns %+v", a.Name, a.State(), a.Why(), b, a.Turns)
		}
	}
	for _, api := range []string{"anthropic", "responses"} {
		arrived := false
		for _, r := range stub.Log() {
			if r.API != api || !strings.Contains(r.Key, "acct-b") || r.Scenario != "beyond" {
				continue
			}
			arrived = true
			all := fmt.Sprint(r.Messages)
			if n := strings.Count(all, "# Task: [[move]]"); n != 1 || !strings.Contains(all, "Step one.") {
				t.Errorf("%s: the message arrived %d times, or without what was said before: %s", api, n, all)
			}
		}
		if !arrived {
			t.Errorf("%s: nothing arrived with the second login", api)
		}
	}
	s.nothingLeft()
}

// A4: every login of Claude Code rests; Codex goes on in the same worktree, with the
// conversation as context.
func TestRealOtherAgentTakesOver(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[nowhere]]", stub.URL, plan)
	s.repo.Write(".offrun/project.yaml", "switch: other-agent\nselect: [codex]\n"+s.repo.Read(".offrun/project.yaml"))
	if _, err := s.TrustProject(t.Context(), s.project); err != nil {
		t.Fatal(err)
	}
	run := s.end(s.start("claude").ID)
	a := run.Attempt("claude")
	b, err := os.ReadFile(filepath.Join(a.Dir, "fake.txt"))
	if a.State() != work.Done || len(a.Turns) != 2 || a.Turn().By != "codex" || err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("%s, why %q, fake.txt %q, turns %+v", a.State(), a.Why(), b, a.Turns)
	}
	for _, r := range stub.Log() {
		if r.Scenario == "elsewhere" && !strings.Contains(fmt.Sprint(r.Messages), "Step one.") {
			t.Errorf("Codex was not told what was said before: %v", r.Messages)
		}
	}
	s.nothingLeft()
}
