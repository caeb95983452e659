package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"offrun/backend/ops"
	"offrun/backend/project"
	"offrun/backend/work"
)

const (
	archivedRuns = 1000
	listPairs    = 15
)

// runList measures offrun ps where many runs have been, with and without a bench
// that answers.
func runList(ctx context.Context, l *lab) (_ []Measurement, err error) {
	const home = "home-list"
	dir := l.path("archive")
	if err := makeRepository(ctx, dir, 10); err != nil {
		return nil, err
	}
	if err := archive(dir); err != nil {
		return nil, err
	}
	d, err := l.open(ctx, home)
	if err != nil {
		return nil, err
	}
	defer func() {
		if d != nil {
			err = errors.Join(err, d.close())
		}
	}()
	if _, err := l.add(ctx, d, dir, ""); err != nil {
		return nil, err
	}
	known, err := ops.BenchReindex.Ask(ctx, d, ops.None{})
	if err == nil && known.Runs != archivedRuns {
		err = fmt.Errorf("%d runs are known, not %d: %v", known.Runs, archivedRuns, known.Findings)
	}
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("offrun ps on %d archived runs, ", archivedRuns)
	asked, err := l.list(ctx, home, name+"a bench answers", 20)
	if err != nil {
		return nil, err
	}
	err, d = d.close(), nil
	if err != nil {
		return nil, err
	}
	alone, err := l.list(ctx, home, name+"no bench runs", 20)
	if err != nil {
		return nil, err
	}
	all, err := l.list(ctx, home, strings.Replace(name, "ps", "ps --all", 1)+"no bench runs", archivedRuns, "--all")
	all.Bar, all.OK = nil, true // the bar is for what people type
	return []Measurement{alone, asked, all}, err
}

// list times offrun ps, of which so many runs are expected, against offrun version.
func (l *lab) list(ctx context.Context, home, name string, runs int, args ...string) (Measurement, error) {
	env := l.environ(home)
	var ours, plain []time.Duration
	err := inTurns(listPairs, nil, func() error {
		out, c, err := typed(ctx, l.dir, env, append([]string{l.offrun, "ps"}, args...)...)
		if n := strings.Count(out, "\n") - 1; err == nil && n != runs {
			err = fmt.Errorf("ps printed %d runs, not %d", n, runs)
		}
		ours = append(ours, c.wall)
		return err
	}, func() error {
		_, c, err := typed(ctx, l.dir, env, l.offrun, "version")
		plain = append(plain, c.wall)
		return err
	})
	return measure(name, milliseconds(median(ours)), "ms").against(milliseconds(median(plain))).within(3), err
}

// archive writes runs of three attempts each into dir, as finished ones lie there.
func archive(dir string) error {
	first := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	for i := range archivedRuns {
		at := first.Add(time.Duration(i) * time.Hour)
		r := work.Run{
			ID: work.RunID(at.Format("20060102-150405")), Trunk: "main", Base: strings.Repeat("b", 40), StartedAt: at,
			Settings: project.Defaults(), Commands: []string{"go test ./..."}, Baseline: &work.Tests{Status: work.Pass},
			Card: work.Card{ID: "do", File: "tasks/do.md", Title: "Do something", Text: "# Task: do something\n" + strings.Repeat("More about it.\n", 100)},
		}
		folder := filepath.Join(dir, "runs", string(r.ID))
		for _, agent := range []work.AgentID{"claude", "codex", "mine"} {
			if err := writeJSON(filepath.Join(folder, string(agent), "attempt.json"), finished(r, agent)); err != nil {
				return err
			}
		}
		if err := writeJSON(filepath.Join(folder, "run.json"), r); err != nil {
			return err
		}
	}
	return nil
}

// finished is an attempt of r that has changed ten files and passed.
func finished(r work.Run, agent work.AgentID) work.Attempt {
	at := r.StartedAt.Add(10 * time.Minute)
	result := &work.Result{FullTree: r.Base, Tree: r.Base, Commit: r.Base, Branch: "run/do", Files: 10, Added: 100, Deleted: 10}
	for i := range result.Files {
		result.Changes = append(result.Changes, work.Change{Path: pathOf(i), Status: "changed", Old: r.Base, New: r.Base, Added: 10, Deleted: 1})
	}
	return work.Attempt{
		Run: r.ID, Name: work.AttemptName(agent), Agent: agent, Dir: "/worktree", Branch: "run/do", QueuedAt: r.StartedAt, WorkspaceAt: &r.StartedAt,
		Turns: []work.Turn{{
			N: 1, QueuedAt: r.StartedAt, StartedAt: &r.StartedAt, EndedAt: &at, Class: work.ClassOK,
			Agent: &work.Exit{StartedAt: r.StartedAt, EndedAt: at, Reason: work.Exited}, Result: result, Tests: &work.Tests{Status: work.Pass},
		}},
	}
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}
