package project

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"offrun/backend/work"
)

// LockFiles are names of files that package managers write. They are protected
// unless a project says otherwise.
var LockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
	"go.sum", "go.work.sum",
	"Cargo.lock",
	"poetry.lock", "Pipfile.lock", "uv.lock", "pdm.lock", "pixi.lock", "pylock.toml", "conda-lock.yml",
	"Gemfile.lock", "composer.lock", "mix.lock", "rebar.lock", "pubspec.lock",
	"Podfile.lock", "Package.resolved", "Cartfile.resolved",
	"packages.lock.json", "paket.lock", "gradle.lockfile", "buildscript-gradle.lockfile",
	"flake.lock", "MODULE.bazel.lock", ".terraform.lock.hcl", "Chart.lock", "buf.lock",
	"stack.yaml.lock", "cabal.project.freeze", "renv.lock", "shard.lock",
}

// dependencies are the folders of installed packages that come along where a
// project does not say which.
var dependencies = []string{"node_modules", ".venv", "venv", "vendor/bundle", "Pods"}

// How a dependency folder comes along.
const (
	clone   = "clone"   // a copy of its own, copy-on-write where the file system can
	link    = "link"    // a symbolic link to the main checkout's: shared, writes included
	install = "install" // by the setup command
	none    = "none"
)

// Defaults returns the settings of a project that sets nothing.
func Defaults() work.Settings {
	s := work.Settings{
		Bring:        []string{".env"},
		Dependencies: map[string]string{},
		Protected:    slices.Clone(LockFiles),
		Workspace:    "host",
		Limits:       work.Limits{Total: 30 * 60, Start: 2 * 60, Silence: 5 * 60, Setup: 15 * 60, Acceptance: 15 * 60, Answer: 10 * 60},
		Permissions:  "inside-workspace",
		Switch:       "ask",
		Notes:        "keep",
	}
	for _, folder := range dependencies {
		s.Dependencies[folder] = clone
	}
	return s
}

// A setting is one key of the settings file: how it is described in a new file,
// and how it is read. This table is all there is to add one.
type setting struct {
	key     string
	doc     string
	example string // its value in a new file: the default, if it has one
	read    func(r *reader, value ast.Node, s *work.Settings)
}

