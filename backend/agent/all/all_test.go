package all

import (
	"slices"
	"strings"
	"testing"

	"offrun/backend/agent"
	"offrun/backend/work"
)

func TestWith(t *testing.T) {
	agents, err := With(Agents("/opt/offrun"), []work.AgentSettings{
		{ID: "claude", Model: "opus", Env: map[string]string{"A": "settings", "B": "settings"}},
		{ID: "codex", Cmd: []string{"/opt/codex", "{{prompt}}"}, Output: "codex"},
		{ID: "mine", Cmd: []string{"mine", "{{task_file}}"}},
		{ID: "gemini", Path: "/opt/other/gemini"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		id      work.AgentID
		model   string
		program string
		want    []string // of the shown command
		env     string
	}{
		{"claude", "", "claude", []string{"--model opus"}, "B=settings"},
		{"claude", "haiku", "claude", []string{"--model haiku"}, "A=ask"},
		{"codex", "", "/opt/codex", []string{"{{prompt}}"}, "A=ask"},
		{"mine", "", "mine", []string{"/task.md"}, "A=ask"},
		{"gemini", "", "/opt/other/gemini", []string{"/opt/other/gemini -o stream-json"}, "A=ask"},
		{"sim-careful", "", "/opt/offrun", []string{"simulate sim-careful"}, "A=ask"},
	} {
		a, err := Find(agents, tt.id)
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Command(agent.Ask{Prompt: "do it", TaskFile: "/task.md", Model: tt.model, Env: map[string]string{"A": "ask"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(c.Shown("do it"), want) {
				t.Errorf("%s: %s lacks %q", tt.id, c.Shown("do it"), want)
			}
		}
		if a.Program != tt.program || !slices.Contains(c.Env, tt.env) {
			t.Errorf("%s: program %q, environment %q", tt.id, a.Program, c.Env)
		}
	}
}

func TestWithLeavesOthersAlone(t *testing.T) {
	built := Agents("/opt/offrun")
	if _, err := With(built, []work.AgentSettings{{ID: "claude", Model: "opus"}}); err != nil {
		t.Fatal(err)
	}
	c, err := built[0].Command(agent.Ask{})
	if err != nil || strings.Contains(c.Shown(""), "opus") {
		t.Errorf("one project's settings reached the built-in agent: %s, %v", c.Shown(""), err)
	}
}

func TestWithRefuses(t *testing.T) {
	_, err := With(Agents("/opt/offrun"), []work.AgentSettings{
		{ID: "nobody"},
		{ID: "claude", Output: "text"},
		{ID: "x", Cmd: []string{"x"}},
		{ID: "x", Cmd: []string{"x"}},
		{ID: "y", Cmd: []string{"{{nope}}"}},
		{ID: "sim-broken", Driver: "acp"},
		{ID: "z", Cmd: []string{"z"}, Driver: "acp", Output: "claude"},
		{ID: "p", Cmd: []string{"p"}, Path: "/opt/p"},
	})
	if work.CodeOf(err) != work.Invalid {
		t.Fatalf("got %v, want invalid", err)
	}
	for _, want := range []string{"nobody is not built in", "claude is built in", "x is there twice", "unknown placeholder {{nope}}",
		"sim-broken does not speak", "z has driver: acp: output", "p: path belongs"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
}

func TestFindNamesTheOthers(t *testing.T) {
	_, err := Find(Agents("/opt/offrun"), "cluade")
	if e := work.Public(err); e.Code != work.NotFound || !slices.Contains(e.List, "claude") || e.Next == "" {
		t.Errorf("got %+v", e)
	}
}

func TestFormats(t *testing.T) {
	for _, name := range []string{"text", "claude", "codex", "gemini", "opencode", "qwen", "copilot"} {
		if f := Formats()[name]; f.Decode == nil || f.Structured == (name == "text") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestWithACP proves that path is that of the agent's program, not of its adapter.
func TestWithACP(t *testing.T) {
	for _, tt := range []struct {
		settings work.AgentSettings
		program  string
		want     string // in the command
	}{
		{work.AgentSettings{ID: "claude"}, "claude-agent-acp", "--program CLAUDE_CODE_EXECUTABLE=claude "},
		{work.AgentSettings{ID: "claude", Path: "/opt/claude"}, "claude-agent-acp", "--program CLAUDE_CODE_EXECUTABLE=/opt/claude "},
		{work.AgentSettings{ID: "gemini", Path: "/opt/gemini"}, "/opt/gemini", "-- /opt/gemini --acp"},
		{work.AgentSettings{ID: "mine", Cmd: []string{"mine", "--model", "{{model}}"}, Model: "m"}, "mine", "-- mine --model m"},
	} {
		tt.settings.Driver = "acp"
		agents, err := With(Agents("/opt/offrun"), []work.AgentSettings{tt.settings})
		if err != nil {
			t.Fatal(err)
		}
		a, err := Find(agents, tt.settings.ID)
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Command(agent.Ask{Prompt: "do it"})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(append(c.Client, c.Argv...), " ")
		if a.Program != tt.program || c.Argv[0] != tt.program || !strings.Contains(got, tt.want) || c.Stdin != "do it" {
			t.Errorf("%+v: program %q, %s", tt.settings, a.Program, got)
		}
	}
}

// TestF77ACP proves that a worktree is trusted for the one start only.
func TestF77ACP(t *testing.T) {
	agents, err := With(Agents("/opt/offrun"), []work.AgentSettings{{ID: "gemini", Driver: "acp"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Find(agents, "gemini")
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Command(agent.Ask{Prompt: "do it", Dir: "/w"})
	if err != nil || !slices.Contains(c.Argv, "--skip-trust") {
		t.Errorf("%q, %v", c.Argv, err)
	}
}
