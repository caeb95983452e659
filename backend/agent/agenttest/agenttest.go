// Package agenttest checks that an agent keeps the promises of agent.Agent.
// Every member of the family calls Run; its recorded sessions lie in testdata,
// one file a case, and are never edited: a new version of a program adds files.
package agenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/agent"
	"offrun/backend/work"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A Session says what a recorded session of testdata means.
type Session struct {
	File   string // testdata/<File>.jsonl, with <File>.stderr.txt and <File>.golden beside it
	Code   int    // exit status of the program
	Reason work.ExitReason
	Class  work.Class
	Resets string // when the limit ends, RFC 3339; "" if Class is not limited or it is not known
}

// hostile are texts that must reach a program as they are, or not at all.
var hostile = []string{"-p; rm -rf /", "$(touch x)", "`touch x`", "a\nb", "--model=x", "'\"", "{{prompt}} {{workdir}}", "日本 🙂"}

// Run checks a against the promises of agent.Agent, and its decoder against the
// recorded sessions.
func Run(t *testing.T, a agent.Agent, sessions ...Session) {
	t.Run("data", func(t *testing.T) { checkData(t, a) })
	t.Run("command", func(t *testing.T) { checkCommand(t, a) })
	Decoder(t, a.Decode, a.Structured, sessions...)
}

func checkData(t *testing.T, a agent.Agent) {
	if a.ID == "" || a.Name == "" || a.Program == "" || a.Command == nil || a.Decode == nil {
		t.Fatalf("incomplete: %+v", a)
	}
	if a.Verified && !a.Simulated && (a.Version == nil || a.Login == nil) {
		t.Error("verified, but nothing tells its version or its login")
	}
	if gap := a.Gap(agent.Everything); gap != "" {
		t.Errorf("everything is allowed, and yet %q", gap)
	}
}

func checkCommand(t *testing.T, a agent.Agent) {
	for _, prompt := range hostile {
		for _, permissions := range []string{"", agent.InsideWorkspace, agent.Everything, agent.OwnRules} {
			ask := agent.Ask{Prompt: prompt, TaskFile: "/w/.offrun/task.md", Dir: "/w", Model: "m-1", Permissions: permissions,
				Scratch: "/scratch", Env: map[string]string{"TMPDIR": "/mine", "FLAG": "1"}}
			checkOne(t, a, ask)
			ask.ReadOnly = true
			checkOne(t, a, ask)
			if a.Resumes {
				ask.Resume, ask.Session = true, "11111111-2222-4333-8444-555555555555"
				checkOne(t, a, ask)
			}
		}
	}
}

func checkOne(t *testing.T, a agent.Agent, ask agent.Ask) {
	t.Helper()
	c, err := a.Command(ask)
	if ask.ReadOnly && work.CodeOf(err) == work.Unavailable {
		return // better none than one that may write
	}
	if err != nil {
		t.Fatalf("Command(%+v): %v", ask, err)
	}
	if len(c.Argv) == 0 || c.Argv[0] != a.Program {
		t.Fatalf("argv %q does not begin with %q", c.Argv, a.Program)
	}
	if !a.Simulated && slices.Contains([]string{"sh", "bash", "zsh"}, filepath.Base(c.Argv[0])) {
		t.Errorf("argv %q goes through a shell", c.Argv)
	}
	inArgs := slices.ContainsFunc(c.Argv, func(s string) bool { return strings.Contains(s, ask.Prompt) })
	if inArgs == (c.Stdin == ask.Prompt) && !slices.Contains(c.Argv, ask.TaskFile) {
		t.Errorf("prompt %q is to arrive once, by stdin or by argument: %q, stdin %q", ask.Prompt, c.Argv, c.Stdin)
	}
	if strings.Contains(c.Shown(ask.Prompt), ask.Prompt) && !strings.Contains(ask.Prompt, "{{prompt}}") {
		t.Errorf("shown with its prompt: %s", c.Shown(ask.Prompt))
	}
	if ask.Resume && c.Session != ask.Session {
		t.Errorf("resumes %q, want %q", c.Session, ask.Session)
	}
	if last := slices.Index(c.Env, "TMPDIR=/mine"); last < slices.Index(c.Env, "TMPDIR=/scratch") || !slices.Contains(c.Env, "FLAG=1") {
		t.Errorf("configured variables do not win: %q", c.Env)
	}
	for _, kv := range c.Env {
		if !strings.Contains(kv, "=") {
			t.Errorf("environment entry %q is no assignment", kv)
		}
	}
}

