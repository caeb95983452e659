package bench_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/bench"
	"offrun/backend/config"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// Every way in which an agent can end leads to the state that says so, with what
// it left collected, the main checkout as it was and no process behind.
func TestEndings(t *testing.T) {
	steps := map[string]string{
		"ok":         "say=working write=fake.txt notes result",
		"tests-fail": "write=broken.txt result",
		"nothing":    "say=hm result",
		"ignores":    "ignored result",
		"fails":      "write=fake.txt exit=3",
		"incomplete": "write=fake.txt say=half exit=0",
		"crashes":    "write=fake.txt crash",
		"limited":    "limit=claude",
		"login":      "login",
		"asks":       "denied result",
		"commits":    "write=fake.txt add commit write=more.txt result",
		"switches":   "branch=other write=fake.txt add commit result",
		"detaches":   "detach write=fake.txt add commit result",
		"nests":      "nested result",
		"grandchild": "write=fake.txt grandchild result",
		"odd":        "names crlf latin binary=0 exec symlink result",
		"garbage":    "garbage write=fake.txt result",
	}
	s := newShop(t, steps, "bring: [.env]")
	check := gittest.Invariants(t, s.repo.Dir, "refs/heads/other")
	agents := []string{}
	for id := range steps {
		agents = append(agents, id)
	}
	slices.Sort(agents)
	run := s.end(s.start(agents...).ID)

	for _, tt := range []struct {
		attempt work.AttemptName
		state   work.State
		tests   work.TestStatus
		files   int
		why     string
	}{
		{"ok", work.Done, work.Pass, 1, ""},
		{"tests-fail", work.Done, work.Fail, 1, ""},
		{"nothing", work.Done, work.Pass, 0, "nothing"},
		{"ignores", work.Done, work.Pass, 0, "ignored"},
		{"fails", work.Failed, work.Pass, 1, "3"},
		{"incomplete", work.Failed, work.Pass, 1, ""},
		{"crashes", work.Failed, work.Pass, 1, "killed"},
		{"limited", work.Limited, work.DidNotRun, 0, "limit"},
		{"login", work.NeedsYou, work.DidNotRun, 0, "login"},
		{"commits", work.Done, work.Pass, 2, ""},
		{"switches", work.Done, work.Pass, 1, ""},
		{"detaches", work.Done, work.Pass, 1, ""},
		{"grandchild", work.Done, work.Pass, 1, ""},
		{"garbage", work.Done, work.Pass, 1, ""},
	} {
		a := run.Attempt(tt.attempt)
		turn := a.Turn()
		if a.State() != tt.state || turn.Tests == nil || turn.Tests.Status != tt.tests || turn.Result == nil || turn.Result.Files != tt.files {
			t.Errorf("%s: %s, tests %+v, result %+v, why %q; want %s, %s, %d files", tt.attempt, a.State(), turn.Tests, turn.Result, a.Why(), tt.state, tt.tests, tt.files)
		}
		if !strings.Contains(strings.ToLower(a.Why()), tt.why) {
			t.Errorf("%s: why %q says nothing of %q", tt.attempt, a.Why(), tt.why)
		}
		for _, name := range []string{"diff.patch", "stat.txt", "tests.txt", "agent.log", "agent.err", "conversation.jsonl", "attempt.json"} {
			if _, err := os.Stat(filepath.Join(s.repo.Dir, "runs", string(run.ID), string(tt.attempt), name)); err != nil && (name != "tests.txt" || tt.tests != work.DidNotRun) {
				t.Errorf("%s: %v", tt.attempt, err)
			}
		}
	}
	if run.Baseline.Status != work.Pass {
		t.Errorf("baseline = %+v", run.Baseline)
	}
	if got := s.artifact(run.ID, "ok", "tests.txt"); !strings.HasSuffix(got, "exit=0\n") {
		t.Errorf("tests.txt ends with %q", got)
	}
	if l := run.Attempt("grandchild").Turn().Agent.Leftovers; len(l) == 0 {
		t.Error("F62: the grandchild is not among the leftovers")
	}
	if b, err := os.ReadFile(filepath.Join(run.Attempt("ok").Dir, ".env")); err != nil || string(b) != "SECRET=1\n" {
		t.Errorf("F34: .env in the worktree: %q, %v", b, err)
	}
	check()
	s.nothingLeft()
	for _, f := range doctor(t, s) {
		if strings.HasPrefix(f.Check, "run") && f.Level != work.OK {
			t.Errorf("doctor: %+v", f)
		}
	}
}

