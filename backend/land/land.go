// Package land brings the result of an attempt onto trunk, takes it back, and
// cleans up after attempts.
//
// The user's checkout is not ours: a landing is merged in the object store, checked
// on the exact tree that lands, and then trunk moves, together with the checkout it
// is in, or nothing moves. What is cleaned up is archived before, and goes to a
// trash folder first.
//
// Everything here can be cut off at any instant and called again: it is then
// finished, or done afresh. That needs no record but git's own, see landedRef.
package land

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/git"
	"offrun/backend/work"
)

// In says what lands. Run, Attempt and, if the project has gates, Mark are
// required.
type In struct {
	Run     *work.Run     // its card, base, trunk and settings count, as frozen at its start
	Attempt *work.Attempt // of that run; the result of its newest turn lands
	Message string        // of the commit; "" means Message(Run, Attempt)
	Strayed bool          // land although the agent left its branch: the person saw it and agreed (F37)

	Mark    string                                      // of the worktree that gates run in; holds the installation's id
	Env     []string                                    // of the gates, whole; nil means proc.Environ()
	Prepare func(ctx context.Context, dir string) error // makes that worktree usable: brought files, dependencies, setup; nil means nothing to do
	Log     string                                      // file for what the gates print, written anew; "" means nobody reads it

	Now func() time.Time // nil means time.Now
}

// landedRef is set to the landing commit before trunk moves. So an attempt has
// landed if, and only if, trunk contains what its ref refers to, whether or not
// anybody lived to write that down (F101).
func landedRef(run work.RunID, attempt work.AttemptName) string {
	return fmt.Sprintf("refs/offrun/landed/%s/%s", run, attempt)
}

// Preview says what Land would do, and leaves no trace. Files and lines are those
// of the attempt itself; Land counts what really changes on trunk. Gates are those
// that would run, none of which has.
//
// Conflicts are an error of code Conflict that lists the paths; the Landing is
// filled in all the same.
func Preview(ctx context.Context, repo git.Repo, in In) (work.Landing, error) {
	l, drift, err := in.begin(ctx, repo.Glance)
	if err != nil {
		return work.Landing{}, err
	}
	r := in.Attempt.Turn().Result
	l.Files, l.Added, l.Deleted = r.Files, r.Added, r.Deleted
	for _, command := range in.Run.Settings.Gates {
		l.Gates = append(l.Gates, work.Gate{Command: command, Status: work.DidNotRun, Exit: -1})
	}
	m, err := repo.TryMerge(ctx, drift.Sides(r.Tree))
	if err != nil {
		return work.Landing{}, err
	}
	l.Tree = m.Tree
	return l, in.judge(m, drift)
}

// Ready says what would stand in the way of a landing in trunk's checkout:
// uncommitted files at the same paths, a git at work, an unfinished merge. It is
// the other half of a dry run, and returns nil or the error that Land would.
func Ready(ctx context.Context, repo git.Repo, in In) error {
	_, drift, err := in.begin(ctx, repo.Drift)
	if err != nil {
		return err
	}
	m, err := repo.Merge(ctx, drift.Sides(in.Attempt.Turn().Result.Tree))
	if err != nil {
		return err
	}
	if err := in.judge(m, drift); err != nil {
		return err
	}
	return repo.Clear(ctx, git.Move{Branch: in.Run.Trunk, From: drift.Tip, To: m.Tree})
}

// Land squashes an attempt's result onto trunk as one commit of the user's, after
// the project's gates have passed on exactly the tree that lands.
//
// What changed since the run's base is done to trunk as it is now (F08). If that
// cannot be done without loss, or cannot be done at all, nothing is changed and
// the error says why: Conflict (paths listed), Busy, Invalid, Unavailable. A gate
// that did not run counts as one that failed.
//
// A landing that was cut off is finished by the same call; if trunk had moved
// already, the Landing is returned as it would have been.
func Land(ctx context.Context, repo git.Repo, in In) (work.Landing, error) {
	if err := in.check(); err != nil {
		return work.Landing{}, err
	}
	if l, ok, err := in.alreadyLanded(ctx, repo); err != nil || ok {
		return l, err
	}
	l, drift, err := in.begin(ctx, repo.Drift)
	if err != nil {
		return work.Landing{}, err
	}
	m, err := repo.Merge(ctx, drift.Sides(in.Attempt.Turn().Result.Tree))
	if err != nil {
		return work.Landing{}, err
	}
	l.Tree = m.Tree
	if err := in.judge(m, drift); err != nil {
		return l, err
	}
	if err := count(ctx, repo, &l); err != nil {
		return work.Landing{}, err
	}
	if l.Gates, err = in.gates(ctx, repo, l); err != nil {
		return l, err
	}
	if err := in.advance(ctx, repo, &l); err != nil {
		return l, err
	}
	return l, nil
}

