package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/agent/agenttest/fake"
	"offrun/backend/archive"
	"offrun/backend/work"
)

// TestMain makes this test binary the fake agent when it is told so.
func TestMain(m *testing.M) {
	if os.Getenv("BE_FAKE") == "1" {
		os.Exit(fake.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// A turn is what came of one run of the client with the fake agent.
type turn struct {
	entries []work.Entry
	code    int
	stderr  string
	verdict agent.Verdict
}

// A talk says how the fake agent is spoken to.
type talk struct {
	dir    string // "" is a new one
	steps  string
	words  string // of fake.Protocol
	flags  []string
	during func(e work.Entry) // called with each entry as it comes
	cancel func(e work.Entry) bool
}

// converse runs a turn with the fake agent.
func converse(t *testing.T, k talk) turn {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if k.dir == "" {
		k.dir = t.TempDir()
	}
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var tn turn
	out := lines{take: func(line []byte) {
		for _, e := range Decode(line, false) {
			tn.entries = append(tn.entries, e)
			if k.during != nil {
				k.during(e)
			}
			if k.cancel != nil && k.cancel(e) {
				cancel()
			}
		}
	}}
	begun := time.Now()
	tn.code = Run(ctx, Options{
		Args:    append(append([]string{"--permissions", agent.InsideWorkspace}, k.flags...), "--", self, "--acp"),
		Environ: append(os.Environ(), "BE_FAKE=1", fake.Protocol+"="+k.words),
		Dir:     k.dir, Stdin: strings.NewReader("fake: " + k.steps), Stdout: &out, Stderr: stderr,
	})
	text, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	tn.stderr = string(text)
	facts := agent.Facts{Structured: true, Stderr: tn.stderr}
	for _, e := range tn.entries {
		facts.Add(e)
	}
	tn.verdict = agent.Judge(facts, work.Exit{Reason: work.Exited, Code: tn.code, StartedAt: begun, EndedAt: time.Now()})
	return tn
}

// lines calls take with every whole line that is written.
type lines struct {
	rest []byte
	take func([]byte)
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.take(line)
		l.rest = rest
	}
}

// of returns the texts of the entries of a kind.
func (tn turn) of(kind work.EntryKind) []string {
	var texts []string
	for _, e := range tn.entries {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func (tn turn) want(t *testing.T, class work.Class, why string) {
	t.Helper()
	if tn.verdict.Class != class || !strings.Contains(tn.verdict.Why, why) {
		t.Errorf("judged %q because %q, want %q because %q\n%s%s", tn.verdict.Class, tn.verdict.Why, class, why, shown(tn.entries), tn.stderr)
	}
}

func shown(entries []work.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		e.At = time.Time{}
		j, _ := json.Marshal(e) // for reading only
		b.Write(append(j, '\n'))
	}
	return b.String()
}

// TestTurn follows a whole turn: messages and calls come whole, and in order.
func TestTurn(t *testing.T) {
	dir := t.TempDir()
	tn := converse(t, talk{dir: dir, steps: "say=I_will_write_it thought write=a.txt:hello plan spend strange say=done_with_it result"})
	tn.want(t, work.ClassOK, "")
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "hello\n" {
		t.Errorf("a.txt = %q, %v", text, err)
	}
	var got []string
	for _, e := range tn.entries {
		var words []string
		for _, word := range []string{string(e.Kind), e.Tool, e.Path, e.Text} {
			if word != "" {
				words = append(words, word)
			}
		}
		got = append(got, strings.Join(words, " "))
	}
	want := []string{
		"began", "said I will write it", "did edit a.txt Write a.txt", "did ok",
		"did plan 0 of 2 done\n[>] look\n[ ] mend", "did plan 1 of 2 done\n[x] look\n[ ] mend",
		"spent", "said refused: true", "said done with it", "spent", "ended",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	last := tn.entries[len(tn.entries)-2].Usage
	if last == nil || *last != (work.Usage{Input: 100, Output: 10, CostUSD: 0.25}) {
		t.Errorf("spent %+v", last)
	}
}

// TestEndings proves that each ending is told from the others.
func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		name  string
		talk  talk
		class work.Class
		why   string
	}{
		{"refusal", talk{steps: "say=no stop=refusal"}, work.ClassFailed, "refused"},
		{"max_tokens", talk{steps: "say=on stop=max_tokens"}, work.ClassIncomplete, "limit of tokens"},
		{"cancelled by itself", talk{steps: "stop=cancelled"}, work.ClassIncomplete, "cancelled"},
		{"F76 cancels its turn when it is denied", talk{steps: "permit=edit:../a stop=cancelled"}, work.ClassNeedsYou, "denied: edit ../a"},
		{"a reason from the future", talk{steps: "stop=tired"}, work.ClassIncomplete, "tired"},
		{"F85 limit by its kind", talk{steps: "say=on refuse=rate_limit"}, work.ClassLimited, "rate limit"},
		{"F85 limit by its code", talk{steps: "say=on code=429"}, work.ClassLimited, "it went wrong"},
		{"F85 limit in words, with its time", talk{steps: "write=a.txt limit"}, work.ClassLimited, "5-hour limit"},
		{"no credit", talk{steps: "refuse=billing_error"}, work.ClassNeedsYou, "billing"},
		{"server", talk{steps: "refuse=server_error"}, work.ClassNetwork, "server"},
		{"another error", talk{steps: "code=-32603"}, work.ClassFailed, "it went wrong"},
		{"F78 wants a login", talk{words: "login"}, work.ClassNeedsLogin, "Log in with Fake"},
		{"F78 login lost on the way", talk{steps: "refuse=authentication_failed"}, work.ClassNeedsLogin, "authentication"},
		{"another version", talk{words: "version=2"}, work.ClassFailed, "version 2 of the Agent Client Protocol"},
		{"F65 dies in the middle", talk{steps: "write=a.txt exit=3"}, work.ClassIncomplete, "without saying"},
		{"F65 killed in the middle", talk{steps: "write=a.txt crash"}, work.ClassIncomplete, "without saying"},
		{"F68 a long line", talk{steps: "longline=100 say=after result"}, work.ClassOK, ""},
		{"garbage", talk{words: "noisy", steps: "garbage latin1 say=after result"}, work.ClassOK, ""},
		{"F68 a burst of updates", talk{steps: "flood=3000 result"}, work.ClassOK, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			converse(t, tt.talk).want(t, tt.class, tt.why)
		})
	}
}

func TestProgramIsNotThere(t *testing.T) {
	var out bytes.Buffer
	code := Run(t.Context(), Options{Args: []string{"--", "/nowhere/agent"}, Dir: t.TempDir(), Stdin: strings.NewReader("x"), Stdout: &out, Stderr: os.Stderr})
	if es := Decode(bytes.TrimSpace(out.Bytes()), false); code == 0 || len(es) != 1 || !es[0].Failed {
		t.Errorf("status %d: %s", code, out.String())
	}
}

// TestF68Noted proves that what is passed over is told, and what is no message is kept.
func TestF68Noted(t *testing.T) {
	tn := converse(t, talk{words: "noisy", steps: "longline=33 result"})
	if notes := strings.Join(tn.of(work.Noted), "\n"); !strings.Contains(notes, "too long to read") {
		t.Errorf("noted %q", notes)
	}
	if !strings.Contains(tn.stderr, "loading plug-ins …\n") || !strings.Contains(tn.stderr, "{broken\n") {
		t.Errorf("stderr lacks what was no message:\n%s", tn.stderr)
	}
}

// TestGoOn goes on with a session in each way, and where there is none.
func TestGoOn(t *testing.T) {
	for _, tt := range []struct {
		words   string
		flags   []string
		class   work.Class
		session string
		gone    bool
	}{
		{"", []string{"--session", "s-1"}, work.ClassOK, "s-1", false},
		{"resume", []string{"--session", "s-1"}, work.ClassOK, "s-1", false},
		{"resume no-load", []string{"--session", "s-1"}, work.ClassOK, "s-1", false},
		{"no-load", nil, work.ClassOK, "", false},
		{"gone", []string{"--session", "s-1"}, work.ClassFailed, "", true},
		{"no-load", []string{"--session", "s-1"}, work.ClassFailed, "", true},
	} {
		tn := converse(t, talk{words: tt.words, flags: tt.flags, steps: "session prompt result"})
		tn.want(t, tt.class, "")
		if tn.verdict.SessionGone != tt.gone {
			t.Errorf("%q: session gone: %v", tt.words, tn.verdict.SessionGone)
		}
		if tt.class != work.ClassOK {
			continue
		}
		if e := tn.entries[0]; e.Kind != work.Began || e.Session != tt.session {
			t.Errorf("%q: began %+v, want session %q", tt.words, e, tt.session)
		}
		said := strings.Join(tn.of(work.Said), "\n")
		if strings.Contains(said, "past") || !strings.Contains(said, "session: "+tt.session) {
			t.Errorf("%q: said %q", tt.words, said)
		}
	}
}

// TestModes sets mode and model in both ways in which agents offer them.
func TestModes(t *testing.T) {
	for _, tt := range []struct {
		words string
		flags []string
		set   string // on the agent's stderr
		model string
		class work.Class
	}{
		{"modes", []string{"--mode", "other", "--mode", "yolo", "--model", "fake-2"}, "set to yolo", "fake-2", work.ClassOK},
		{"options", []string{"--mode", "yolo", "--model", "fake-2"}, "set to fake-2", "fake-2", work.ClassOK},
		{"modes", []string{"--mode", "default"}, "", "fake-1", work.ClassOK},
		{"", []string{"--mode", "yolo"}, "", "", work.ClassOK},
		{"", []string{"--model", "fake-2"}, "", "", work.ClassFailed},
	} {
		if tt.words == "modes" && len(tt.flags) > 2 {
			tt.class = work.ClassFailed // session/set_model is not known to the fake, and says so
		}
		tn := converse(t, talk{words: tt.words, flags: tt.flags, steps: "say=on result"})
		tn.want(t, tt.class, "")
		if !strings.Contains(tn.stderr, tt.set) || tt.set == "" && strings.Contains(tn.stderr, "set to") {
			t.Errorf("%q %q: the agent saw %q", tt.words, tt.flags, tn.stderr)
		}
		if tt.class == work.ClassOK && tn.entries[0].Model != tt.model {
			t.Errorf("%q: model %q, want %q", tt.words, tn.entries[0].Model, tt.model)
		}
	}
}

// TestCancel cancels a turn: the agent is told, and its program ends.
func TestCancel(t *testing.T) {
	for _, steps := range []string{"say=on stay", "say=on ignore-term stay"} {
		begun := time.Now()
		tn := converse(t, talk{steps: steps, cancel: func(e work.Entry) bool { return e.Kind == work.Began }})
		if len(tn.of(work.Ended)) > 0 || time.Since(begun) > cancelPatience+2*endPatience+10*time.Second {
			t.Errorf("%q: after %v\n%s", steps, time.Since(begun), shown(tn.entries))
		}
	}
}

// answer puts an answer into the inbox as the bench does.
func answer(t *testing.T, inbox string, choice string) func(work.Entry) {
	return func(e work.Entry) {
		if e.Question == nil || choice == "" {
			return
		}
		id, ok := e.Question.Choose(choice)
		if !ok {
			t.Errorf("%q is none of %v", choice, e.Question.Options)
		}
		if err := archive.Put(archive.Answer(inbox, e.Question.ID), work.Answer{Option: id}); err != nil {
			t.Error(err)
		}
	}
}

// TestF76Ask puts questions to a person.
func TestF76Ask(t *testing.T) {
	for _, tt := range []struct {
		choice, patience string
		outcome          string
		class            work.Class
	}{
		{work.Allow, "1m", "selected once", work.ClassOK},
		{"always", "1m", "selected always", work.ClassOK},
		{work.Deny, "1m", "selected no", work.ClassOK},
		{"", "300ms", "selected no", work.ClassNeedsYou},
	} {
		inbox, outside := filepath.Join(t.TempDir(), "inbox"), filepath.Join(t.TempDir(), "outside")
		tn := converse(t, talk{
			steps: "permit=edit:" + outside + " permit=edit:b.txt result", during: answer(t, inbox, tt.choice),
			flags: []string{"--permissions", agent.OwnRules, "--inbox", inbox, "--patience", tt.patience},
		})
		tn.want(t, tt.class, "")
		if said := strings.Join(tn.of(work.Said), "\n"); strings.Count(said, tt.outcome) != 2 {
			t.Errorf("%q: said %q, want %q twice", tt.choice, said, tt.outcome)
		}
		if asked := tn.of(work.Asked); !strings.Contains(asked[0], "edit "+outside) {
			t.Errorf("asked %q", asked)
		}
	}
}

// TestF76Cancelled withdraws a question when the turn is cancelled.
func TestF76Cancelled(t *testing.T) {
	tn := converse(t, talk{
		steps: "permit=edit:b.txt stay", cancel: func(e work.Entry) bool { return e.Question != nil },
		flags: []string{"--permissions", agent.OwnRules, "--inbox", t.TempDir()},
	})
	if asked := tn.of(work.Asked); len(asked) != 2 || !strings.Contains(asked[1], "no longer asked") {
		t.Errorf("asked %q", asked)
	}
}

// TestF76Policy answers by policy what nobody is there to answer.
func TestF76Policy(t *testing.T) {
	for _, tt := range []struct {
		permissions, steps string
		outcome            string
	}{
		{agent.InsideWorkspace, "permit=edit:sub/new.txt", "once"},
		{agent.InsideWorkspace, "permit=edit:../out.txt", "no"},
		{agent.InsideWorkspace, "permit=execute:/", "no"},
		{agent.InsideWorkspace, "permit=execute:.", "once"},
		{agent.Everything, "permit=edit:../out.txt", "once"},
		{agent.Reading, "permit=edit:new.txt", "no"},
		{agent.OwnRules, "permit=edit:new.txt", "no"}, // without an inbox
	} {
		dir := filepath.Join(t.TempDir(), "tree")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		tn := converse(t, talk{dir: dir, steps: tt.steps + " result", flags: []string{"--permissions", tt.permissions}})
		if said := strings.Join(tn.of(work.Said), ""); said != "outcome: selected "+tt.outcome {
			t.Errorf("%s, %s: said %q, want %q", tt.permissions, tt.steps, said, tt.outcome)
		}
		class := work.ClassOK
		if tt.outcome == "no" {
			class = work.ClassNeedsYou // it was not allowed to do the one thing that it wanted
		}
		tn.want(t, class, "")
	}
}

func TestOver(t *testing.T) {
	plain := agent.Agent{
		ID: "mine", Name: "Mine", Program: "mine",
		Command: func(ask agent.Ask) (agent.Command, error) {
			if ask.Resume {
				return agent.Command{}, nil // as of settings without resume
			}
			return agent.Command{Argv: []string{"mine", "--acp"}, Env: agent.Environ(ask)}, nil
		},
	}
	adapted := agent.Agent{
		ID: "big", Name: "Big", Program: "big", Version: []string{"--version"},
		ACP: &agent.ACP{Program: "big-acp", Args: []string{"--stdio"}, Env: []string{"QUIET=1"}, Variable: "BIG_PATH",
			Modes: map[string][]string{agent.InsideWorkspace: {"careful", "default"}, agent.Reading: {"plan"}}},
	}
	for _, tt := range []struct {
		agent agent.Agent
		ask   agent.Ask
		want  string
	}{
		{plain, agent.Ask{}, "acp --permissions inside-workspace -- mine --acp"},
		{plain, agent.Ask{Model: "m", Session: "s", Resume: true, Permissions: agent.OwnRules, Inbox: "/in", Patience: time.Minute, Scratch: "/tmp/x"},
			"acp --permissions ask --model m --session s --scratch /tmp/x --inbox /in --patience 1m0s -- mine --acp"},
		{adapted, agent.Ask{Session: "new"}, "acp --permissions inside-workspace --program BIG_PATH=big --mode careful --mode default -- big-acp --stdio"},
		{adapted, agent.Ask{ReadOnly: true, Permissions: agent.Everything}, "acp --permissions read-only --program BIG_PATH=big --mode plan -- big-acp --stdio"},
	} {
		a := Over(tt.agent)
		c, err := a.Command(tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(append(c.Client, c.Argv...), " "); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if f, err := parse(append(c.Client[1:], c.Argv...)); err != nil || !slices.Equal(f.argv, c.Argv) || f.model != tt.ask.Model {
			t.Errorf("parse(%q) = %+v, %v", c.Client, f, err)
		}
	}
	agenttest.Run(t, Over(plain))
	agenttest.Run(t, Over(adapted))
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"at":"2026-11-29T11:24:00Z","kind":"said","text":"hello"}`), false)
	agenttest.Fuzz(f, Decode)
}
