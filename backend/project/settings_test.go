package project

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/card"
	"offrun/backend/work"
)

// folder makes a folder with the files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// The form that the documentation shows works to the letter.
func TestLoadAgent(t *testing.T) {
	dir := folder(t, map[string]string{SettingsFile: `# .offrun/project.yaml
trunk: main
acceptance: ["sh test.sh"]
agents:
  - id: agent-a
    cmd: ["/opt/bin/my-agent", "--task", "{{task_file}}"]
    timeout: 1800        # seconds; also 30m
    env: {MY_FLAG: "1"}
    output: text         # text | claude | codex | gemini | opencode | qwen | copilot
`})
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.Trunk = "main"
	want.Acceptance = []string{"sh test.sh"}
	want.Agents = []work.AgentSettings{{
		ID: "agent-a", Cmd: []string{"/opt/bin/my-agent", "--task", "{{task_file}}"},
		Timeout: 1800, Env: map[string]string{"MY_FLAG": "1"}, Output: "text",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadEverything(t *testing.T) {
	got, err := parse([]byte(`
trunk: release/2.0
acceptance: npm test
setup: |
  npm ci
  npm run build
teardown: docker compose down
bring: [.env, "certs/*.pem", ./local/]
dependencies: {node_modules: link, web/node_modules/: none}
protected:
  - go.sum
  - .github/
workspace: host
select: [claude, "codex:gpt-5"]
limits: {total: 90, start: 0, silence: 1.5m, setup: "600", acceptance: 2h, answer: 1m}
permissions: all
switch: wait
notes: land
gates: ["go test ./...", "go vet ./..."]
agents:
  - id: claude
    model: opus
    timeout: 1h
    env: {A: 1, B: true, C: "", D: 0x10}
  - {id: mine, cmd: [x, "{{ prompt }}", "--session={{session_id}}"], resume: [x, 7], prompt: stdin, output: codex}
  - {id: other, driver: acp}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := work.Settings{
		Trunk: "release/2.0", Acceptance: []string{"npm test"}, Setup: "npm ci\nnpm run build", Teardown: "docker compose down",
		Bring:        []string{".env", "certs/*.pem", "local/"},
		Dependencies: map[string]string{"node_modules": "link", "web/node_modules": "none"},
		Protected:    []string{"go.sum", ".github/"}, Workspace: "host", Select: []work.AgentID{"claude", "codex:gpt-5"},
		Limits:      work.Limits{Total: 90, Start: 0, Silence: 90, Setup: 600, Acceptance: 7200, Answer: 60},
		Permissions: "all", Switch: "wait", Notes: "land", Gates: []string{"go test ./...", "go vet ./..."},
		Agents: []work.AgentSettings{
			{ID: "claude", Model: "opus", Timeout: 3600, Env: map[string]string{"A": "1", "B": "true", "C": "", "D": "0x10"}},
			{ID: "mine", Cmd: []string{"x", "{{ prompt }}", "--session={{session_id}}"}, Resume: []string{"x", "7"}, Prompt: "stdin", Output: "codex"},
			{ID: "other", Driver: "acp"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nothing set, in all its forms, means the defaults.
func TestLoadNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "trunk:\nlimits:\n", "\ufeff# BOM\r\n", "{}", "~"} {
		got, err := parse([]byte(text))
		if diff := cmp.Diff(Defaults(), got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	if got, err := Load(t.TempDir()); err != nil || !cmp.Equal(got, Defaults()) {
		t.Errorf("no file: %+v, %v", got, err)
	}
}

// Every mistake says where it is, what is wrong, and what is allowed.
func TestLoadMistakes(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string // after ".offrun/project.yaml:"
	}{
		{"trunck: main\n", []string{`1:1: unknown key "trunck"; allowed: trunk, acceptance, setup, teardown, bring, dependencies, protected, workspace, select, limits, permissions, switch, notes, gates, agents`}},
		{"trunk: main\nlimits:\n  totl: 3\n", []string{`3:3: unknown key "totl"; allowed: total, start, silence, setup, acceptance, answer`}},
		{"limits: {total: soon}\n", []string{`1:17: "soon" is no time limit; allowed: seconds from 1 to 604800, or such as 90s, 30m, 2h`}},
		{"limits: {start: -1}\n", []string{`1:17: "-1" is no time limit; allowed: seconds from 0 to 604800, or such as 90s, 30m, 2h`}},
		{"limits: {total: .inf}\n", []string{`1:17: ".inf" is no time limit; allowed: seconds from 1 to 604800, or such as 90s, 30m, 2h`}},
		{"limits: {total: 0}\n", []string{`1:17: "0" is no time limit; allowed: seconds from 1 to 604800, or such as 90s, 30m, 2h`}},
		{"permissions: root\n", []string{`1:14: "root" is not known here; allowed: inside-workspace, all, ask`}},
		{"notes: [keep]\n", []string{`1:8: a list is not known here; allowed: keep, land`}},
		{"workspace: container\n", []string{`1:12: "container" is not known here; allowed: host`}},
		{"setup: [a, b]\n", []string{`1:8: a list is of the wrong kind; allowed: a command`}},
		{"acceptance: [a, {b: c}, ' ']\n", []string{`1:17: a mapping is of the wrong kind; allowed: a list of commands`, `1:25: " " is of the wrong kind; allowed: a list of commands`}},
		{"bring: [../secret, /etc/passwd, 'a[', .git/config]\n", []string{
			`1:9: "../secret" leads out of the project; allowed: relative paths`,
			`1:20: "/etc/passwd" leads out of the project; allowed: relative paths`,
			`1:33: "a[" is no glob; allowed: such as .env, certs/*.pem or src/**/*.go`,
			`1:39: ".git/config" leads out of the project; allowed: relative paths`,
		}},
		{"dependencies: {node_modules: copy, ../x: clone}\n", []string{
			`1:30: "copy" is not known here; allowed: clone, link, install, none`,
			`1:36: "../x" is no folder of the project; allowed: a relative path`,
		}},
		{"dependencies: [node_modules]\n", []string{`1:15: a list is of the wrong kind; allowed: keys with values`}},
		{"trunk: a b\n", []string{`1:8: "a b" is no branch; allowed: the name of a local branch, such as main`}},
		{"select: [Claude, 'x:']\n", []string{
			`1:10: "Claude" is no agent id; allowed: a-z, 0-9 and -, at most 32, with :model behind it`,
			`1:18: "x:" is no agent id; allowed: a-z, 0-9 and -, at most 32, with :model behind it`,
		}},
		{"select: [claude, nobody, mine, 'nope:opus']\nagents:\n  - id: mine\n    cmd: [x]\n", []string{
			`1:18: there is no agent "nobody"; allowed: claude, codex, mine, or one described under agents`,
			`1:32: there is no agent "nope"; allowed: claude, codex, mine, or one described under agents`,
		}},
		{"agents: {id: a}\n", []string{`1:9: a mapping is of the wrong kind; allowed: a list of agents, each with id`}},
		{"agents:\n  - cmd: [a]\n", []string{`2:5: an agent without id; allowed: a-z, 0-9 and -, at most 32`}},
		{"agents:\n  - id: A\n  - a\n", []string{
			`2:9: "A" is no agent id; allowed: a-z, 0-9 and -, at most 32`,
			`3:5: "a" is of the wrong kind; allowed: keys with values: id, cmd, resume, prompt, output, env, timeout, model, path, driver`,
		}},
		{"agents:\n  - id: a\n    path: bin/a\n", []string{`3:11: "bin/a" is no absolute path; allowed: such as /opt/bin/claude`}},
		{"agents:\n  - id: a\n    driver: lsp\n", []string{`3:13: "lsp" is not known here; allowed: stream, acp`}},
		{"agents:\n  - id: a\n  - id: a\n", []string{`3:5: agent "a" stands here a second time; allowed: each id once`}},
		{"agents:\n  - id: a\n    cmd: my-agent --task\n", []string{`3:10: "my-agent --task" is of the wrong kind; allowed: a list such as [my-agent, --task, "{{task_file}}"]`}},
		{"agents:\n  - id: a\n    cmd: []\n", []string{`3:10: the list is empty; allowed: the program and its arguments, such as [my-agent, --task, "{{task_file}}"]`}},
		{"agents:\n  - id: a\n    cmd: [x, '{{task}}']\n", []string{`3:14: unknown placeholder {{task}}; allowed: {{task_file}} {{prompt}} {{workdir}} {{model}} {{session_id}}`}},
		{"agents:\n  - id: a\n    output: json\n    prompt: argument\n", []string{
			`3:13: "json" is not known here; allowed: text, claude, codex, gemini, opencode, qwen, copilot`,
			`4:13: "argument" is not known here; allowed: stdin`,
		}},
		{"agents:\n  - id: a\n    env: {1A: x, B: [c]}\n", []string{
			`3:11: "1A" is no variable; allowed: letters, digits and _`,
			`3:21: a list is of the wrong kind; allowed: text, or {value: text, secret: true}`,
		}},
		{"- a\n", []string{`1:1: a list is of the wrong kind; allowed: keys with values: trunk, acceptance, setup, teardown, bring, dependencies, protected, workspace, select, limits, permissions, switch, notes, gates, agents`}},
		{"trunk: a\ntrunk: b\n", []string{`2:1: key "trunk" stands here a second time; allowed: once`}},
		{"a: [\n", []string{`1:4: sequence end token ']' not found; allowed: YAML`}},
		{"trunk: &x main\nsetup: *x\n", []string{`1:8: a reference is of the wrong kind; allowed: the name of a branch`, `2:8: a reference is of the wrong kind; allowed: a command`}},
		{"trunk: main\n---\ntrunk: other\n", []string{`3:1: a second document; allowed: one`}},
		// CRLF and a BOM do not shift what is said.
		{"\ufefftrunk: main\r\nnotes: x\r\n", []string{`2:8: "x" is not known here; allowed: keep, land`}},
	} {
		_, err := parse([]byte(tt.text), "claude", "codex")
		if work.CodeOf(err) != work.Invalid {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		var got []string
		for line := range strings.SplitSeq(work.Public(err).Msg, "\n") {
			got = append(got, strings.TrimPrefix(line, SettingsFile+":"))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// A file that cannot be settings is refused as a whole.
func TestLoadRefused(t *testing.T) {
	for name, text := range map[string]string{
		"binary": "trunk: \x00\n", "latin-1": "trunk: caf\xe9\n", "too large": strings.Repeat("# long\n", 2<<20),
	} {
		if _, err := Load(folder(t, map[string]string{SettingsFile: text})); work.CodeOf(err) != work.Invalid || !strings.HasPrefix(err.Error(), SettingsFile+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := folder(t, map[string]string{SettingsFile + "/x": ""})
	if _, err := Load(dir); work.CodeOf(err) != work.Invalid {
		t.Errorf("a folder: %v", err)
	}
	outside := folder(t, map[string]string{"x.yaml": "setup: rm -rf /\n"})
	dir = folder(t, map[string]string{".offrun/x": ""})
	if err := os.Symlink(filepath.Join(outside, "x.yaml"), filepath.Join(dir, SettingsFile)); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(dir); work.CodeOf(err) != work.Invalid {
		t.Errorf("a link out of the project: %+v, %v", s, err)
	}
}

func TestInit(t *testing.T) {
	dir := t.TempDir()
	created, err := Init(dir)
	if err != nil || !cmp.Equal(created, []string{".offrun/project.yaml", "tasks/_template.md"}) {
		t.Fatalf("created %q, %v", created, err)
	}
	if s, err := Load(dir); err != nil || !cmp.Equal(s, Defaults()) {
		t.Errorf("the new file sets something: %+v, %v", s, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, SettingsFile))
	if err != nil {
		t.Fatal(err)
	}
	// With the marks taken away the examples are valid settings, all of them.
	examples := regexp.MustCompile(`(?m)^#(\S|  )`).ReplaceAllString(string(text), "$1")
	for _, s := range settings {
		if !strings.Contains(examples, "\n"+s.key+":") {
			t.Errorf("no example of %s", s.key)
		}
	}
	if _, err := parse([]byte(examples)); err != nil {
		t.Errorf("examples: %v", err)
	}
	put(t, dir, SettingsFile, "trunk: mine\n")
	if created, err := Init(dir); err != nil || created != nil {
		t.Errorf("second init wrote %q, %v", created, err)
	}
	if s, err := Load(dir); err != nil || s.Trunk != "mine" {
		t.Errorf("second init changed the settings: %+v, %v", s, err)
	}
	if _, err := card.New(dir, "From the template", ""); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(settingsText())
	for _, seed := range []string{
		"trunk: main\nacceptance: [a]\nlimits: {total: 30m}\n", "agents:\n  - id: a\n    cmd: [x, '{{prompt}}']\n    env: {A: 1}\n",
		"a: &x [*x]\n", "? {a: b}\n: c\n", "trunk: !!binary eA==\n", "<<: {trunk: a}\n", "trunk: |\n  x\n", "\"trunk\": \"\\x00\"\n",
	} {
		f.Add([]byte(seed))
	}
	where := regexp.MustCompile(`^\.offrun/project\.yaml:(\d+:\d+:)? .`)
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parse(text)
		if err == nil {
			if s.Limits.Total < 1 || s.Permissions == "" || s.Notes == "" {
				t.Fatalf("settings without their defaults: %+v", s)
			}
			return
		}
		if !cmp.Equal(s, work.Settings{}) {
			t.Fatal("settings and an error")
		}
		for line := range strings.SplitSeq(work.Public(err).Msg, "\n") {
			if !where.MatchString(line) || !strings.Contains(line, "; allowed: ") {
				t.Fatalf("mistake %q", line)
			}
		}
	})
}
