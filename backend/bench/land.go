package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"offrun/backend/archive"
	"offrun/backend/git"
	"offrun/backend/land"
	"offrun/backend/proc"
	"offrun/backend/project"
	"offrun/backend/work"
)

// LandOptions say how to land.
type LandOptions struct {
	Message string // "" means one made from the card
	DryRun  bool
	Strayed bool // land although the agent left its branch: the person has looked
}

// Land squashes an attempt's result onto trunk as one commit of the user's, or
// says what would happen.
func (b *Bench) Land(ctx context.Context, id work.RunID, name work.AttemptName, o LandOptions) (work.Landing, error) {
	run, a, repo, err := b.find(ctx, id, name)
	if err != nil {
		return work.Landing{}, err
	}
	if err := canLand(*a); err != nil {
		return work.Landing{}, err
	}
	// Gates are the project's as it is now, not as it was when the run started:
	// who mends a gate wants the mended one. They are trusted like everything else.
	s, err := b.ProjectState(ctx, run.Project)
	if err != nil {
		return work.Landing{}, err
	}
	if err := b.checkTrust(ctx, s, false); err != nil && len(s.Settings.Gates) > 0 {
		return work.Landing{}, err
	}
	run.Settings.Gates = s.Settings.Gates
	in := land.In{
		Run: &run, Attempt: a, Message: o.Message, Strayed: o.Strayed, Mark: b.mark(run.ID, name), Env: proc.Environ(), Now: b.Now,
		Prepare: func(ctx context.Context, dir string) error { return b.prepareGates(ctx, repo, run, dir) },
		Log:     filepath.Join(archive.Attempt(repo.Dir, run.ID, name), "gates.log"),
	}
	if o.DryRun {
		l, err := land.Preview(ctx, repo, in)
		if err == nil {
			err = land.Ready(ctx, repo, in)
		}
		return l, err
	}
	defer b.ownChange(ctx, repo, run.Project)()
	l, err := land.Land(ctx, repo, in)
	if err != nil {
		return l, err
	}
	return l, b.setLanding(ctx, repo, run, name, l, work.AttemptLanded)
}

// prepareGates makes the worktree that gates run in usable, as an attempt's is.
func (b *Bench) prepareGates(ctx context.Context, repo git.Repo, run work.Run, dir string) error {
	if _, err := project.Prepare(ctx, project.Prep{Repo: repo, To: dir, Settings: run.Settings}); err != nil {
		return err
	}
	if run.Settings.Setup == "" {
		return nil
	}
	if err := b.briefly(ctx, run.Settings.Setup, dir, run.Settings.Limits.Setup.Duration()); err != nil {
		return work.Hide(work.Conflict, err, fmt.Sprintf("the setup command failed in the worktree of the gates: %v", err))
	}
	return nil
}