func doctor(t *testing.T, s *shop) []work.Finding {
	t.Helper()
	fs, err := s.Doctor(t.Context(), s.project, bench.DoctorOptions{Agents: []string{"ok"}})
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

// F42, F11, S09: what an agent does outside its worktree is found and shown, and
// what makes git run programs stops collecting until it is repaired.
func TestTouchesAreShown(t *testing.T) {
	s := newShop(t, map[string]string{
		"edits": "main-edit=README.md write=fake.txt result",
		"ref":   "main-ref write=fake.txt result",
	})
	run := s.end(s.start("edits", "ref").ID)
	var seen []string
	for _, a := range run.Attempts {
		for _, touch := range a.Touched {
			seen = append(seen, touch.What+" "+touch.Name)
		}
	}
	for _, want := range []string{"file README.md", "refs refs/heads/made-by-agent"} {
		if !slices.Contains(seen, want) {
			t.Errorf("%q is not among the touches %q", want, seen)
		}
	}
}

func TestS09DangerousConfigStopsCollecting(t *testing.T) {
	s := newShop(t, map[string]string{"evil": "shared-config write=fake.txt result"})
	check := gittest.Invariants(t, s.repo.Dir)
	run := s.start("evil")
	run = s.until(run.ID, "blocked", func(r work.Run) bool { return s.Working() == 0 && r.Baseline != nil })
	a := run.Attempt("evil")
	if a.State() != work.NeedsYou || a.Turn().Result != nil || !strings.Contains(a.Why(), "offrun repair") {
		t.Fatalf("%s, result %+v, why %q", a.State(), a.Turn().Result, a.Why())
	}
	if _, err := s.Repair(t.Context(), run.ID); err != nil {
		t.Fatal(err)
	}
	run = s.end(run.ID)
	if a := run.Attempt("evil"); a.State() != work.Done || a.Turn().Result.Files != 1 {
		t.Errorf("after repair: %s, %+v", a.State(), a.Turn().Result)
	}
	check()
}

// F60, F64, F75: limits and cancelling end a whole family of processes.
func TestLimitsAndCancel(t *testing.T) {
	s := newShop(t, map[string]string{
		"stays":   "write=fake.txt result stay",
		"forever": "write=fake.txt say=working ignore-term grandchild stay",
		"mute":    "quiet stay",
	}, "limits: {total: 5m, start: 2s}")
	check := gittest.Invariants(t, s.repo.Dir)
	run := s.start("stays", "forever", "mute")
	s.until(run.ID, "working", func(r work.Run) bool {
		a := r.Attempt("forever")
		return a.State() == work.Running && a.Live != nil && strings.Contains(a.Live.Action, "working")
	})
	if _, err := s.Cancel(t.Context(), run.ID, []work.AttemptName{"forever"}); err != nil {
		t.Fatal(err)
	}
	run = s.end(run.ID)
	for name, want := range map[work.AttemptName]work.State{"stays": work.Done, "forever": work.Cancelled, "mute": work.DidNotStart} {
		if a := run.Attempt(name); a.State() != want {
			t.Errorf("%s: %s, %q; want %s", name, a.State(), a.Why(), want)
		}
	}
	if r := run.Attempt("forever").Turn().Result; r == nil || r.Files != 1 {
		t.Errorf("what was done before the cancel is lost: %+v", r)
	}
	check()
	s.nothingLeft()
}

func TestTimeOut(t *testing.T) {
	s := newShop(t, map[string]string{"slow": "write=fake.txt say=working stay"})
	run, err := s.Start(t.Context(), s.project, bench.StartOptions{Card: "fix", Agents: []string{"slow"}, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	run = s.end(run.ID)
	if a := run.Attempt("slow"); a.State() != work.TimedOutNow || a.Turn().Result.Files != 1 {
		t.Errorf("%s, %+v", a.State(), a.Turn().Result)
	}
}

func TestSetupFailureIsItsOwn(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "write=fake.txt result"}, "setup: echo no network >&2; exit 7")
	run := s.start("ok")
	run = s.until(run.ID, "over", func(r work.Run) bool { return s.Working() == 0 && r.Baseline != nil })
	a := run.Attempt("ok")
	if a.State() != work.SetupFailed || !strings.Contains(a.Why(), "7") {
		t.Errorf("%s, %q", a.State(), a.Why())
	}
	if got := s.artifact(run.ID, "ok", "setup.log"); !strings.Contains(got, "no network") {
		t.Errorf("setup.log = %q", got)
	}
	if run.Baseline.Status != work.DidNotRun {
		t.Errorf("baseline = %+v", run.Baseline)
	}
}

// A follow-up goes on in the agent's own session, in the same worktree, and makes
// a turn of its own; the earlier one stays.
func TestSendMakesATurn(t *testing.T) {
	s := newShop(t, map[string]string{"ok": ""})
	run := s.end(s.start("ok").ID)
	session := run.Attempt("ok").Turn().Session
	if _, err := s.Send(t.Context(), run.ID, "ok", "fake: session write=fake2.txt result"); err != nil {
		t.Fatal(err)
	}
	run = s.until(run.ID, "over", func(r work.Run) bool {
		turn := r.Attempt("ok").Turn()
		return turn.N == 2 && turn.EndedAt != nil
	})
	a := run.Attempt("ok")
	if a.State() != work.Done || !a.Turn().Resumed || a.Turn().Session != session || a.Turn().Result.Files != a.Turns[0].Result.Files+1 {
		t.Errorf("%s, turn %+v after %+v", a.State(), a.Turn(), a.Turns[0])
	}
	if got := s.artifact(run.ID, "ok", "conversation.jsonl"); !strings.Contains(got, session) || !strings.Contains(got, `"told"`) {
		t.Errorf("conversation of turn 2 = %s", got)
	}
	if one, two := s.artifact(run.ID, "ok", "turns/1/diff.patch"), s.artifact(run.ID, "ok", "diff.patch"); one == two {
		t.Error("the patch is the one of turn 1")
	}
}

// Messages sent while the agent works wait their turn.
func TestSendWhileWorkingWaits(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "say=started wait=go result"})
	run := s.start("ok")
	run = s.until(run.ID, "running", func(r work.Run) bool { return r.Attempt("ok").State() == work.Running })
	if _, err := s.Send(t.Context(), run.ID, "ok", "again"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run.Attempt("ok").Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	run = s.until(run.ID, "over", func(r work.Run) bool {
		turn := r.Attempt("ok").Turn()
		return turn.N == 2 && turn.EndedAt != nil
	})
	if run.Attempt("ok").Turn().Message != "again" || len(run.Attempt("ok").Queue) != 0 {
		t.Errorf("turn %+v", run.Attempt("ok").Turn())
	}
}