// begin checks in and says from where to where it would land. look is how to look
// at trunk.
func (in In) begin(ctx context.Context, look func(ctx context.Context, base, branch string) (git.Drift, error)) (work.Landing, git.Drift, error) {
	if err := in.check(); err != nil {
		return work.Landing{}, git.Drift{}, err
	}
	drift, err := look(ctx, in.Run.Base, in.Run.Trunk)
	if err != nil {
		return work.Landing{}, git.Drift{}, fmt.Errorf("look at trunk: %w", err)
	}
	message := in.Message
	if message == "" {
		message = Message(in.Run, in.Attempt)
	}
	return work.Landing{
		Run: in.Run.ID, Attempt: in.Attempt.Name,
		Trunk: in.Run.Trunk, Parent: drift.Tip, Behind: drift.Behind, Message: message,
	}, drift, nil
}

// check returns why the attempt cannot land whatever trunk looks like.
func (in In) check() error {
	a, name := in.Attempt, in.Attempt.Name
	if !a.State().Final() {
		return work.Errorf(work.Busy, "%s is still %s", name, a.State()).Do("Wait until it is done, or cancel it first.")
	}
	if a.Landing != nil && a.Landing.At != nil && a.Landing.UndoneAt == nil {
		return work.Errorf(work.Conflict, "%s has landed already, as %.12s", name, a.Landing.Commit).Do("To land it anew, undo that landing first.")
	}
	t := a.Turn()
	if t == nil || t.Result == nil {
		return work.Errorf(work.Invalid, "%s has no result: %s", name, orElse(a.Why(), string(a.State()))).Do("Choose another attempt, or retry this one.")
	}
	r := t.Result
	if r.Empty != "" {
		return work.Errorf(work.Invalid, "%s changed nothing: %s", name, r.Empty).Do("Choose another attempt, or send it a message.")
	}
	if a.Branch != "" && r.Branch != a.Branch && !in.Strayed {
		where := "has detached its HEAD at " + fmt.Sprintf("%.12s", r.Head)
		if r.Branch != "" {
			where = "has switched to the branch " + r.Branch
		}
		return work.Errorf(work.Conflict, "%s was to work on %s, but %s", name, a.Branch, where).
			Do("What would land is what it left in its worktree: look at the diff, and add --strayed if that is meant.")
	}
	return nil
}

// judge returns an error if m cannot land on the trunk of drift.
func (in In) judge(m git.Merge, drift git.Drift) error {
	if len(m.Conflicts) > 0 {
		e := work.Errorf(work.Conflict, "%s does not go together with %s as it is now: conflicts in %s", in.Attempt.Name, in.Run.Trunk, english.Plural(len(m.Conflicts), "file", "")).
			Do("Send the attempt a message to work from the newest trunk, or merge its branch by hand. Nothing was changed.")
		e.List = m.Conflicts
		return e
	}
	if m.Tree == drift.Tree {
		return work.Errorf(work.Conflict, "%s has nothing that %s does not have already", in.Attempt.Name, in.Run.Trunk).
			Do("It has landed before, or somebody made the same change; clean it up.")
	}
	return nil
}

// count fills in how much l changes on trunk.
func count(ctx context.Context, repo git.Repo, l *work.Landing) error {
	changes, err := repo.Changes(ctx, l.Parent, l.Tree)
	l.Files = len(changes)
	for _, c := range changes {
		l.Added += max(c.Added, 0)
		l.Deleted += max(c.Deleted, 0)
	}
	return err
}