// briefly runs a project's command line that belongs to a request and ends with
// it, unlike those of attempts, which have supervisors.
func (b *Bench) briefly(ctx context.Context, line, dir string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := proc.Cmd{Argv: []string{"/bin/sh", "-c", line}, Dir: dir, Env: proc.Environ("CI=true")}.Output(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

// canLand says why an attempt has nothing to land.
func canLand(a work.Attempt) error {
	t := a.Turn()
	switch {
	case a.Unfinished():
		return work.Errorf(work.Busy, "attempt %s is still %s", a.Name, a.State()).Do("Wait until it ends: offrun attach " + string(a.Run))
	case t == nil || t.Result == nil:
		return work.Errorf(work.Conflict, "attempt %s has no result: %s", a.Name, a.State()).Do(a.Why())
	case t.Result.Files == 0:
		return work.Errorf(work.Conflict, "attempt %s changed nothing: %s", a.Name, t.Result.Empty).Do("Choose another attempt, or send it a message.")
	case a.Landing != nil && a.Landing.UndoneAt == nil:
		return work.Errorf(work.Conflict, "attempt %s has landed already, as %.12s on %s", a.Name, a.Landing.Commit, a.Landing.Trunk).
			Do("offrun undo takes it back.")
	}
	return nil
}

// setLanding records a landing, or that it was undone, with its attempt.
func (b *Bench) setLanding(ctx context.Context, repo git.Repo, run work.Run, name work.AttemptName, l work.Landing, kind work.EventKind) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	fresh, err := b.db.Run(ctx, run.Project, run.ID)
	if err != nil {
		return err
	}
	a := fresh.Attempt(name)
	a.Landing = &l
	if err := archive.PutAttempt(repo.Dir, *a); err != nil {
		return err
	}
	return b.feed.PutAttempt(ctx, run.Project, *a, work.Event{
		At: b.Now().UTC(), Kind: kind, Project: run.Project, Run: run.ID, Attempt: name, State: a.State(), Text: l.Commit,
	})
}

// Undo takes back the newest landing of a project.
func (b *Bench) Undo(ctx context.Context, id work.ProjectID) (work.Landing, error) {
	_, repo, err := b.project(ctx, id)
	if err != nil {
		return work.Landing{}, err
	}
	run, name, err := b.newestLanding(ctx, id)
	if err != nil {
		return work.Landing{}, err
	}
	defer b.ownChange(ctx, repo, id)()
	l, err := land.Undo(ctx, repo, *run.Attempt(name).Landing, b.Now)
	if err != nil {
		return l, err
	}
	return l, b.setLanding(ctx, repo, run, name, l, work.AttemptUndone)
}

func (b *Bench) newestLanding(ctx context.Context, id work.ProjectID) (run work.Run, name work.AttemptName, err error) {
	list, err := b.Runs(ctx, RunFilter{Project: id})
	if err != nil {
		return run, "", err
	}
	for _, s := range list {
		if !slices.ContainsFunc(s.Attempts, func(a work.AttemptSummary) bool { return a.Landed }) {
			continue
		}
		r, err := b.db.Run(ctx, id, s.ID)
		if err != nil {
			return run, "", err
		}
		for _, a := range r.Attempts {
			if a.Landing == nil || a.Landing.UndoneAt != nil || a.Landing.At == nil {
				continue
			}
			if name == "" || a.Landing.At.After(*run.Attempt(name).Landing.At) {
				run, name = r, a.Name
			}
		}
	}
	if name == "" {
		return run, "", work.Errorf(work.NotFound, "nothing has landed in project %s that could be undone", id)
	}
	return run, name, nil
}

// ownChange keeps our own change of the repository apart from what agents do:
// what they touched until now is recorded first, and when the returned function
// is called, the runs at work take a new photograph.
func (b *Bench) ownChange(ctx context.Context, repo git.Repo, id work.ProjectID) func() {
	ctx = context.WithoutCancel(ctx)
	runs := b.workingRuns(id)
	for _, run := range runs {
		touched, err := b.touches(ctx, repo, run)
		if err != nil {
			b.Log.Error("touches before a change of ours", "run", run, "err", err)
			continue
		}
		for _, j := range b.working(run) {
			if err := j.fact(ctx, func(a *work.Attempt) { a.Touched = union(a.Touched, touched) }); err != nil {
				b.Log.Error("touches not written", "run", run, "err", err)
			}
		}
	}
	return func() {
		for _, run := range runs {
			if err := photograph(ctx, repo, run); err != nil {
				b.Log.Error("photograph after a change of ours", "run", run, "err", err)
			}
		}
	}
}

// workingRuns returns the runs of a project that have attempts at work.
func (b *Bench) workingRuns(id work.ProjectID) []work.RunID {
	b.mu.Lock()
	defer b.mu.Unlock()
	var runs []work.RunID
	for key, j := range b.jobs {
		if j.run.Project == id && !slices.Contains(runs, key.run) {
			runs = append(runs, key.run)
		}
	}
	return runs
}

// CleanOptions say what to clean: a run, or every finished one of a project.
type CleanOptions struct {
	Run     work.RunID
	Project work.ProjectID
	DryRun  bool
	Accept  []string // git directories in worktrees that may go too, as a refusal listed them
}

// Clean removes worktrees and branches of attempts that are final. What cannot
// be removed safely is left alone and says why.
func (b *Bench) Clean(ctx context.Context, o CleanOptions) ([]work.Cleaning, error) {
	var ids []work.RunID
	switch {
	case o.Run != "":
		ids = append(ids, o.Run)
	case o.Project != "":
		list, err := b.Runs(ctx, RunFilter{Project: o.Project})
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if r.Final {
				ids = append(ids, r.ID)
			}
		}
	default:
		return nil, work.Errorf(work.Invalid, "say what to clean").Do("offrun clean RUN, or offrun clean --all-finished")
	}
	cleanings := []work.Cleaning{}
	for _, id := range ids {
		cs, err := b.cleanRun(ctx, id, o)
		cleanings = append(cleanings, cs...)
		if err != nil {
			return cleanings, err
		}
	}
	return cleanings, nil
}

