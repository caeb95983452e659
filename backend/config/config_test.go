package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

func TestLoad(t *testing.T) {
	standard := Config{Parallel: max(8, runtime.NumCPU())}
	for _, tt := range []struct {
		text string
		want Config
	}{
		{"", standard},
		{"# only a comment\n", standard},
		{"parallel: 2\n", Config{Parallel: 2}},
		{"parallel: 9\nagents:\n- id: mine\n  cmd: [run, '{{task_file}}']\n  timeout: 30m\n  env: {A: \"1\", C: {value: open sesame, secret: true}, D: {value: x, secret: false}}\n- id: claude\n  model: small\n  timeout: 1.5\n",
			Config{9, []work.AgentSettings{
				{ID: "mine", Cmd: []string{"run", "{{task_file}}"}, Timeout: 1800, Env: map[string]string{"A": "1", "C": "open sesame", "D": "x"}, Secret: []string{"C"}},
				{ID: "claude", Model: "small", Timeout: 1.5},
			}}},
	} {
		got, err := Load(withFile(t, "config.yaml", tt.text))
		if err != nil {
			t.Errorf("Load(%q): %v", tt.text, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Load(%q): %s", tt.text, diff)
		}
	}
	if got, err := Load(t.TempDir()); err != nil || got.Parallel != standard.Parallel {
		t.Errorf("Load without a file = %v, %v", got, err)
	}
}

func TestLoadMistakes(t *testing.T) {
	for _, tt := range []struct{ text, where, what string }{
		{"paralel: 2\n", ":1:1: ", `unknown key "paralel"; allowed: parallel, agents`},
		{"parallel: many\n", ":1:11: ", `"many" is no count; allowed: 1 and more`},
		{"\nparallel: -1\n", ":2:11: ", `"-1" is no count; allowed: 1 and more`},
		{"agents:\n- id: mine\n  comand: [x]\n", ":3:3: ", `unknown key "comand"; allowed: id, cmd, `},
		{"agents:\n- id: Mine!\n", ":2:7: ", `"Mine!" is no agent id; allowed: `},
		{"agents:\n- id: mine\n  timeout: soon\n", ":3:12: ", `"soon" is no time limit; allowed: `},
		{"agents:\n- id: mine\n  timeout: -5\n", ":3:12: ", `"-5" is no time limit; allowed: `},
		{"agents:\n- id: mine\n  env: {A: {secret: true}}\n", ":3:12: ", `a mapping is of the wrong kind; allowed: text, or {value: text, secret: true}`},
		{"agents:\n- id: mine\n  env: {A: {value: x, secret: perhaps}}\n", ":3:31: ", `"perhaps" is not known here; allowed: true, false`},
		{"agents:\n- id: mine\n  cmd: run\n", ":3:8: ", `"run" is of the wrong kind; allowed: `},
		{"agents:\n- id: mine\n  cmd: [run, '{{task}}']\n", ":3:14: ", `unknown placeholder {{task}}; allowed: `},
		{"agents:\n- id: mine\n  output: xml\n", ":3:11: ", `"xml" is not known here; allowed: text, `},
		{"agents:\n- id: a\n- id: a\n", ":3:3: ", `agent "a" stands here a second time`},
		{"a: [\n", ":1:4: ", "sequence end token ']' not found"},
		{"parallel: 1\nparallel: 2\n", ":2:1: ", "parallel"},
	} {
		dir := withFile(t, "config.yaml", tt.text)
		_, err := Load(dir)
		if work.CodeOf(err) != work.Invalid {
			t.Errorf("Load(%q): %v, want invalid", tt.text, err)
			continue
		}
		what, ok := strings.CutPrefix(err.Error(), filepath.Join(dir, "config.yaml")+tt.where)
		if !ok || !strings.Contains(what, tt.what) {
			t.Errorf("Load(%q): %v\nwant …%s%s", tt.text, err, tt.where, tt.what)
		}
	}
}

// All mistakes are told at once, a line each.
func TestLoadAllMistakes(t *testing.T) {
	dir := withFile(t, "config.yaml", "parallel: none\nagents:\n- id: A\n  timeout: soon\n")
	_, err := Load(dir)
	var where []string
	for line := range strings.Lines(work.Public(err).Msg) {
		line = strings.TrimPrefix(line, filepath.Join(dir, "config.yaml")+":")
		where = append(where, line[:strings.Index(line, ": ")])
	}
	if diff := cmp.Diff([]string{"1:11", "3:7", "4:12"}, where); diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func withFile(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestProjects(t *testing.T) {
	dir := t.TempDir()
	if got, err := Projects(dir); err != nil || got != nil {
		t.Errorf("projects without a file = %v, %v", got, err)
	}
	want := []work.Project{
		{ID: "a", Path: "/src/it's: \"a\" #1\n", GitDir: "/src/ü/.git", AddedAt: time.Date(2026, 3, 1, 9, 0, 0, 5000, time.UTC), Trust: "0123"},
		{ID: "b", Path: "/b"},
	}
	for _, all := range [][]work.Project{want[:1], want, nil, want} {
		if err := PutProjects(dir, all); err != nil {
			t.Fatal(err)
		}
		got, err := Projects(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Error(diff)
		}
	}
}