// advance makes the commit and moves trunk to it.
func (in In) advance(ctx context.Context, repo git.Repo, l *work.Landing) (err error) {
	ref := landedRef(l.Run, l.Attempt)
	again, err := in.halfDone(ctx, repo, *l)
	if err != nil {
		return err
	}
	l.Commit = again
	if again == "" {
		l.Commit, err = repo.CommitTree(ctx, git.CommitOptions{Tree: l.Tree, Parents: []string{l.Parent}, Message: l.Message, Sign: true})
		if err != nil {
			return fmt.Errorf("make the landing commit: %w", err)
		}
		if err := repo.SetRef(ctx, ref, l.Commit); err != nil {
			return err
		}
	}
	l.Checkout, err = repo.FastForward(ctx, git.Move{
		Branch: l.Trunk, From: l.Parent, To: l.Commit, Again: again != "",
		Log: fmt.Sprintf("offrun: land %s/%s", l.Run, l.Attempt),
	})
	if err != nil {
		return errors.Join(err, in.forget(ctx, repo, l))
	}
	at := in.now()
	l.At = &at
	return nil
}

// forget drops the ref of a landing that did not come about, so that it does not
// count if somebody else brings the commit onto trunk one day.
func (in In) forget(ctx context.Context, repo git.Repo, l *work.Landing) error {
	ctx = context.WithoutCancel(ctx) // cleaning up must happen although ctx may be done
	if _, landed, err := Landed(ctx, repo, l.Trunk, l.Run, l.Attempt); err != nil || landed {
		return err // it moved after all; the next call says so
	}
	commit := l.Commit
	l.Commit = ""
	return repo.DropRef(ctx, landedRef(l.Run, l.Attempt), commit)
}

// halfDone returns the commit that an earlier call made for the very same landing
// and did not live to bring onto trunk, or "".
func (in In) halfDone(ctx context.Context, repo git.Repo, l work.Landing) (string, error) {
	commit, err := repo.Ref(ctx, landedRef(l.Run, l.Attempt))
	if err != nil || commit == "" {
		return "", err
	}
	parent, err := repo.Ref(ctx, commit+"^")
	if err != nil || parent != l.Parent {
		return "", err
	}
	if tree, err := repo.Tree(ctx, commit); err != nil || tree != l.Tree {
		return "", err
	}
	message, err := repo.Message(ctx, commit)
	if err != nil || trimmed(message) != trimmed(l.Message) {
		return "", err
	}
	return commit, nil
}

// Landed reports whether trunk contains the commit by which an attempt landed, and
// returns it. It asks git alone.
func Landed(ctx context.Context, repo git.Repo, trunk string, run work.RunID, attempt work.AttemptName) (commit string, landed bool, err error) {
	commit, err = repo.Ref(ctx, landedRef(run, attempt))
	if err != nil || commit == "" {
		return "", false, err
	}
	landed, err = repo.Contains(ctx, "refs/heads/"+trunk, commit)
	return commit, landed, err
}

// alreadyLanded returns the landing of an earlier call that nobody wrote down.
func (in In) alreadyLanded(ctx context.Context, repo git.Repo) (work.Landing, bool, error) {
	commit, landed, err := Landed(ctx, repo, in.Run.Trunk, in.Run.ID, in.Attempt.Name)
	if err != nil || !landed {
		return work.Landing{}, false, err
	}
	at := in.now()
	l := work.Landing{At: &at, Run: in.Run.ID, Attempt: in.Attempt.Name, Trunk: in.Run.Trunk, Commit: commit}
	if l.Parent, err = repo.Ref(ctx, commit+"^"); err != nil {
		return work.Landing{}, false, err
	}
	if l.Tree, err = repo.Tree(ctx, commit); err != nil {
		return work.Landing{}, false, err
	}
	if l.Message, err = repo.Message(ctx, commit); err != nil {
		return work.Landing{}, false, err
	}
	drift, err := repo.Drift(ctx, in.Run.Base, in.Run.Trunk)
	l.Behind = max(drift.Behind-1, 0)
	return l, true, errors.Join(err, count(ctx, repo, &l))
}

func (in In) now() time.Time { return clock(in.Now) }

func clock(now func() time.Time) time.Time {
	if now == nil {
		now = time.Now
	}
	return now().UTC()
}