func TestRetryIsAFreshAttempt(t *testing.T) {
	s := newShop(t, map[string]string{"bad": "write=fake.txt exit=1"})
	run := s.end(s.start("bad", "bad").ID)
	a, err := s.Retry(t.Context(), run.ID, "bad")
	if err != nil || a.Name != "bad-3" {
		t.Fatalf("retry = %s, %v; want bad-3", a.Name, err)
	}
	run = s.end(run.ID)
	if len(run.Attempts) != 3 || run.Attempt("bad-3").State() != work.Failed || run.Attempt("bad-3").Branch == run.Attempt("bad").Branch {
		t.Errorf("attempts %+v", run.Summary())
	}
}

// F109: what stands in the way of a worktree is said, the card and its text stay,
// and the other attempts go on.
func TestF109FailedCreationKeepsTheCard(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "write=fake.txt result"})
	s.repo.Git("branch", "run") // no branch run/… can be made beside it
	check := gittest.Invariants(t, s.repo.Dir)
	run := s.start("ok")
	run = s.until(run.ID, "over", func(r work.Run) bool { return s.Working() == 0 && r.Baseline != nil })
	a := run.Attempt("ok")
	if a.State() != work.Failed || a.Failure.Step != "worktree" || !strings.Contains(a.Why(), `"run"`) || a.Failure.Next == "" {
		t.Errorf("%s, %+v", a.State(), a.Failure)
	}
	frozen, err := os.ReadFile(filepath.Join(s.repo.Dir, "runs", string(run.ID), "card.md"))
	if err != nil || string(frozen) != s.repo.Read("tasks/fix.md") {
		t.Errorf("frozen card %q, %v", frozen, err)
	}
	check()
}

// What cannot be started is refused before anything is made.
func TestStartRefuses(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "result"})
	check := gittest.Invariants(t, s.repo.Dir)
	for _, tt := range []struct {
		what string
		o    bench.StartOptions
		code work.Code
	}{
		{"no card", bench.StartOptions{Card: "none", Agents: []string{"ok"}}, work.NotFound},
		{"no agent", bench.StartOptions{Card: "fix"}, work.Invalid},
		{"unknown agent", bench.StartOptions{Card: "fix", Agents: []string{"ok", "nobody"}}, work.NotFound},
	} {
		_, err := s.Start(t.Context(), s.project, tt.o)
		if work.CodeOf(err) != tt.code || work.Public(err).Next == "" {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	s.repo.Write(".offrun/project.yaml", s.repo.Read(".offrun/project.yaml")+"acceptance: [\"rm -rf ~\"]\n")
	_, err := s.Start(t.Context(), s.project, bench.StartOptions{Card: "fix", Agents: []string{"ok"}})
	if e := work.Public(err); e.Code != work.Untrusted || !strings.Contains(strings.Join(e.List, "\n"), "rm -rf ~") {
		t.Errorf("changed settings: %v, %q", err, e.List)
	}
	if _, err := os.Stat(filepath.Join(s.repo.Dir, "runs")); err == nil {
		t.Error("a refused start made a folder")
	}
	check()
}

// A card's questions are answered from the files when the database is gone.
func TestReindex(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "write=fake.txt result"})
	run := s.end(s.start("ok").ID)
	s.close()
	if err := os.Remove(config.Database(s.home)); err != nil {
		t.Fatal(err)
	}
	s.open()
	got, err := s.Run(t.Context(), run.ID)
	if err != nil || got.Attempt("ok").State() != work.Done || got.Baseline == nil {
		t.Errorf("after the database was deleted: %+v, %v", got.Summary(), err)
	}
	done, err := s.Reindex(t.Context())
	if err != nil || done.Projects != 1 || done.Runs != 1 || done.Attempts != 1 || len(done.Findings) != 0 {
		t.Errorf("reindex = %+v, %v", done, err)
	}
}