func (b *Bench) cleanRun(ctx context.Context, id work.RunID, o CleanOptions) ([]work.Cleaning, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return nil, err
	}
	_, repo, err := b.project(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	defer b.ownChange(ctx, repo, run.Project)()
	var cs []work.Cleaning
	var errs []error
	for _, a := range run.Attempts {
		if a.CleanedAt != nil || a.GitDir == "" {
			continue
		}
		c, err := b.cleanAttempt(ctx, repo, run, a, o)
		errs = append(errs, err)
		cs = append(cs, c)
	}
	if !o.DryRun {
		b.wg.Go(func() {
			if _, err := repo.EmptyTrash(b.ctx, b.install+"/"); err != nil && b.ctx.Err() == nil {
				b.Log.Warn("trash not emptied; the next clean-up tries again", "project", run.Project, "err", err)
			}
		})
	}
	return cs, errors.Join(errs...)
}

func (b *Bench) cleanAttempt(ctx context.Context, repo git.Repo, run work.Run, a work.Attempt, o CleanOptions) (work.Cleaning, error) {
	in := land.CleanIn{Run: &run, Attempt: &a, Mark: b.mark(run.ID, a.Name), DryRun: o.DryRun, Accept: o.Accept, InUse: b.inUse(run.ID, a.Name)}
	if t := a.Turn(); t != nil && t.Result != nil {
		in.Seal = t.Result.Seal
	}
	if run.Settings.Teardown != "" && !o.DryRun {
		if err := b.tearDown(ctx, run, a); err != nil {
			return work.Cleaning{Run: run.ID, Attempt: a.Name, Dir: a.Dir, Branch: a.Branch, Refused: err.Error()}, nil
		}
	}
	c, err := land.Clean(ctx, repo, in)
	if err != nil || c.Refused != "" || o.DryRun {
		return c, err
	}
	now := b.Now().UTC()
	a.CleanedAt, a.Archive = &now, c.Archive
	if err := archive.PutAttempt(repo.Dir, a); err != nil {
		return c, err
	}
	return c, b.feed.PutAttempt(ctx, run.Project, a, work.Event{
		At: now, Kind: work.AttemptCleaned, Project: run.Project, Run: run.ID, Attempt: a.Name, State: a.State(),
	})
}

// inUse says who works in an attempt's worktree: one of our jobs, or a process
// that bears its mark.
func (b *Bench) inUse(run work.RunID, name work.AttemptName) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		b.mu.Lock()
		j := b.jobs[jobKey{run, name}]
		b.mu.Unlock()
		if j != nil {
			a := j.attempt()
			return "it is " + string(a.State()), nil
		}
		found, err := proc.Marked(b.mark(run, name))
		if err != nil || len(found) == 0 {
			return "", err
		}
		return fmt.Sprintf("process %d of it is still there", found[0].Pid), nil
	}
}

// tearDown runs the project's teardown command in a worktree that is about to go.
func (b *Bench) tearDown(ctx context.Context, run work.Run, a work.Attempt) error {
	if _, err := os.Stat(a.Dir); err != nil || b.isWorking(run.ID, a.Name) {
		return nil // the removal itself says what there is to say
	}
	if err := b.briefly(ctx, run.Settings.Teardown, a.Dir, run.Settings.Limits.Setup.Duration()); err != nil {
		return fmt.Errorf("the teardown command failed: %w", err)
	}
	return nil
}

func (b *Bench) isWorking(run work.RunID, name work.AttemptName) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.jobs[jobKey{run, name}] != nil
}
