package bench_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"offrun/backend/bench"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// The kill test's size: so many runs, each of whose benches is killed so often.
const (
	killRuns = 10
	kills    = 5
)

// victim opens the bench of the data folder home, starts a run if it is told the
// project, says "open" and works until it is killed.
func victim(home string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	b, err := bench.Open(context.Background(), bench.Options{Home: home, Self: []string{exe}, Version: "victim"})
	if err != nil {
		panic(err)
	}
	if id := os.Getenv("VICTIM_STARTS"); id != "" {
		o := bench.StartOptions{Card: "fix", Agents: strings.Fields(os.Getenv("VICTIM_AGENTS"))}
		if _, err := b.Start(context.Background(), work.ProjectID(id), o); err != nil {
			panic(err)
		}
	}
	fmt.Println("open")
	select {}
}

// The bench is killed at random instants while three agents work, and started
// again. Every attempt comes to its right end, with everything it said once.
func TestKilledBenchLosesNothing(t *testing.T) {
	s := newShop(t, map[string]string{
		"a": "say=a1 sleep=300ms write=fake.txt write=.offrun/agents/a/plan.md:-_note say=a2 sleep=300ms say=a3 notes result",
		"b": "say=b1 sleep=600ms write=broken.txt say=b2 result",
		"c": "say=c1 sleep=200ms write=fake.txt say=c2 exit=4",
	}, "setup: 'true'")
	s.close()
	check := gittest.Invariants(t, s.repo.Dir)
	random := rand.New(rand.NewPCG(2026, 11))
	for range killRuns {
		starts := string(s.project)
		for range kills {
			killOnce(t, s.home, starts, "a b c", time.Duration(random.Int64N(int64(700*time.Millisecond))))
			starts = ""
		}
		s.open()
		last, err := s.Run(t.Context(), "last")
		if err != nil {
			t.Fatal(err)
		}
		checkRun(t, s, s.end(last.ID))
		checkFeed(t, s)
		s.close()
	}
	check()
	s.nothingLeft()
	if notes, err := os.ReadFile(filepath.Join(s.repo.Dir, ".offrun/agents/a/plan.md")); err != nil || string(notes) != "- note\n" {
		t.Errorf("notes %q, %v; want one line", notes, err)
	}
	s.open()
	for _, f := range doctor(t, s) {
		if strings.HasPrefix(f.Check, "run") && f.Level != work.OK {
			t.Errorf("doctor: %+v", f)
		}
	}
}

// killOnce starts a victim and kills it some time after it is open.
func killOnce(t *testing.T, home, starts, agents string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(self(t), "victim", home)
	cmd.Env = append(os.Environ(), "VICTIM_STARTS="+starts, "VICTIM_AGENTS="+agents)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "open\n" {
		t.Fatalf("victim said %q, %v", line, err)
	}
	<-time.After(after) // the instant is the point, not a condition
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // it was killed
}

func checkRun(t *testing.T, s *shop, run work.Run) {
	t.Helper()
	for _, want := range []struct {
		name  work.AttemptName
		state work.State
		tests work.TestStatus
		said  []string
	}{
		{"a", work.Done, work.Pass, []string{"a1", "a2", "a3"}},
		{"b", work.Done, work.Fail, []string{"b1", "b2"}},
		{"c", work.Failed, work.Pass, []string{"c1", "c2"}},
	} {
		a := run.Attempt(want.name)
		turn := a.Turn()
		if a.State() != want.state || turn.Tests == nil || turn.Tests.Status != want.tests || turn.Result == nil || turn.Result.Files != 1 {
			t.Errorf("%s %s: %s, why %q, turn %+v", run.ID, want.name, a.State(), a.Why(), turn)
		}
		if got := said(t, s.artifact(run.ID, want.name, "conversation.jsonl")); strings.Join(got, " ") != strings.Join(want.said, " ") {
			t.Errorf("%s %s said %q, want %q", run.ID, want.name, got, want.said)
		}
		if got := s.artifact(run.ID, want.name, "tests.txt"); !strings.Contains(got, "\nexit=") {
			t.Errorf("%s %s: tests.txt %q", run.ID, want.name, got)
		}
		if got := s.artifact(run.ID, want.name, "diff.patch"); !strings.HasPrefix(got, "diff --git ") {
			t.Errorf("%s %s: diff.patch %q", run.ID, want.name, got)
		}
	}
	if run.Baseline.Status != work.Pass {
		t.Errorf("%s: baseline %+v", run.ID, run.Baseline)
	}
	trees, err := filepath.Glob(filepath.Join(s.repo.Dir, ".worktrees", "*"+string(run.ID)))
	if err != nil || len(trees) != len(run.Attempts) {
		t.Errorf("%s: worktrees %q, %v; want %d", run.ID, trees, err, len(run.Attempts))
	}
}

// said returns the agent's own texts of a conversation.
func said(t *testing.T, conversation string) (texts []string) {
	t.Helper()
	for line := range strings.Lines(conversation) {
		var e work.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if e.Kind == work.Said {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// checkFeed reads the whole feed: its numbers have no gap.
func checkFeed(t *testing.T, s *shop) {
	t.Helper()
	for seq := int64(0); ; {
		page, err := s.Events(t.Context(), seq, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			if seq++; e.Seq != seq {
				t.Fatalf("event %d follows %d", e.Seq, seq-1)
			}
		}
		if seq >= page.Last {
			return
		}
	}
}
