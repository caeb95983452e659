package custom

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

var formats = map[string]Format{"text": {Decode: agent.Text}}

func TestAgent(t *testing.T) {
	for _, s := range []work.AgentSettings{
		{ID: "agent-a", Cmd: []string{"/opt/bin/my-agent", "--task", "{{task_file}}", "{{prompt}}"}},
		{ID: "mine", Cmd: []string{"mine"}, Prompt: "stdin", Resume: []string{"mine", "--session={{session_id}}"}},
	} {
		a, err := New(s, formats)
		if err != nil {
			t.Fatal(err)
		}
		agenttest.Run(t, a)
	}
}

func TestCommand(t *testing.T) {
	ask := agent.Ask{Prompt: "fix {{model}}; $(rm x)\n\"now\"", TaskFile: "/w/.offrun/task.md", Dir: "/w", Model: "m", Session: "s",
		Env: map[string]string{"B": "2", "A": "1"}}
	for _, tt := range []struct {
		settings work.AgentSettings
		resume   bool
		want     agent.Command
	}{
		{work.AgentSettings{Cmd: []string{"p", "--task", "{{task_file}}"}}, false,
			agent.Command{Argv: []string{"p", "--task", "/w/.offrun/task.md"}, Session: "s"}},
		{work.AgentSettings{Cmd: []string{"p", "{{prompt}}", "-C={{workdir}}", "{{ model }}:{{session_id}}"}}, false,
			agent.Command{Argv: []string{"p", ask.Prompt, "-C=/w", "m:s"}, Session: "s"}},
		{work.AgentSettings{Cmd: []string{"p"}, Prompt: "stdin"}, false,
			agent.Command{Argv: []string{"p"}, Stdin: ask.Prompt, Session: "s"}},
		{work.AgentSettings{Cmd: []string{"p"}, Resume: []string{"p", "more", "{{session_id}}"}, Prompt: "stdin"}, true,
			agent.Command{Argv: []string{"p", "more", "s"}, Stdin: ask.Prompt, Session: "s"}},
	} {
		tt.settings.ID = "x"
		a, err := New(tt.settings, formats)
		if err != nil {
			t.Fatal(err)
		}
		ask.Resume = tt.resume
		got, err := a.Command(ask)
		if err != nil {
			t.Fatal(err)
		}
		tt.want.Env = []string{"A=1", "B=2"}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v: (-want +got)\n%s", tt.settings, diff)
		}
	}
}

func TestNoModel(t *testing.T) {
	a, err := New(work.AgentSettings{ID: "x", Cmd: []string{"p", "--model", "{{model}}", "-m={{model}}", "run", "{{model}}", "--yes"}}, formats)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Command(agent.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Argv, " "); got != "p run --yes" {
		t.Errorf("got %q", got)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		settings work.AgentSettings
		want     string
	}{
		{work.AgentSettings{ID: "x"}, "cmd is empty"},
		{work.AgentSettings{ID: "X", Cmd: []string{"p"}}, "allowed: a-z"},
		{work.AgentSettings{ID: "../x", Cmd: []string{"p"}}, "allowed: a-z"},
		{work.AgentSettings{ID: "x", Cmd: []string{"p", "{{file}}"}}, "unknown placeholder {{file}}; allowed: {{task_file}} {{prompt}} {{workdir}} {{model}} {{session_id}}"},
		{work.AgentSettings{ID: "x", Cmd: []string{"p"}, Resume: []string{"p", "{{}}"}}, "unknown placeholder {{}}"},
		{work.AgentSettings{ID: "x", Cmd: []string{"p"}, Output: "xml"}, `unknown output "xml"; allowed: text`},
		{work.AgentSettings{ID: "x", Cmd: []string{"p"}, Prompt: "file"}, `unknown prompt "file"; allowed: stdin`},
	} {
		_, err := New(tt.settings, formats)
		if work.CodeOf(err) != work.Invalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v): %v; want %q", tt.settings, err, tt.want)
		}
	}
}
