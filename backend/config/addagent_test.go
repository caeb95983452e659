package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/work"
)

func TestAddAgent(t *testing.T) {
	const item = "# what it is\nid: mine\ncmd: [\"/opt/mine\", \"{{prompt}}\"]\nenv:\n  A: \"1\"\n"
	for _, tt := range []struct{ before, after string }{
		{"", "agents:\n  # what it is\n  - id: mine\n    cmd: [\"/opt/mine\", \"{{prompt}}\"]\n    env:\n      A: \"1\"\n"},
		{"parallel: 2", "parallel: 2\nagents:\n  # what it is\n  - id: mine\n    cmd: [\"/opt/mine\", \"{{prompt}}\"]\n    env:\n      A: \"1\"\n"},
		{"# mine\nagents:\n- id: claude # the best\n  model: opus\n\n# how many\nparallel: 2\n",
			"# mine\nagents:\n- id: claude # the best\n  model: opus\n# what it is\n- id: mine\n  cmd: [\"/opt/mine\", \"{{prompt}}\"]\n  env:\n    A: \"1\"\n\n# how many\nparallel: 2\n"},
		{"agents:\n    - id: claude\n      model: opus", "agents:\n    - id: claude\n      model: opus\n    # what it is\n    - id: mine\n      cmd: [\"/opt/mine\", \"{{prompt}}\"]\n      env:\n        A: \"1\"\n"},
		{"agents: # all\n  # the first\n  - id: claude\n    model: opus\n\n# the end\n",
			"agents: # all\n  # the first\n  - id: claude\n    model: opus\n  # what it is\n  - id: mine\n    cmd: [\"/opt/mine\", \"{{prompt}}\"]\n    env:\n      A: \"1\"\n\n# the end\n"},
		{"agents:\n", "agents:\n  # what it is\n  - id: mine\n    cmd: [\"/opt/mine\", \"{{prompt}}\"]\n    env:\n      A: \"1\"\n"},
	} {
		dir := withFile(t, "config.yaml", tt.before)
		a, err := AddAgent(dir, "mine.yaml", []byte(item))
		got, _ := os.ReadFile(filepath.Join(dir, "config.yaml"))
		if err != nil || string(got) != tt.after || a.ID != "mine" {
			t.Errorf("%q: %v, %+v\ngot  %q\nwant %q", tt.before, err, a, got, tt.after)
		}
	}
}

// Nothing is written unless all is right.
func TestAddAgentRefuses(t *testing.T) {
	for _, tt := range []struct {
		before, item string
		code         work.Code
		want         string
	}{
		{"", "", work.Invalid, "mine.yaml: nothing is in it"},
		{"", "id: mine\ncmd: mine\n", work.Invalid, "mine.yaml:2:6: "},
		{"", "id: mine\nkmd: [x]\n", work.Invalid, `mine.yaml:2:1: unknown key "kmd"`},
		{"", "cmd: [x]\n", work.Invalid, "mine.yaml:1:1: an agent without id"},
		{"", "id: [mine\n", work.Invalid, "allowed: YAML"},
		{"agents:\n- id: mine\n  model: x\n", "id: mine\ncmd: [x]\n", work.Conflict, "describes an agent mine already"},
		{"agents: [{id: claude}]\n", "id: mine\ncmd: [x]\n", work.Conflict, "nothing can be added to by program"},
		{"agents: x\n", "id: mine\ncmd: [x]\n", work.Invalid, "config.yaml:1:9: "},
	} {
		dir := withFile(t, "config.yaml", tt.before)
		_, err := AddAgent(dir, "mine.yaml", []byte(tt.item))
		if work.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q to %q: %v, want %s %q", tt.item, tt.before, err, tt.code, tt.want)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "config.yaml")); string(got) != tt.before {
			t.Errorf("%q: the file is %q", tt.before, got)
		}
	}
}

func FuzzWithAgent(f *testing.F) {
	f.Add("agents:\n- id: a\n", "id: b\n")
	f.Fuzz(func(t *testing.T, text, item string) {
		if got := withAgent(text, item); len(got) < len(strings.TrimSpace(text)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
