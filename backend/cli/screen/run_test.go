package screen

import (
	"testing"
	"time"

	"offrun/backend/work"
)

func TestRun(t *testing.T) {
	utc(t)
	run := watched()
	run.Project, run.Trunk, run.Base, run.StartedAt = "shop", "main", "0123456789abcdef", began
	run.Card.File, run.Warnings = "tasks/login.md", []string{"2 uncommitted files"}
	run.Baseline = &work.Tests{Status: work.Fail}
	a := &run.Attempts[3]
	a.Dir, a.Branch, a.Model = "/shop/.worktrees/x", "run/x", "opus"
	a.Touched = []work.Touch{{What: "hooks", Name: "post-checkout", Change: "added", Danger: true}}
	a.Landing = &work.Landing{Commit: "fedcba9876543210", Trunk: "main"}
	a.Queue = []string{"And\nthen?"}
	for name, out := range map[string]Output{"pipe": pipe, "wide": wide} {
		golden(t, "run-"+name, Run(run, out))
	}
	cancelled := work.Attempt{Name: "mine-2", CancelledAt: after(0), Turns: []work.Turn{{N: 1, StartedAt: after(0), Why: `1 waiting message not sent: "And\nthen?"`}}}
	run.Attempts = append(run.Attempts, cancelled)
	cancelled.Name, cancelled.Turns = "mine-3", []work.Turn{{N: 1, StartedAt: after(0), EndedAt: after(time.Second), Class: work.ClassCancelled, Why: "cancelled"}}
	run.Attempts = append(run.Attempts, cancelled)
	golden(t, "run-states", States(run))
}

func TestRuns(t *testing.T) {
	runs := []work.RunSummary{
		{ID: "20260102-030405", Project: "shop", Card: "登录", StartedAt: began, Attempts: []work.AttemptSummary{
			{Name: "claude", State: work.Done, Tests: work.Pass, Files: 1, Landed: true}, {Name: "codex", State: work.Done, Tests: work.Pass, Files: 1},
			{Name: "mine", State: work.Done, Tests: work.Fail, Files: 1}, {Name: "mine-2", State: work.Done}, {Name: "mine-3", State: work.Running},
		}},
		{ID: "20260101-000000", Project: "a-long-name", Card: "x", StartedAt: began.Add(-30 * time.Hour)},
	}
	for name, out := range map[string]Output{"pipe": pipe, "wide": wide, "narrow": narrow} {
		golden(t, "runs-"+name, Runs(runs, began.Add(90*time.Second), out))
	}
	golden(t, "runs-none", Runs(nil, began, pipe))
}

func TestPlan(t *testing.T) {
	c := work.CardState{Card: work.Card{File: "tasks/x.md", Commands: []string{"npm test", "sh \x1b[2Jtest.sh"}}}
	for range 5 {
		c.Warnings = append(c.Warnings, work.CardWarning{Text: "no section Goal"})
	}
	golden(t, "plan", Plan(c, work.Settings{Setup: "npm ci", Acceptance: []string{"npm test"}}, pipe))
}
