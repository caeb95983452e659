package bench

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/git"
	"offrun/backend/project"
	"offrun/backend/work"
)

// errBlocked ends a walk without a failure: the attempt waits for the user, and
// the facts say for what.
var errBlocked = errors.New("waits for the user")

// walk takes an attempt from where its facts say it stands to where it waits for
// a person. Every step looks for the fact that it would write and does nothing
// if it is there, so a walk may be cut off anywhere and begun again.
func (j *job) walk() {
	ctx := j.ctx
	if err := j.sleep(ctx); err != nil {
		return // cancelled while it slept, or the bench ends
	}
	if err := j.openTurn(ctx); err != nil {
		return
	}
	release, err := j.slot(ctx)
	if err != nil {
		return // cancelled while it waited, which is a fact already, or the bench ends
	}
	defer release()
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"worktree", j.makeWorktree},
		{"files", j.bringFiles},
		{"setup", j.setUp},
		{"turn", j.takeTurns},
	} {
		if err := step.do(ctx); err != nil {
			j.stumble(ctx, step.name, err)
			return
		}
	}
}

// stumble tells a real failure from a walk that was cut off.
func (j *job) stumble(ctx context.Context, step string, err error) {
	var at *stepError
	switch {
	case errors.Is(err, errBlocked), j.bench.ctx.Err() != nil:
	case j.isCancelled() && errors.Is(err, context.Canceled):
	case errors.As(err, &at):
		j.fail(ctx, at.step, at.err)
	default:
		j.fail(ctx, step, err)
	}
}

// A stepError names the step of a turn that could not be taken.
type stepError struct {
	step string
	err  error
}

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }

// slot waits for the governor. An attempt that was under way when the last bench
// ended has its slot already.
func (j *job) slot(ctx context.Context) (release func(), err error) {
	a := j.attempt()
	if t := a.Turn(); a.PreparingAt != nil && (t.N == 1 || t.StartedAt != nil) {
		return j.bench.slots.Hold(), nil
	}
	if release, err = j.bench.slots.Take(ctx); err != nil {
		return nil, err
	}
	if a.PreparingAt == nil {
		now := j.bench.Now().UTC()
		err = j.fact(ctx, func(a *work.Attempt) { a.PreparingAt = &now })
	}
	return release, err
}

func (j *job) worktree() git.Worktree {
	a := j.attempt()
	return git.OpenWorktree(j.repo, a.Dir, a.GitDir)
}

// mark is what tells our worktrees and processes from everybody else's: this
// installation, the run, the attempt.
func (b *Bench) mark(run work.RunID, name work.AttemptName) string {
	return b.install + "/" + string(run) + "/" + string(name)
}

func (j *job) makeWorktree(ctx context.Context) error {
	a := j.attempt()
	if a.GitDir != "" {
		return nil
	}
	j.say("making its worktree")
	j.bench.making.Add(1)
	defer j.bench.making.Add(-1)
	o := git.WorktreeOptions{Path: a.Dir, Branch: a.Branch, Commit: j.run.Base, Mark: j.bench.mark(a.Run, a.Name)}
	if err := j.repo.ClearHalfMade(ctx, o); err != nil {
		return err
	}
	w, err := j.repo.AddWorktree(ctx, o)
	if err != nil {
		return err
	}
	return j.fact(ctx, func(a *work.Attempt) { a.GitDir = w.Admin })
}

func (j *job) bringFiles(ctx context.Context) error {
	if j.attempt().WorkspaceAt != nil {
		return nil
	}
	j.say("bringing files along")
	lines, err := project.Prepare(ctx, project.Prep{
		Repo: j.repo, To: j.attempt().Dir, Settings: j.run.Settings, Task: filepath.Join(archive.Run(j.repo.Dir, j.run.ID), "card.md"),
	})
	if err != nil {
		return err
	}
	now := j.bench.Now().UTC()
	return j.fact(ctx, func(a *work.Attempt) { a.Brought, a.WorkspaceAt = lines, &now })
}

func (j *job) setUp(ctx context.Context) error {
	a := j.attempt()
	if j.run.Settings.Setup == "" {
		return nil
	}
	if a.Setup == nil {
		j.say("setting up")
		dir := filepath.Join(j.folder(), "setup")
		exit, err := j.shell(ctx, dir, j.run.Settings.Setup, j.run.Settings.Limits.Setup.Duration())
		if err != nil {
			return err
		}
		if err := artifact.JoinOutput(filepath.Join(j.folder(), "setup.log"), dir); err != nil {
			return err
		}
		if err := j.fact(ctx, func(a *work.Attempt) { a.Setup = &exit }); err != nil {
			return err
		}
		a = j.attempt()
	}
	switch {
	case a.Setup.OK():
		return nil
	case a.Setup.Reason == work.Stopped:
		return context.Canceled
	}
	return work.Errorf(work.Conflict, "the setup command %q %s", j.run.Settings.Setup, howEnded(*a.Setup)).
		Do("Read setup.log, mend the setting, and start again with offrun retry.")
}

