package bench

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/git"
	"offrun/backend/project"
	"offrun/backend/work"
)

// baseline finds out what the acceptance commands say on the run's base commit:
// once for each commit and list of commands, in a worktree of its own, and only
// when the run's agents are on their way, which it must not hold up.
func (b *Bench) baseline(ctx context.Context, run work.Run, repo git.Repo, jobs []*job) {
	for _, j := range jobs {
		select {
		case <-j.started:
		case <-j.done:
		case <-ctx.Done():
			return
		}
	}
	one := b.oneBaseline(run.Project)
	one.Lock()
	defer one.Unlock()
	tests, err := b.baselineOf(ctx, run, repo)
	if err == nil && tests.Exit >= 0 {
		err = b.db.PutBaseline(ctx, run.Project, run.Base, run.Commands, tests)
	}
	if ctx.Err() != nil {
		return // the next bench does it
	}
	if err != nil {
		b.Log.Error("baseline", "run", run.ID, "err", err)
		tests = work.Tests{Status: work.DidNotRun, Exit: -1, Text: work.Public(err).Msg}
	}
	if err := b.setBaseline(ctx, run, repo.Dir, tests); err != nil {
		b.Log.Error("baseline not written", "run", run.ID, "err", err)
	}
}

func (b *Bench) oneBaseline(p work.ProjectID) *sync.Mutex {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bases[string(p)] == nil {
		b.bases[string(p)] = &sync.Mutex{}
	}
	return b.bases[string(p)]
}

func (b *Bench) setBaseline(ctx context.Context, run work.Run, root string, tests work.Tests) error {
	run.Baseline, run.Attempts = &tests, nil
	if err := archive.PutRun(root, run); err != nil {
		return err
	}
	return b.feed.PutRun(ctx, run, work.Event{
		At: b.Now().UTC(), Kind: work.AttemptChanged, Project: run.Project, Run: run.ID, Text: "baseline: " + string(tests.Status),
	})
}

func (b *Bench) baselineOf(ctx context.Context, run work.Run, repo git.Repo) (work.Tests, error) {
	if len(run.Commands) == 0 {
		return work.Tests{Status: work.DidNotRun, Exit: -1, Text: "there is no acceptance command"}, nil
	}
	if known, ok, err := b.db.Baseline(ctx, run.Project, run.Base, run.Commands); err != nil || ok {
		return known, err
	}
	// The folder is named after what is tested, so that a baseline that another
	// bench began is found again, and its commands are not run twice.
	dir := filepath.Join(archive.Run(repo.Dir, run.ID), "baseline")
	o := git.WorktreeOptions{
		Path:   filepath.Join(repo.Dir, ".worktrees", string(run.Card.ID)+"-baseline-"+string(run.ID)),
		Commit: run.Base, Mark: b.mark(run.ID, "baseline"),
	}
	w, err := b.baselineWorktree(ctx, dir, repo, o)
	if err != nil {
		return work.Tests{}, err
	}
	if _, err := project.Prepare(ctx, project.Prep{Repo: repo, To: w.Path, Settings: run.Settings}); err != nil {
		return work.Tests{}, err
	}
	j := &job{bench: b, run: run, repo: repo, a: work.Attempt{Run: run.ID, Name: "baseline", Dir: w.Path}}
	if run.Settings.Setup != "" {
		exit, err := j.shell(ctx, filepath.Join(dir, "setup"), run.Settings.Setup, run.Settings.Limits.Setup.Duration())
		if err != nil {
			return work.Tests{}, err
		}
		if !exit.OK() {
			return work.Tests{Status: work.DidNotRun, Exit: exit.Code, Text: "the setup command " + howEnded(exit)}, b.dropBaseline(ctx, repo, w, o.Mark)
		}
	}
	tests, err := j.accept(ctx, dir, w.Path, o.Mark)
	if err != nil {
		return tests, err
	}
	if err := artifact.ComposeTests(filepath.Join(dir, artifact.Tests), dir, run.Commands); err != nil {
		return tests, err
	}
	return tests, b.dropBaseline(ctx, repo, w, o.Mark)
}

// baselineWorktree makes the worktree, or finds the one that an earlier bench
// made: its admin directory is written down as soon as it is known.
func (b *Bench) baselineWorktree(ctx context.Context, dir string, repo git.Repo, o git.WorktreeOptions) (git.Worktree, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return git.Worktree{}, err
	}
	file := filepath.Join(dir, "git_dir")
	if admin, err := os.ReadFile(file); err == nil {
		return git.OpenWorktree(repo, o.Path, string(admin)), nil
	}
	if err := repo.ClearHalfMade(ctx, o); err != nil {
		return git.Worktree{}, err
	}
	w, err := repo.AddWorktree(ctx, o)
	if err != nil {
		return w, err
	}
	return w, os.WriteFile(file, []byte(w.Admin), 0o644)
}

func (b *Bench) dropBaseline(ctx context.Context, repo git.Repo, w git.Worktree, mark string) error {
	if _, err := os.Stat(w.Path); os.IsNotExist(err) {
		return nil // an earlier bench was ended between the removal and its record
	}
	_, err := repo.RemoveWorktree(ctx, w, git.RemoveOptions{Mark: mark})
	return err
}
