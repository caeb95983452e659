package bench_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// A4, F85: the bench is killed at random instants while a login reaches its limit
// and another agent takes over. The message is taken up exactly once.
func TestKilledBenchMovesOnce(t *testing.T) {
	s := newShop(t, map[string]string{
		"a": "say=a1 sleep=200ms write=half.txt limit",
		"b": "say=b1 sleep=200ms write=fake.txt say=b2 result",
	}, "select: [b]", "switch: other-agent")
	s.close()
	check := gittest.Invariants(t, s.repo.Dir)
	random := rand.New(rand.NewPCG(2026, 12))
	for n := range 3 {
		starts := string(s.project)
		for range kills {
			killOnce(t, s.home, starts, "a", time.Duration(random.Int64N(int64(500*time.Millisecond))))
			starts = ""
		}
		s.open()
		last, err := s.Run(t.Context(), "last")
		if err != nil {
			t.Fatal(err)
		}
		run := s.end(last.ID)
		a := run.Attempt("a")
		if len(a.Turns) != 2 || a.State() != work.Done || a.Turns[0].Class != work.ClassLimited || a.Turns[1].By != "b" || a.Turns[1].Moved == nil {
			t.Fatalf("%s: %s, why %q, turns %+v", run.ID, a.State(), a.Why(), a.Turns)
		}
		if got := said(t, s.artifact(run.ID, "a", "conversation.jsonl")); strings.Join(got, " ") != "b1 b2" {
			t.Errorf("%s: b said %q", run.ID, got)
		}
		// From the second run on the login rests before its turn begins.
		if a.Turns[0].Agent.Reason == work.NotStarted != (n > 0) {
			t.Errorf("%s: the first turn %+v", run.ID, a.Turns[0].Agent)
		}
		checkFeed(t, s)
		s.close()
	}
	check()
	s.nothingLeft()
}

// What the user may ask while nothing goes on by itself, and what is refused.
func TestMoveByHand(t *testing.T) {
	s := newShop(t, map[string]string{"a": "write=fake.txt limit", "b": "say=b1 result", "c": "sleep=30s result"})
	run := s.end(s.start("a").ID)
	if a := run.Attempt("a"); a.State() != work.Limited {
		t.Fatalf("a is %s", a.State())
	}
	for _, tt := range []struct {
		to   string
		code work.Code
		text string
	}{
		{"", work.Unavailable, "every login of a rests"},
		{"a/default", work.Unavailable, "a/default rests until"},
		{"a/other", work.NotFound, `a has no account "other"`},
		{"nobody", work.NotFound, `no agent "nobody"`},
	} {
		if _, err := s.Move(t.Context(), run.ID, "a", tt.to); work.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("move to %q: %v, want %s: %s", tt.to, err, tt.code, tt.text)
		}
	}
	if _, err := s.Move(t.Context(), run.ID, "a", "b"); err != nil {
		t.Fatal(err)
	}
	run = s.end(run.ID)
	a := run.Attempt("a")
	if a.State() != work.Done || a.Turn().By != "b" || a.Turn().Moved.From != "a/default" || a.Turn().Result.Files != 1 {
		t.Errorf("a after the move: %s, %+v", a.State(), a.Turn())
	}
	busy := s.start("c")
	s.until(busy.ID, "running", func(r work.Run) bool { return r.Attempts[0].State() == work.Running })
	if _, err := s.Move(t.Context(), busy.ID, "c", "b"); work.CodeOf(err) != work.Busy {
		t.Errorf("moving one that works: %v", err)
	}
	if _, err := s.Restore(t.Context(), busy.ID, "c", 1); work.CodeOf(err) != work.Busy {
		t.Errorf("restoring one that works: %v", err)
	}
	if _, err := s.Cancel(t.Context(), busy.ID, nil); err != nil {
		t.Fatal(err)
	}
	s.end(busy.ID)
	s.nothingLeft()
}

// A lost database learns from the turns which logins rest.
func TestReindexLearnsRests(t *testing.T) {
	s := newShop(t, map[string]string{"a": "limit"})
	s.end(s.start("a").ID)
	if _, err := s.RestAccount("a", work.DefaultAccount, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reindex(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := s.Accounts("a")
	if err != nil || len(all) != 1 || !all[0].Resting(time.Now()) {
		t.Errorf("accounts = %+v, %v", all, err)
	}
}