// Decoder checks decode against the recorded sessions and against lines that it
// cannot know.
func Decoder(t *testing.T, decode agent.Decoder, structured bool, sessions ...Session) {
	t.Run("unknown line", func(t *testing.T) {
		if !structured {
			return
		}
		for _, line := range []string{"", "{}", "not json", "null", "[]", "{", `{"type":"from the future"}`, `{"type":7}`, "\xff\xfe"} {
			for _, stderr := range []bool{false, true} {
				if got := decode([]byte(line), stderr); len(got) != 0 {
					t.Errorf("decode(%q) = %v, want nothing", line, got)
				}
			}
		}
	})
	recorded := map[string]bool{}
	for _, s := range sessions {
		recorded[s.File+".jsonl"] = true
		t.Run(s.File, func(t *testing.T) { checkSession(t, decode, structured, s) })
	}
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !recorded[filepath.Base(file)] {
			t.Errorf("%s: no session says what it means", file)
		}
	}
}

// seen is when the sessions were recorded: texts like "try again at 1:24 PM"
// count from there.
var seen = time.Date(2026, 11, 29, 11, 24, 0, 0, time.UTC)

func checkSession(t *testing.T, decode agent.Decoder, structured bool, s Session) {
	facts := agent.Facts{Structured: structured, Zone: time.UTC}
	var golden bytes.Buffer
	read := func(name string, stderr bool) string {
		text, err := os.ReadFile(filepath.Join("testdata", s.File+name))
		if errors.Is(err, fs.ErrNotExist) && stderr {
			return ""
		} else if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			for _, e := range decode(bytes.TrimRight(line, "\r\n"), stderr) {
				checkEntry(t, e)
				facts.Add(e)
				j, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				golden.Write(append(j, '\n'))
			}
		}
		return string(text)
	}
	facts.Stdout = read(".jsonl", false)
	facts.Stderr = read(".stderr.txt", true)
	compare(t, filepath.Join("testdata", s.File+".golden"), golden.Bytes())
	checkVerdict(t, facts, s)
}

func checkVerdict(t *testing.T, facts agent.Facts, s Session) {
	reason := s.Reason
	if reason == "" {
		reason = work.Exited
	}
	v := agent.Judge(facts, work.Exit{Code: s.Code, Reason: reason, StartedAt: seen.Add(-time.Minute), EndedAt: seen, Stdout: int64(len(facts.Stdout))})
	if v.Class != s.Class {
		t.Errorf("judged %q (%s), want %q", v.Class, v.Why, s.Class)
	}
	if (v.Why == "") != (v.Class == work.ClassOK) {
		t.Errorf("class %q because %q", v.Class, v.Why)
	}
	resets := ""
	if v.ResetsAt != nil {
		resets = v.ResetsAt.Format(time.RFC3339)
	}
	if resets != s.Resets {
		t.Errorf("resets at %q, want %q", resets, s.Resets)
	}
	if cut := agent.Judge(agent.Facts{Structured: true, Session: facts.Session, Said: facts.Said}, work.Exit{Reason: work.Exited, Stdout: 1 << 20}); facts.Structured && cut.Class == work.ClassOK {
		t.Error("a success without a final word")
	}
}

func checkEntry(t *testing.T, e work.Entry) {
	t.Helper()
	if e.Log != 0 {
		t.Errorf("%+v: Log is the caller's", e)
	}
	if len(e.Text) > work.MaxEntryText {
		t.Errorf("entry of %d bytes", len(e.Text))
	}
	if e.Kind == "" {
		t.Errorf("%+v has no kind", e)
	}
}

func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("entries differ from %s (rewrite with -update):\n%s", file, got)
	}
}