// F37: what an agent did on another branch lands only when a person says so.
func TestF37StrayedNeedsAWord(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "branch=other write=fake.txt add commit result"})
	run := s.end(s.start("ok").ID)
	if _, err := s.Land(t.Context(), run.ID, "ok", bench.LandOptions{}); work.CodeOf(err) != work.Conflict || !strings.Contains(work.Public(err).Next, "--strayed") {
		t.Errorf("land = %v", err)
	}
	if l, err := s.Land(t.Context(), run.ID, "ok", bench.LandOptions{Strayed: true}); err != nil || l.Files != 1 {
		t.Errorf("land --strayed = %+v, %v", l, err)
	}
}

// F32: a repository inside of a worktree is not thrown away unasked.
func TestCleanRefusesNestedRepository(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "nested result"})
	run := s.end(s.start("ok").ID)
	cs, err := s.Clean(t.Context(), bench.CleanOptions{Run: run.ID})
	if err != nil || len(cs) != 1 || !strings.Contains(cs[0].Refused, "nested") {
		t.Fatalf("clean = %+v, %v", cs, err)
	}
	cs, err = s.Clean(t.Context(), bench.CleanOptions{Run: run.ID, Accept: []string{"nested"}})
	if err != nil || len(cs) != 1 || cs[0].Refused != "" {
		t.Errorf("clean --accept nested = %+v, %v", cs, err)
	}
}

// The whole way: land, refuse to land twice, undo, clean.
func TestLandUndoClean(t *testing.T) {
	s := newShop(t, map[string]string{"ok": "write=fake.txt notes result"})
	run := s.end(s.start("ok").ID)
	s.repo.Write("mine.txt", "staged\n")
	s.repo.Git("add", "mine.txt")
	s.repo.Write("README.md", "unstaged\n")
	check := gittest.Invariants(t, s.repo.Dir, "index")

	l, err := s.Land(t.Context(), run.ID, "ok", bench.LandOptions{DryRun: true})
	if err != nil || l.At != nil || l.Commit != "" {
		t.Fatalf("dry run: %+v, %v", l, err)
	}
	check()
	if l, err = s.Land(t.Context(), run.ID, "ok", bench.LandOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := s.repo.Git("show", "--format=", "--name-only", l.Commit); strings.TrimSpace(got) != "fake.txt" {
		t.Errorf("F100: the landing holds %q", got)
	}
	if got := s.repo.Git("status", "--porcelain", "--untracked-files=no"); !strings.Contains(got, "A  mine.txt") || !strings.Contains(got, " M README.md") || strings.Contains(got, "fake.txt") {
		t.Errorf("F98, F100: status after landing:\n%s", got)
	}
	if _, err := s.Land(t.Context(), run.ID, "ok", bench.LandOptions{}); work.CodeOf(err) != work.Conflict || !strings.Contains(err.Error(), "already") {
		t.Errorf("landing twice: %v", err)
	}
	if u, err := s.Undo(t.Context(), s.project); err != nil || u.UndoneAt == nil {
		t.Errorf("undo = %+v, %v", u, err)
	}
	check()
	cs, err := s.Clean(t.Context(), bench.CleanOptions{Run: run.ID})
	if err != nil || len(cs) != 1 || cs[0].Refused != "" || cs[0].Archive == "" {
		t.Errorf("clean = %+v, %v", cs, err)
	}
	if _, err := os.Stat(run.Attempt("ok").Dir); !os.IsNotExist(err) {
		t.Errorf("the worktree is still there: %v", err)
	}
	if _, err := s.Send(t.Context(), run.ID, "ok", "more"); work.CodeOf(err) != work.Conflict {
		t.Errorf("a message for a cleaned attempt: %v", err)
	}
	check()
}
