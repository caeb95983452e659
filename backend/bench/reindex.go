package bench

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/archive"
	"offrun/backend/config"
	"offrun/backend/work"
)

// Reindex rebuilds the database from the files: projects.yaml, and run.json and
// attempt.json under runs/ of each project. The event history begins anew.
func (b *Bench) Reindex(ctx context.Context) (work.Reindexed, error) {
	if n := b.Working(); n > 0 {
		return work.Reindexed{}, work.Errorf(work.Busy, "%s at work", english.Plural(n, "attempt is", "attempts are")).Do("Wait for them, or cancel their runs.")
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
	if err := b.learnRests(runs); err != nil {
		return done, err
	}
	return done, b.feed.Reset(ctx, ps, slices.Values(runs))
}

// readRuns reads every run of a project, and says which could not be read.
func readRuns(p work.Project) (runs []work.Run, bad []work.Finding) {
	ids, err := archive.Runs(p.Path)
	if err != nil {
		bad = append(bad, work.Finding{Check: "project " + string(p.ID), Level: work.Problem, Text: err.Error(), Next: "Make the folder readable."})
	}
	for _, id := range ids {
		run, err := archive.LoadRun(p.Path, id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			bad = append(bad, unreadable(p.Path, id, err))
		default:
			run.Project = p.ID
			runs = append(runs, run)
		}
	}
	return runs, bad
}

// unreadable is what doctor and reindex say of a run whose files are damaged.
func unreadable(root string, id work.RunID, err error) work.Finding {
	return work.Finding{
		Check: "run " + string(id), Level: work.Problem, File: archive.Run(root, id),
		Text: "its files cannot be read: " + err.Error(), Next: "Restore the file from a backup, or delete the folder.",
	}
}

// indexMissing takes in runs whose files are whole and which the database does
// not know: the last bench was killed between the two.
func (b *Bench) indexMissing(ctx context.Context, p work.Project) error {
	ids, err := archive.Runs(p.Path)
	if err != nil {
		return err
	}
	known, err := b.Runs(ctx, RunFilter{Project: p.ID})
	if err != nil {
		return err
	}
	have := map[work.RunID]bool{}
	for _, r := range known {
		have[r.ID] = true
	}
	for _, id := range ids {
		if have[id] {
			continue
		}
		run, err := archive.LoadRun(p.Path, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			b.Log.Error("run not indexed", "run", id, "err", err)
			continue
		}
		run.Project = p.ID
		if err := b.index(ctx, run); err != nil {
			return err
		}
	}
	return nil
}
