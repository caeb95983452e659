package bench

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/archive"
	"offrun/backend/git"
	"offrun/backend/store"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

// Cancel cancels attempts of a run, or all of them. What an agent did until then
// is collected and kept. Attempts that are final stay as they are.
func (b *Bench) Cancel(ctx context.Context, id work.RunID, names []work.AttemptName) (work.Run, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return run, err
	}
	for _, name := range names {
		if _, _, _, err := b.find(ctx, run.ID, name); err != nil {
			return run, err
		}
	}
	for _, j := range b.working(run.ID) {
		if len(names) == 0 || slices.Contains(names, j.a.Name) {
			if err := j.stop(ctx); err != nil {
				return run, err
			}
		}
	}
	return b.Run(ctx, run.ID)
}

// stop cancels a job: the fact comes first, so that a bench that ends now does
// not bring the attempt back to life.
func (j *job) stop(ctx context.Context) error {
	now := j.bench.Now().UTC()
	err := j.fact(ctx, func(a *work.Attempt) {
		if t := a.Turn(); len(a.Queue) > 0 {
			t.Why = because(t.Why, notSent(a.Queue))
		}
		a.CancelledAt, a.Queue, a.WakeAt = &now, nil, nil
	})
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.cancelled = true
	j.mu.Unlock()
	a := j.attempt()
	if t := a.Turn(); t.StartedAt == nil || t.EndedAt != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.cancel() // nothing runs but our own preparation; a setup command is stopped by its look
		return nil
	}
	err = supervise.Stop(archive.Turn(j.folder(), a.Turn().N), work.Stopped)
	if err != nil && a.Turn().Agent != nil {
		err = nil // the agent has ended already; what is left is ours to finish
	}
	return err
}

// notSent names the messages that an attempt does not get any more.
func notSent(messages []string) string {
	quoted := make([]string, len(messages))
	for i, m := range messages {
		quoted[i] = strconv.Quote(m)
	}
	return english.Plural(len(messages), "waiting message", "") + " not sent: " + strings.Join(quoted, ", ")
}

// because joins two reasons, either of which may be "".
func because(why, more string) string {
	return strings.TrimPrefix(strings.TrimSuffix(why+"; "+more, "; "), "; ")
}

