package project

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// trustOf commits the files and returns what may run.
func trustOf(t *testing.T, r *gittest.Repo, s work.Settings, files map[string]string) (string, []work.Runnable) {
	t.Helper()
	for name, text := range files {
		r.Write(name, text)
	}
	if len(files) > 0 {
		r.Commit("files")
	}
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	hash, list, err := Trust(t.Context(), repo, s, r.Git("rev-parse", "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	return hash, list
}

// Whatever may start a program is listed, and a change of any of it changes the
// hash that the user trusted.
func TestS06TrustNamesWhatRuns(t *testing.T) {
	r := gittest.New(t)
	full := work.Settings{
		Acceptance: []string{"npm test", "npm run lint"}, Setup: "npm ci", Teardown: "make down", Gates: []string{"make gate"},
		Agents: []work.AgentSettings{
			{ID: "mine", Cmd: []string{"my agent", "{{prompt}}"}, Resume: []string{"x"}, Env: map[string]string{"B": "2", "A": "1"}},
			{ID: "claude", Model: "opus", Timeout: 5},
		},
		Permissions: "all",
	}
	before, list := trustOf(t, r, full, nil)
	want := []work.Runnable{
		{What: "acceptance", Text: "npm test"}, {What: "acceptance", Text: "npm run lint"}, {What: "setup", Text: "npm ci"},
		{What: "teardown", Text: "make down"}, {What: "gate", Text: "make gate"},
		{What: "agent mine", Text: `cmd ["my agent" "{{prompt}}"], resume ["x"], env A="1", env B="2"`},
		{What: "permissions", Text: "agents may do everything that you may do"},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, change := range map[string]func(s *work.Settings){
		"acceptance":  func(s *work.Settings) { s.Acceptance = []string{"npm test; npm run lint"} },
		"moved":       func(s *work.Settings) { s.Setup, s.Teardown = s.Teardown, s.Setup },
		"setup":       func(s *work.Settings) { s.Setup = "npm ci " },
		"gates":       func(s *work.Settings) { s.Gates = nil },
		"cmd":         func(s *work.Settings) { s.Agents[0].Cmd = []string{"my", "agent", "{{prompt}}"} },
		"env":         func(s *work.Settings) { s.Agents[0].Env = map[string]string{"A": "1", "B": "3"} },
		"env of ours": func(s *work.Settings) { s.Agents[1].Env = map[string]string{"NODE_OPTIONS": "--require=x"} },
		"permissions": func(s *work.Settings) { s.Permissions = "ask" },
	} {
		s := full
		s.Agents = append([]work.AgentSettings{}, full.Agents...)
		change(&s)
		if after, _ := trustOf(t, r, s, nil); after == before {
			t.Errorf("%s: the change goes unnoticed", name)
		}
	}
	same := full
	same.Trunk, same.Notes, same.Bring = "main", "land", []string{"x"}
	if after, _ := trustOf(t, r, same, nil); after != before {
		t.Error("what starts no program asks for trust again")
	}
}

// A repository does not vote on its own trust: the files in the base that agents
// take configuration from count, wherever they lie in their folders.
func TestS07TrustNamesAgentFiles(t *testing.T) {
	r := gittest.New(t)
	none, list := trustOf(t, r, work.Settings{}, nil)
	if len(list) != 0 {
		t.Errorf("a plain repository runs %+v", list)
	}
	hash := none
	for _, change := range []struct{ name, text, what string }{
		{"CLAUDE.md", "be nice", "file CLAUDE.md"},
		{"CLAUDE.md", "be nasty", "file CLAUDE.md"},
		{".claude/settings.json", "{}", "file .claude"},
		{".claude/hooks/deep/x.sh", "echo", "file .claude"},
		{".claude/hooks/deep/x.sh", "rm", "file .claude"},
		{".mcp.json", "{}", "file .mcp.json"},
		{".codex/config.toml", "", "file .codex"},
		{".github/hooks/a.json", "", "file .github/hooks"},
	} {
		after, list := trustOf(t, r, work.Settings{}, map[string]string{change.name: change.text})
		var what []string
		for _, one := range list {
			what = append(what, one.What)
		}
		if after == hash || !strings.Contains(strings.Join(what, "\n"), change.what) {
			t.Errorf("%s: %q, hash changed: %v", change.name, what, after != hash)
		}
		hash = after
	}
	if after, _ := trustOf(t, r, work.Settings{}, map[string]string{"src/main.go": "package main"}); after != hash {
		t.Error("source code asks for trust again")
	}
	repo := git.Repo{Dir: r.Dir, GitDir: r.Path(".git")}
	if empty, list, err := Trust(t.Context(), repo, work.Settings{}, ""); err != nil || len(list) != 0 || empty != none {
		t.Errorf("no commit: %+v, %v", list, err)
	}
}
