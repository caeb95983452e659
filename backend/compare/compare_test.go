package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

var update = flag.Bool("update", false, "write the golden files")

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// attempt makes an attempt whose only turn ended so.
func attempt(name string, class work.Class, tests work.TestStatus, changes ...work.Change) work.Attempt {
	end := start.Add(90 * time.Second)
	turn := work.Turn{
		N: 1, StartedAt: &start, EndedAt: &end, Class: class,
		Agent:  &work.Exit{StartedAt: start, EndedAt: end, Reason: work.Exited},
		Usage:  work.Usage{Input: 100, Output: 20, CostUSD: 0.25},
		Result: &work.Result{Files: len(changes), Changes: changes},
	}
	for _, c := range changes {
		turn.Result.Added += max(0, c.Added)
		turn.Result.Deleted += max(0, c.Deleted)
	}
	if tests != "" {
		turn.Tests = &work.Tests{Status: tests}
	}
	if tests == work.Fail {
		turn.Tests.Exit, turn.Tests.Text = 2, "npm test: exit 2"
	}
	return work.Attempt{Name: work.AttemptName(name), Agent: "claude", Turns: []work.Turn{turn}}
}

func change(path string, lines int) work.Change {
	return work.Change{Path: path, Status: "changed", Added: lines, Deleted: lines}
}