// takeTurns takes the open turn, and then every one that messages wait for.
func (j *job) takeTurns(ctx context.Context) error {
	for {
		a := j.attempt()
		if t := a.Turn(); t.EndedAt != nil {
			return nil // no message waits, or openTurn would have begun another
		}
		for _, step := range []struct {
			name string
			do   func(context.Context) error
		}{
			{"agent", j.runAgent},
			{"collect", j.collect},
			{"memory", j.absorb},
			{"tests", j.test},
			{"collect", j.endTurn},
		} {
			if err := step.do(ctx); err != nil {
				return &stepError{step.name, err}
			}
		}
		if err := j.openTurn(ctx); err != nil {
			return err
		}
	}
}

// openTurn begins a turn for the message that has waited longest, if the last
// turn is over.
func (j *job) openTurn(ctx context.Context) error {
	a := j.attempt()
	if t := a.Turn(); t.EndedAt == nil || len(a.Queue) == 0 || a.WakeAt != nil {
		return nil
	}
	now := j.bench.Now().UTC()
	return j.fact(ctx, func(a *work.Attempt) {
		j.cancelled = false // that was the turn before
		last := a.Turn()
		a.Turns = append(a.Turns, work.Turn{N: last.N + 1, Message: a.Queue[0], By: last.By, Session: last.Session, QueuedAt: now})
		a.Queue = a.Queue[1:]
		a.Failure, a.CancelledAt = nil, nil
	})
}

// endTurn puts the turn's files where people look for them and closes it. If
// another turn takes up its message, that is written in the same instant.
func (j *job) endTurn(ctx context.Context) error {
	a := j.attempt()
	if err := artifact.Publish(j.folder(), a.Turn().N); err != nil {
		return err
	}
	now := j.bench.Now().UTC()
	next := j.onward(a)
	return j.fact(ctx, func(a *work.Attempt) {
		a.Turn().EndedAt = &now
		if next != nil {
			next(a)
		}
	})
}

// launch begins to work on an attempt. The caller holds b.mu and has seen that
// nobody works on it.
func (b *Bench) launch(run work.Run, repo git.Repo, a work.Attempt) (*job, error) {
	ag, err := b.agentOf(run, a.Agent)
	if err != nil {
		return nil, err
	}
	b.learn(run.Settings.Agents)
	run.Attempts = nil
	j := &job{bench: b, run: run, repo: repo, agent: ag, a: clone(a), done: make(chan struct{}), started: make(chan struct{}), woken: make(chan struct{}, 1)}
	j.ctx, j.cancel = context.WithCancel(b.ctx)
	j.cancelled = a.CancelledAt != nil
	key := jobKey{run.ID, a.Name}
	b.jobs[key] = j
	b.wg.Go(func() {
		defer func() { j.cancel() }()
		for again := true; again; again = !b.forget(key, j) {
			j.walk()
		}
		j.begin()
		close(j.done)
		b.runMayHaveEnded(b.ctx, run.Project, run.ID)
	})
	return j, nil
}

// forget ends a job, unless a message has come for it meanwhile.
func (b *Bench) forget(key jobKey, j *job) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := j.attempt()
	if t := a.Turn(); t.EndedAt != nil && (len(a.Queue) > 0 || a.WakeAt != nil) && b.ctx.Err() == nil {
		j.renew() // a message came after it was cancelled
		return false
	}
	delete(b.jobs, key)
	return true
}

// renew makes a job that was cancelled ready for another walk.
func (j *job) renew() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx.Err() != nil {
		j.ctx, j.cancel = context.WithCancel(j.bench.ctx)
	}
}

// begin tells who waits for it that the agent has started, or never will.
func (j *job) begin() { j.once.Do(func() { close(j.started) }) }

// runMayHaveEnded announces the end of a run when its last attempt is final.
func (b *Bench) runMayHaveEnded(ctx context.Context, project work.ProjectID, id work.RunID) {
	if ctx.Err() != nil || len(b.working(id)) > 0 {
		return
	}
	run, err := b.db.Run(ctx, project, id)
	if err != nil || !run.Final() {
		return // a blocked attempt ends the walk, not the run
	}
	b.tell(ctx, work.Event{Kind: work.RunEnded, Project: run.Project, Run: id})
}

// howEnded says in words how a command ended.
func howEnded(e work.Exit) string {
	switch {
	case e.Reason == work.NotStarted:
		return "could not be started: " + e.Text
	case e.Reason == work.TimedOut:
		return "did not end within " + e.EndedAt.Sub(e.StartedAt).Round(time.Second).String()
	case e.Reason != work.Exited:
		return "ended early: " + string(e.Reason)
	case e.Signal != "":
		return "was ended by a signal: " + e.Signal
	}
	return "ended with exit status " + itoa(e.Code)
}
