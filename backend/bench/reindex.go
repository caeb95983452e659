package bench

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"offrun/backend/config"
	"offrun/backend/work"
)

// Reindex rebuilds the database from the files: projects.yaml, and run.json and
// attempt.json under runs/ of each project. The event history begins anew.
func (b *Bench) Reindex(ctx context.Context) (work.Reindexed, error) {
	if n := b.Working(); n > 0 {
		return work.Reindexed{}, work.Errorf(work.Busy, "%d attempts are working", n).Do("Wait for them, or cancel their runs.")
	}
	return b.reindex(ctx)
}

func (b *Bench) reindex(ctx context.Context) (work.Reindexed, error) {
	ps, err := config.Projects(b.Home)
	if err != nil {
		return work.Reindexed{}, err
	}
	done := work.Reindexed{Projects: len(ps)}
	var runs []work.Run
	for _, p := range ps {
		found, bad := readRuns(p)
		runs = append(runs, found...)
		done.Findings = append(done.Findings, bad...)
	}
	done.Runs = len(runs)
	for _, r := range runs {
		done.Attempts += len(r.Attempts)
	}
	return done, b.feed.Reset(ctx, ps, slices.Values(runs))
}

// readRuns reads every run of a project, and says which could not be read.
func readRuns(p work.Project) (runs []work.Run, bad []work.Finding) {
	entries, err := os.ReadDir(filepath.Join(p.Path, "runs"))
	if err != nil {
		if !os.IsNotExist(err) {
			bad = append(bad, work.Finding{Check: "project " + string(p.ID), Level: work.Problem, Text: err.Error(), Next: "Make the folder readable."})
		}
		return nil, bad
	}
	for _, e := range entries {
		run, err := readRun(p.Path, work.RunID(e.Name()))
		switch {
		case os.IsNotExist(err), !e.IsDir():
		case err != nil:
			bad = append(bad, work.Finding{Check: "run " + e.Name(), Level: work.Problem, Text: err.Error(), Next: "Restore the file from a backup, or delete the folder.", File: filepath.Join(p.Path, "runs", e.Name())})
		default:
			run.Project = p.ID
			runs = append(runs, run)
		}
	}
	return runs, bad
}

// indexMissing takes in runs whose files are whole and which the database does
// not know: the last bench was killed between the two.
func (b *Bench) indexMissing(ctx context.Context, p work.Project) error {
	entries, err := os.ReadDir(filepath.Join(p.Path, "runs"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	known, err := b.Runs(ctx, RunFilter{Project: p.ID})
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, r := range known {
		have[string(r.ID)] = true
	}
	for _, e := range entries {
		if have[e.Name()] || !e.IsDir() || !fileExists(filepath.Join(p.Path, "runs", e.Name(), "run.json")) {
			continue
		}
		run, err := readRun(p.Path, work.RunID(e.Name()))
		if err != nil {
			b.Log.Error("run not indexed", "run", e.Name(), "err", err)
			continue
		}
		run.Project = p.ID
		if err := b.index(ctx, run); err != nil {
			return err
		}
	}
	return nil
}