// The order in which attempts are listed is the order that is wanted.
func TestOrder(t *testing.T) {
	running := attempt("running", "", "")
	running.Turns[0].EndedAt, running.Turns[0].Agent, running.Turns[0].Result = nil, nil, nil
	slow := attempt("slow", work.ClassOK, work.Pass, change("a", 1))
	slow.Turns[0].Agent.EndedAt = start.Add(time.Hour)
	dangerous := attempt("dangerous", work.ClassOK, work.Pass, change("a", 1))
	dangerous.Touched = []work.Touch{{What: "config", Name: "core.pager", Change: "added", Danger: true}}
	touched := attempt("touched", work.ClassOK, work.Pass, change("a", 1), change("a2", 0))
	touched.Touched = []work.Touch{{What: "file", Name: "x", Change: "added"}}
	failedSetup := work.Attempt{Name: "setup", Failure: &work.Failure{Step: "setup", Text: "npm ci: exit 1"}}

	run := work.Run{
		Card: work.Card{Allowed: []string{"a*"}, Forbidden: []string{"never.txt"}},
		Attempts: []work.Attempt{
			failedSetup,
			attempt("needs-you", work.ClassNeedsYou, "", change("a", 1)),
			attempt("tests-fail", work.ClassOK, work.Fail, change("a", 1)),
			running,
			attempt("no-tests", work.ClassOK, work.DidNotRun, change("a", 1)),
			dangerous,
			attempt("forbidden", work.ClassOK, work.Pass, change("never.txt", 1)),
			attempt("two-outside", work.ClassOK, work.Pass, change("a", 1), change("b", 1), change("c", 1)),
			attempt("one-outside", work.ClassOK, work.Pass, change("a", 1), change("b", 1)),
			attempt("noisy", work.ClassOK, work.Pass, change("a", 1)),
			attempt("big", work.ClassOK, work.Pass, change("a", 50)),
			slow, touched,
			attempt("good", work.ClassOK, work.Pass, change("a", 1)),
			attempt("also-good", work.ClassOK, work.Pass, change("a", 1)),
			attempt("empty", work.ClassOK, work.Pass),
		},
	}
	in := In{Run: run}
	for _, a := range run.Attempts {
		patch := ""
		switch a.Name {
		case "noisy": // half of it
			patch = patchOf("a", "-a", "+ a", "-b", "+c")
		case "good": // a little, which weighs nothing
			patch = patchOf("a", append([]string{"-a", "+ a"}, strings.Split(strings.Repeat("+x\n", 50)+"+x", "\n")...)...)
		}
		in.Patches = append(in.Patches, []byte(patch))
	}
	c := Compare(in)
	type row struct {
		Name    work.AttemptName
		Failing bool
	}
	var got []row
	for _, v := range c.Attempts {
		got = append(got, row{v.Attempt, v.Failing})
	}
	want := []row{
		{"also-good", false}, {"good", false}, {"touched", false}, {"slow", false}, {"big", false}, {"noisy", false},
		{"one-outside", false}, {"two-outside", false}, {"forbidden", false}, {"dangerous", false},
		{"no-tests", false}, {"running", false},
		{"tests-fail", true}, {"setup", true}, {"empty", true}, {"needs-you", true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

// Tests that are red on the base count against an attempt once another passes them.
func TestFailingBesideOneThatPasses(t *testing.T) {
	run := work.Run{
		Baseline: &work.Tests{Status: work.Fail},
		Attempts: []work.Attempt{attempt("a", work.ClassOK, work.Fail), attempt("b", work.ClassOK, work.Pass)},
	}
	for i := range run.Attempts {
		run.Attempts[i].Turns[0].Result.Files = 1
	}
	for _, v := range Compare(In{Run: run}).Attempts {
		if want := v.Attempt == "a"; v.Failing != want {
			t.Errorf("%s: failing %v, want %v", v.Attempt, v.Failing, want)
		}
	}
}

func TestFailing(t *testing.T) {
	for _, tt := range []struct {
		class    work.Class
		tests    work.TestStatus
		baseline work.TestStatus
		files    int
		want     bool
	}{
		{work.ClassOK, work.Pass, work.Pass, 1, false},
		{work.ClassOK, work.Pass, work.Fail, 1, false},
		{work.ClassOK, work.Fail, work.Pass, 1, true},
		{work.ClassOK, work.Fail, work.Fail, 1, false}, // says nothing against it
		{work.ClassOK, work.Fail, work.DidNotRun, 1, true},
		{work.ClassOK, work.Fail, "", 1, true}, // no baseline yet
		{work.ClassOK, work.DidNotRun, work.Pass, 1, false},
		{work.ClassOK, "", work.Pass, 1, false},
		{work.ClassOK, work.Pass, work.Pass, 0, true}, // nothing to judge
		{work.ClassFailed, work.Pass, work.Pass, 1, true},
		{work.ClassIncomplete, work.Pass, work.Pass, 1, true},
		{work.ClassLimited, "", work.Pass, 1, true},
		{work.ClassTimedOut, work.Pass, work.Pass, 1, true},
		{work.ClassCancelled, "", work.Pass, 1, true},
	} {
		run := work.Run{Attempts: []work.Attempt{attempt("a", tt.class, tt.tests)}}
		for i := range tt.files {
			run.Attempts[0].Turns[0].Result.Files = i + 1
		}
		if tt.baseline != "" {
			run.Baseline = &work.Tests{Status: tt.baseline}
		}
		if got := Compare(In{Run: run}).Attempts[0].Failing; got != tt.want {
			t.Errorf("%+v: failing %v", tt, got)
		}
	}
}

// The whole comparison of a run, as the doors show it. The card is the one that
// has to read completely.
func TestGolden(t *testing.T) {
	moved := work.Change{Path: "src/api/auth.ts", From: "src/auth.ts", Status: "renamed", Added: 1, Deleted: 1}
	copied := work.Change{Path: "src/api/__tests__/b.ts", From: "src/elsewhere.ts", Status: "copied", Added: 1}
	binary := work.Change{Path: "logo.png", Status: "added", Added: -1, Deleted: -1}
	careful := attempt("claude", work.ClassOK, work.Pass, change("src/api/login.ts", 10), copied, change("NOTES.md", 3))
	careful.Model = "opus"
	sprawl := attempt("codex", work.ClassOK, work.Pass, change("src/api/login.ts", 10), moved, binary, change("web/package-lock.json", 100))
	sprawl.Turns[0].Result.Notices = []string{`switched branch to "x"`}
	sprawl.Turns = append([]work.Turn{{N: 1, Agent: &work.Exit{StartedAt: start, EndedAt: start.Add(1500 * time.Millisecond)}, Usage: work.Usage{Input: 1}}}, sprawl.Turns...)
	sprawl.Landing = &work.Landing{Commit: "c0ffee"}
	undone := attempt("mine", work.ClassOK, work.Fail, change("src/api/login.ts", 1))
	undone.Landing = &work.Landing{Commit: "dead", UndoneAt: &start}
	empty := attempt("mine-2", work.ClassOK, "")
	empty.Turns[0].Result.Empty = "only ignored files changed"
	run := work.Run{
		ID: "20260301-120000", Base: "1234567890abcdef",
		Card: work.Card{
			Title: "修复登录接口偶发超时", Allowed: []string{"src/api/login.ts", "src/api/__tests__/"},
			Forbidden: []string{"*.png"}, Files: []string{"NOTES.md"},
		},
		Settings: work.Settings{Protected: []string{"package-lock.json", "yarn.lock"}},
		Baseline: &work.Tests{Status: work.Pass},
		Attempts: []work.Attempt{undone, sprawl, empty, careful, {Name: "claude-2", Agent: "claude", QueuedAt: start, Turns: []work.Turn{{N: 1, StartedAt: &start}}}},
	}
	c := Compare(In{
		Run: run,
		Now: start.Add(time.Minute),
		Patches: [][]byte{
			[]byte("damaged"),
			[]byte(patchOf("src/api/login.ts", "-a", "+b") + patchOf("web/package-lock.json", "-1", "+2", "+3") + patchOf("gen.ts", "-1", "+2", "+3")),
		},
		Heads: []map[string]string{nil, {"gen.ts": "// @generated by hand\n"}},
		Notes: []string{"", "", "", "# Notes\n## 不确定\n- 连接池大小\n"},
	})
	got, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/comparison.golden", append(got, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/comparison.golden")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Errorf("comparison (-want +got):\n%s", d)
	}
}

// Doors give lists, never null.
func TestNoAttempts(t *testing.T) {
	got, err := json.Marshal(Compare(In{Run: work.Run{ID: "r", Card: work.Card{ID: "card"}}}))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"run":"r","base":"","card":"card","attempts":[]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkCompare2000Files(b *testing.B) {
	run := work.Run{
		Card:     work.Card{Allowed: []string{"dir1/", "dir2/**/*.go", "*.md"}},
		Settings: work.Settings{Protected: lockFiles},
	}
	for a := range 5 {
		var changes []work.Change
		for i := range 2000 {
			changes = append(changes, change(fmt.Sprintf("dir%d/sub/file%d.go", i%50, i+a*100), 10))
		}
		run.Attempts = append(run.Attempts, attempt(fmt.Sprint("a", a), work.ClassOK, work.Pass, changes...))
	}
	for b.Loop() {
		Compare(In{Run: run})
	}
}