// Retry lets the same agent try again: a fresh attempt of the same run, from the
// same base.
func (b *Bench) Retry(ctx context.Context, id work.RunID, name work.AttemptName) (work.Attempt, error) {
	run, old, repo, err := b.find(ctx, id, name)
	if err != nil {
		return work.Attempt{}, err
	}
	if !old.State().Final() {
		return work.Attempt{}, work.Errorf(work.Busy, "attempt %s of run %s is still %s", name, run.ID, old.State()).
			Do("Cancel it first, or send it a message.")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if run, err = b.db.Run(ctx, run.Project, run.ID); err != nil { // anew: another retry may have come first
		return work.Attempt{}, err
	}
	a := work.Attempt{Agent: old.Agent, Model: old.Model, Simulated: old.Simulated}
	for n := 1; a.Name == "" || run.Attempt(a.Name) != nil; n++ {
		a.Name = attemptName(a.Agent, n)
	}
	b.name(repo, run, &a)
	if err := b.lookAgain(ctx, repo, run.ID); err != nil {
		return a, err
	}
	if err := b.put(ctx, run, repo, a); err != nil {
		return a, err
	}
	_, err = b.launch(run, repo, a)
	return a, err
}

// put writes an attempt that nobody works on: the file first, then the database.
func (b *Bench) put(ctx context.Context, run work.Run, repo git.Repo, a work.Attempt) error {
	if err := archive.PutAttempt(repo.Dir, a); err != nil {
		return err
	}
	return b.feed.PutAttempt(ctx, run.Project, a)
}

// Send gives an attempt another message. It starts a turn at once, or when the
// present one ends.
func (b *Bench) Send(ctx context.Context, id work.RunID, name work.AttemptName, message string) (work.Attempt, error) {
	run, a, repo, err := b.find(ctx, id, name)
	if err != nil {
		return work.Attempt{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	j := b.jobs[jobKey{run.ID, name}]
	if j == nil {
		if err := canGoOn(*a); err != nil {
			return *a, err
		}
		a.Queue = append(a.Queue, message)
		return b.goOn(ctx, run, repo, *a)
	}
	if err := j.fact(ctx, func(a *work.Attempt) { a.Queue = append(a.Queue, message) }); err != nil {
		return *a, err
	}
	return j.attempt(), nil
}

// lookAgain takes a new photograph of the shared part before a run that rests
// goes on: what the user did meanwhile is not an agent's doing. While attempts of
// the run work, and where git could no longer be trusted, the old one stays. The
// caller holds b.mu.
func (b *Bench) lookAgain(ctx context.Context, repo git.Repo, run work.RunID) error {
	for key := range b.jobs {
		if key.run == run {
			return nil
		}
	}
	touched, err := b.touches(ctx, repo, run)
	if err != nil || git.Dangerous(touched) {
		return err
	}
	return photograph(ctx, repo, run)
}

// canGoOn says why an attempt that nobody works on cannot take a message.
func canGoOn(a work.Attempt) error {
	t := a.Turn()
	switch {
	case a.CleanedAt != nil:
		return work.Errorf(work.Conflict, "the worktree of attempt %s was cleaned up", a.Name).
			Do("Its work is kept at " + a.Archive + "; start a new run.")
	case a.WorkspaceAt != nil && !folderExists(a.Dir):
		return work.Errorf(work.Conflict, "the worktree %s of attempt %s is gone", a.Dir, a.Name).
			Do("What it handed in is kept, and can be landed; offrun retry starts afresh.")
	case a.WorkspaceAt == nil || a.State() == work.SetupFailed:
		return work.Errorf(work.Conflict, "attempt %s never got a worktree that works", a.Name).
			Do("offrun retry starts it afresh.")
	case t.Blocked != "" && t.EndedAt == nil:
		return work.Errorf(work.Conflict, "%s", t.Blocked)
	case t.EndedAt == nil && a.Failure == nil && a.CancelledAt == nil:
		return work.Errorf(work.Busy, "attempt %s is not ready for a message", a.Name).Do("Try again in a moment.")
	}
	return nil
}

func folderExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Repair puts the shared git configuration back as it was when the run started,
// and goes on with the attempts that waited for that.
func (b *Bench) Repair(ctx context.Context, id work.RunID) (work.Run, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return run, err
	}
	_, repo, err := b.project(ctx, run.Project)
	if err != nil {
		return run, err
	}
	if err := repo.RestoreShared(ctx, archive.Shared(repo.Dir, run.ID)); err != nil {
		return run, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range run.Attempts {
		if t := a.Turn(); t == nil || t.Blocked == "" || t.EndedAt != nil || b.jobs[jobKey{run.ID, a.Name}] != nil {
			continue
		}
		a.Turn().Blocked = ""
		if err := b.put(ctx, run, repo, a); err != nil {
			return run, err
		}
		if _, err := b.launch(run, repo, a); err != nil {
			return run, err
		}
	}
	return b.db.Run(ctx, run.Project, run.ID)
}

// recover goes on with every attempt that an earlier bench left unfinished, and
// takes in runs that it wrote down and did not get to index.
func (b *Bench) recover(ctx context.Context) error {
	ps, err := b.db.Projects(ctx)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if err := b.recoverProject(ctx, p); err != nil {
			b.Log.Error("project not recovered", "project", p.ID, "err", err)
			b.notices = append(b.notices, "project "+string(p.ID)+": "+work.Public(err).Msg)
		}
	}
	return nil
}

func (b *Bench) recoverProject(ctx context.Context, p work.Project) error {
	if err := b.indexMissing(ctx, p); err != nil {
		return err
	}
	open, err := b.db.Runs(ctx, store.Filter{Project: p.ID, Active: true, Limit: -1})
	if err != nil {
		return err
	}
	newest, err := b.db.Runs(ctx, store.Filter{Project: p.ID, Limit: 20})
	if err != nil {
		return err
	}
	var errs []error
	for i, s := range append(open, newest...) {
		if i < len(open) || !s.Baseline {
			errs = append(errs, b.recoverRun(ctx, p, s.ID))
		}
	}
	return errors.Join(errs...)
}

// recoverRun reads a run's files, which are ahead of the database if the last
// bench was killed between the two, and goes on.
func (b *Bench) recoverRun(ctx context.Context, p work.Project, id work.RunID) error {
	_, repo, err := b.project(ctx, p.ID)
	if err != nil {
		return err
	}
	run, err := archive.LoadRun(repo.Dir, id)
	if err != nil {
		return err
	}
	run.Project = p.ID
	for _, a := range run.Attempts {
		if err := b.feed.PutAttempt(ctx, p.ID, a); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.launchAll(run, repo)
}
