package bench_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"offrun/backend/agent/agenttest/fake"
	"offrun/backend/bench"
	"offrun/backend/config"
	"offrun/backend/git/gittest"
	"offrun/backend/proc"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

// The test binary is also the supervisor, the fake agent, and the bench that
// kill_test.go kills.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "supervise":
			os.Exit(supervise.Main(context.Background(), os.Args[2], os.Environ()))
		case "fake-agent":
			os.Exit(fake.Main(os.Args[2:]))
		case "victim":
			victim(os.Args[2])
		}
	}
	goleak.VerifyTestMain(m)
}

func self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func options(t testing.TB, home string) bench.Options {
	return bench.Options{Home: home, Self: []string{self(t)}, Version: "test"}
}

// A shop is a bench with one project in it.
type shop struct {
	*bench.Bench
	t       testing.TB
	repo    *gittest.Repo
	home    string
	project work.ProjectID
}

// newShop opens a bench on a repository whose settings hold one fake agent for
// each of steps, by name. The card's acceptance command is sh test.sh, which
// passes if broken.txt is not there.
func newShop(t testing.TB, steps map[string]string, settings ...string) *shop {
	t.Helper()
	gittest.Home(t)
	t.Setenv("SHELL", "") // no login shell is asked
	r := gittest.New(t)
	r.Git("config", "commit.gpgSign", "false") // the weird user's gpg is dead; signing has tests of its own
	r.Write("test.sh", "test ! -e broken.txt\n")
	r.Write(".gitignore", "ignored/\n.env\n")
	r.Commit("tests")
	r.Write(".env", "SECRET=1\n")
	r.Write("tasks/fix.md", "# Task: Fix it\n\n## Goal\nIt works.\n\n## Acceptance criteria\n- `sh test.sh`\n\n## Allowed scope\n- fake.txt\n")
	yaml := "trunk: " + strings.TrimSpace(r.Git("branch", "--show-current")) + "\n" + strings.Join(settings, "\n") + "\nagents:\n"
	for _, id := range slices.Sorted(maps.Keys(steps)) {
		yaml += fmt.Sprintf("  - id: %s\n    cmd: [%q, \"fake-agent\", \"--task\", \"{{task_file}}\", \"--session-id\", \"{{session_id}}\"]\n"+
			"    resume: [%q, \"fake-agent\", \"--resume\", \"{{session_id}}\", \"{{prompt}}\"]\n"+
			"    output: claude\n    env: {FAKE: %q}\n", id, self(t), self(t), steps[id])
	}
	r.Write(".offrun/project.yaml", yaml)
	s := &shop{t: t, repo: r, home: filepath.Join(t.TempDir(), "data")}
	s.open()
	state, err := s.AddProject(t.Context(), r.Dir, true)
	if err != nil {
		t.Fatal(err)
	}
	s.project = state.Project.ID
	return s
}

// open opens the bench, and closes it at the end of the test if it is still open.
func (s *shop) open() {
	s.t.Helper()
	b, err := bench.Open(context.WithoutCancel(s.t.Context()), options(s.t, s.home))
	if err != nil {
		s.t.Fatal(err)
	}
	s.Bench = b
	s.t.Cleanup(func() {
		if s.Bench == b {
			s.close()
		}
	})
}

func (s *shop) close() {
	s.t.Helper()
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
	s.Bench = nil
}

// start starts the card with agents.
func (s *shop) start(agents ...string) work.Run {
	s.t.Helper()
	run, err := s.Start(s.t.Context(), s.project, bench.StartOptions{Card: "fix", Agents: agents})
	if err != nil {
		s.t.Fatal(err)
	}
	return run
}

// patience is how long a test waits for what must come; a machine may be slow.
const patience = 2 * time.Minute

// until waits until ok says so of the run.
func (s *shop) until(id work.RunID, what string, ok func(work.Run) bool) work.Run {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	seq := int64(0)
	for {
		run, err := s.Run(s.t.Context(), id)
		if err != nil {
			s.t.Fatal(err)
		}
		if ok(run) {
			return run
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("run %s is never %s: %+v", id, what, run.Summary())
		}
		page, err := s.Events(s.t.Context(), seq, time.Second, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		seq = page.Last
	}
}

// end waits until nothing works on the run any more, its baseline included.
func (s *shop) end(id work.RunID) work.Run {
	s.t.Helper()
	return s.until(id, "over", func(r work.Run) bool {
		return r.Baseline != nil && s.Working() == 0 && r.Final()
	})
}

// nothingLeft fails the test if a process that bears the bench's mark lives.
func (s *shop) nothingLeft() {
	s.t.Helper()
	id, err := config.InstallID(s.home)
	if err != nil {
		s.t.Fatal(err)
	}
	found, err := proc.Marked(id)
	if err != nil || len(found) > 0 {
		s.t.Errorf("left behind: %v, %v", found, err)
	}
}

func (s *shop) artifact(run work.RunID, attempt work.AttemptName, name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.repo.Dir, "runs", string(run), string(attempt), name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}
