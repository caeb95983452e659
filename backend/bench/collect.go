package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/git"
	"offrun/backend/work"
)

// collect takes what the agent left in the worktree and writes it down as
// artifacts. Before any git of ours looks into the worktree, the shared
// configuration is compared: a change that makes git run programs stops here.
func (j *job) collect(ctx context.Context) error {
	a := j.attempt()
	if a.Turn().Result != nil {
		return nil
	}
	j.say("collecting")
	if !folderExists(a.Dir) {
		return work.Errorf(work.Conflict, "the worktree %s is gone: the agent, or somebody, removed it", a.Dir).Do("offrun retry starts afresh.")
	}
	if err := j.inspect(ctx); err != nil {
		return err
	}
	// The seal comes first: what changes while we collect must not look collected.
	seen, err := j.worktree().Survey(ctx)
	if err != nil {
		return err
	}
	result, err := artifact.Collect(ctx, artifact.In{
		Repo: j.repo, Worktree: j.worktree(), Base: j.run.Base, Branch: a.Branch,
		Dir: archive.Turn(j.folder(), a.Turn().N), Turn: a.Turn().N, Run: a.Run, Attempt: a.Name,
		Notes: j.run.Settings.Notes, Brought: a.Brought, Asked: a.Turn().Asked,
		Elsewhere: slices.ContainsFunc(a.Touched, func(t work.Touch) bool { return t.What == "file" }),
	})
	if err != nil {
		return err
	}
	result.Seal = seen.Seal
	return j.turn(ctx, func(t *work.Turn) { t.Result = &result })
}

// inspect records what changed outside the worktree since the run started, and
// stops the walk if git can no longer be trusted there.
func (j *job) inspect(ctx context.Context) error {
	touched, err := j.bench.touches(ctx, j.repo, j.run.ID)
	if err != nil {
		return err
	}
	if err := j.worktree().PointerIntact(); err != nil {
		touched = append(touched, work.Touch{What: "pointer", Name: ".git", Change: "changed"})
	}
	var danger []string
	for _, t := range touched {
		if t.Danger {
			danger = append(danger, strings.TrimSpace(t.What+" "+t.Name))
		}
	}
	blocked := ""
	if len(danger) > 0 {
		blocked = fmt.Sprintf("the shared git configuration was changed while it ran, and git would run programs because of it: %s. "+
			"If that was not you: offrun repair %s", strings.Join(danger, ", "), j.run.ID)
	}
	err = j.fact(ctx, func(a *work.Attempt) {
		a.Touched = union(a.Touched, touched)
		a.Turn().Blocked = blocked
	})
	if err == nil && blocked != "" {
		err = errBlocked
	}
	return err
}

// touches compares the shared part of a repository with what it was when run
// started. The configuration comes first: only where it is harmless may git look
// at the rest.
func (b *Bench) touches(ctx context.Context, repo git.Repo, run work.RunID) ([]work.Touch, error) {
	var before git.Fingerprint
	if err := archive.Load(archive.Before(repo.Dir, run), &before); err != nil {
		return nil, err
	}
	shared, err := repo.SharedFingerprint(ctx)
	if err != nil {
		return nil, err
	}
	touched := before.Changed(shared)
	if git.Dangerous(touched) {
		return touched, nil
	}
	now, err := repo.Fingerprint(ctx)
	if err != nil {
		return nil, err
	}
	return before.Changed(now), nil
}

// union adds what is new in more to old.
func union(old, more []work.Touch) []work.Touch {
	for _, t := range more {
		if !slices.Contains(old, t) {
			old = append(old, t)
		}
	}
	return old
}

// test runs the acceptance commands in the attempt's worktree, after its result
// was taken, so that what tests leave behind is not counted as the agent's work.
func (j *job) test(ctx context.Context) error {
	a := j.attempt()
	t := a.Turn()
	if t.Tests != nil {
		return nil
	}
	var tests work.Tests
	switch {
	case j.onward(a) != nil:
		tests = work.Tests{Status: work.DidNotRun, Exit: -1, Text: "it ended before it was done"}
	case t.Result.Files == 0 && t.Class != work.ClassOK, t.Class == work.ClassCancelled:
		tests = work.Tests{Status: work.DidNotRun, Exit: -1, Text: "the attempt ended without a result"}
	default:
		var err error
		dir := filepath.Join(archive.Turn(j.folder(), t.N), "tests")
		if tests, err = j.accept(ctx, dir, a.Dir, j.bench.mark(a.Run, a.Name)); err != nil {
			return err
		}
		if err := artifact.ComposeTests(filepath.Join(filepath.Dir(dir), artifact.Tests), dir, j.run.Commands); err != nil {
			return err
		}
	}
	return j.turn(ctx, func(t *work.Turn) { t.Tests = &tests })
}

// accept runs every acceptance command in the folder in, each under a
// supervisor with its files in dir/<n>, and says what they said together.
func (j *job) accept(ctx context.Context, dir, in, mark string) (work.Tests, error) {
	tests := work.Tests{Status: work.Pass}
	if len(j.run.Commands) == 0 {
		return work.Tests{Status: work.DidNotRun, Exit: -1, Text: "there is no acceptance command in the card or in .offrun/project.yaml"}, nil
	}
	var took time.Duration
	for i, line := range j.run.Commands {
		j.say("testing: " + line)
		n := itoa(i + 1)
		exit, err := j.shellIn(ctx, filepath.Join(dir, n), in, line, mark+"/tests-"+n, j.run.Settings.Limits.Acceptance.Duration())
		if err != nil {
			return tests, err
		}
		took += exit.EndedAt.Sub(exit.StartedAt)
		if exit.OK() || tests.Status != work.Pass {
			continue
		}
		tests.Status, tests.Exit, tests.Text = work.Fail, exit.Code, line+": "+howEnded(exit)
		if exit.Reason == work.NotStarted || exit.Reason == work.Lost || exit.Reason == work.Stopped || notFound(exit) {
			tests.Status = work.DidNotRun
		}
	}
	tests.Took = work.SecondsOf(took)
	return tests, nil
}

// notFound reports whether the shell said that there is no such program, or that
// it may not be run: the tests have not failed, they have not run.
func notFound(e work.Exit) bool {
	return e.Reason == work.Exited && (e.Code == 127 || e.Code == 126)
}