var settings = []setting{
	{"trunk", "Branch that runs start from and results land on. Default: the branch that HEAD names.",
		`main`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Trunk = r.branch(v) }},
	{"acceptance", "Commands that say whether a result is good, run by sh -c in the worktree, together with the card's own. Default: none.",
		`["npm test"]`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Acceptance = r.List(v, "commands") }},
	{"setup", "Command that makes a fresh worktree usable, with a log of its own. Default: none.",
		`npm ci`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Setup = r.Text(v, "a command") }},
	{"teardown", "Command before a worktree is removed. Default: none.",
		`docker compose down`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Teardown = r.Text(v, "a command") }},
	{"bring", "Files that git ignores and a worktree needs, as globs; they are copied. Default: [.env].",
		`[.env]`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Bring = r.globs(v) }},
	{"dependencies", "Folders of installed packages and how they come along, if git ignores them: clone (copy-on-write where the file system\n" +
		"can), link (shared with the main checkout, writes included), install (by the setup command), none. A plain name is looked\n" +
		"for in the top three levels of folders. Default: " + strings.Join(dependencies, ", ") + ", cloned.",
		`{node_modules: clone}`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Dependencies = r.folders(v) }},
	{"protected", "Globs of files that a result should not touch; it is flagged if it does. A plain name counts in every folder. Default: the\n" +
		"lock files of package managers.",
		`[package-lock.json, go.sum, .github/]`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Protected = r.globs(v) }},
	{"workspace", "Where agents work: host (a worktree on this machine). Default: host.",
		`host`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Workspace = r.Word(v, "host") }},
	{"select", "Agents that a run uses when none are named; a model may follow after a colon. Default: none.",
		`[claude, codex]`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Select = r.agentIDs(v) }},
	{"limits", "Time limits, in seconds or as 90s, 30m, 2h. total: one turn of an agent. start: until its first output. silence: without\n" +
		"output before a warning. setup, acceptance: each command. answer: until a question that offrun answer could settle counts as\n" +
		"denied. start and silence may be 0, which is off.",
		`{total: 30m, start: 2m, silence: 5m, setup: 15m, acceptance: 15m, answer: 10m}`,
		func(r *reader, v ast.Node, s *work.Settings) { r.limits(v, &s.Limits) }},
	{"permissions", "What agents may do without asking, as far as they enforce it: inside-workspace, all, ask (their own rules; what needs an\n" +
		"answer is refused, unless the agent has driver: acp and waits for it). Default: inside-workspace.",
		`inside-workspace`,
		func(r *reader, v ast.Node, s *work.Settings) {
			s.Permissions = r.Word(v, "inside-workspace", "all", "ask")
		}},
	{"switch", "What happens when every login of an agent has reached its usage limit: ask (you say who goes on), other-agent (one with\n" +
		"headroom goes on, with the conversation as context), wait (it goes on by itself after the reset). Default: ask.",
		`ask`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Switch = r.Word(v, "ask", "other-agent", "wait") }},
	{"notes", "What becomes of an agent's NOTES.md: keep (an artifact beside the result) or land (part of the result). Default: keep.",
		`keep`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Notes = r.Word(v, "keep", "land") }},
	{"gates", "Commands that must pass on the merged tree before it lands. Default: none.",
		`["npm test"]`,
		func(r *reader, v ast.Node, s *work.Settings) { s.Gates = r.List(v, "commands") }},
	{"agents", "Agents of your own, with cmd; or changes to a built-in one, without. Placeholders: {{task_file}} {{prompt}} {{workdir}}\n" +
		"{{model}} {{session_id}}. resume: arguments for a follow-up in {{session_id}}. prompt: stdin writes it there. output: how to\n" +
		"read what it prints. timeout: default limits.total. path: of a built-in one's program, absolute. driver: stream (it prints what\n" +
		"it does) or acp (it speaks the Agent Client Protocol). Default: stream. env: values under a name such as MY_TOKEN or\n" +
		"MY_PASSWORD are never shown, and neither are those marked so, {MY_WORD: {value: open sesame, secret: true}}, from 8\n" +
		"characters on.",
		"\n- id: mine\n  cmd: [\"/opt/bin/my-agent\", \"--task\", \"{{task_file}}\"]\n  timeout: 30m\n  env: {MY_FLAG: \"1\"}\n  output: text",
		func(r *reader, v ast.Node, s *work.Settings) { s.Agents = r.Agents(v) }},
}

// settingsText is a settings file in which every setting is explained and none
// is set.
func settingsText() []byte {
	var b strings.Builder
	b.WriteString("# Settings of this project for Offrun. Every line is optional; take away the # of those you want to change.\n")
	for _, s := range settings {
		b.WriteString("\n")
		for line := range strings.Lines(s.doc) {
			b.WriteString("# " + strings.TrimSuffix(line, "\n") + "\n")
		}
		for line := range strings.Lines(s.key + ": " + s.example) {
			b.WriteString("#" + strings.TrimRight(line, " \n") + "\n")
		}
	}
	return []byte(b.String())
}

func (r *reader) limits(v ast.Node, l *work.Limits) {
	fields := map[string]*work.Seconds{
		"total": &l.Total, "start": &l.Start, "silence": &l.Silence, "setup": &l.Setup, "acceptance": &l.Acceptance, "answer": &l.Answer,
	}
	for key, value := range r.Entries(v, "total", "start", "silence", "setup", "acceptance", "answer") {
		least := work.Seconds(1)
		if key.Text == "start" || key.Text == "silence" {
			least = 0
		}
		*fields[key.Text] = r.Seconds(value, least)
	}
}

// folders reads how dependency folders come along.
func (r *reader) folders(v ast.Node) map[string]string {
	folders := map[string]string{}
	for key, value := range r.Entries(v) {
		folder := strings.TrimSuffix(strings.TrimSpace(key.Text), "/")
		if !inside(folder) {
			r.Mistake(key.Node, "%q is no folder of the project; allowed: a relative path", key.Text)
			continue
		}
		folders[folder] = r.Word(value, clone, link, install, none)
	}
	return folders
}
