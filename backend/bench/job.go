package bench

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"offrun/backend/agent"
	"offrun/backend/archive"
	"offrun/backend/git"
	"offrun/backend/proc"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

type jobKey struct {
	run  work.RunID
	name work.AttemptName
}

// A job is an attempt while it is being worked on.
type job struct {
	bench *Bench
	run   work.Run // as it was frozen; its Attempts are not looked at
	repo  git.Repo
	agent agent.Agent

	ctx    context.Context // ends with the bench, or with cancel before the agent has started
	cancel context.CancelFunc
	done   chan struct{} // closed when the job has let go of the attempt

	woken   chan struct{} // holds one when what a sleeping attempt waits for may have come
	started chan struct{} // closed when the agent runs, or never will
	once    sync.Once     // closes started

	mu        sync.Mutex
	a         work.Attempt
	live      work.Live
	cancelled bool
}

// folder is where the attempt's files lie: runs/<run>/<attempt>.
func (j *job) folder() string { return archive.Attempt(j.repo.Dir, j.run.ID, j.a.Name) }

// attempt returns a copy of the attempt as it stands.
func (j *job) attempt() work.Attempt {
	j.mu.Lock()
	defer j.mu.Unlock()
	return clone(j.a)
}

// clone copies what facts change in place.
func clone(a work.Attempt) work.Attempt {
	a.Turns = slices.Clone(a.Turns)
	a.Touched = slices.Clone(a.Touched)
	a.Queue = slices.Clone(a.Queue)
	return a
}

// fact changes what is known of the attempt: the file first, which is the truth,
// then the database, then the feed. It keeps trying while the disk is full, and
// fails only when the bench ends.
func (j *job) fact(ctx context.Context, change func(*work.Attempt)) error {
	j.mu.Lock()
	change(&j.a)
	a := clone(j.a)
	j.mu.Unlock()
	for {
		err := archive.PutAttempt(j.repo.Dir, a)
		if err == nil {
			err = j.bench.feed.PutAttempt(context.WithoutCancel(ctx), j.run.Project, a, j.event(a, work.AttemptChanged, ""))
		}
		if err == nil {
			break
		}
		j.bench.Log.Error("attempt not written, trying again", "run", a.Run, "attempt", a.Name, "err", err)
		select {
		case <-time.After(time.Second):
		case <-j.bench.ctx.Done():
			return err
		}
	}
	return nil
}

// turn changes the newest turn.
func (j *job) turn(ctx context.Context, change func(*work.Turn)) error {
	return j.fact(ctx, func(a *work.Attempt) { change(a.Turn()) })
}

func (j *job) tell(ctx context.Context, kind work.EventKind, text string) {
	j.bench.tell(ctx, j.event(j.attempt(), kind, text))
}

func (j *job) event(a work.Attempt, kind work.EventKind, text string) work.Event {
	return work.Event{
		At: j.bench.Now().UTC(), Kind: kind, Project: j.run.Project, Run: a.Run, Attempt: a.Name,
		Turn: len(a.Turns), State: a.State(), Text: text,
	}
}

// fail records why Offrun could not go on.
func (j *job) fail(ctx context.Context, step string, err error) {
	public := work.Public(err)
	if public.Code == work.Internal {
		public.Msg = err.Error() // an attempt's own failure is the user's to read
		public.Next = ""
	}
	j.bench.Log.Error("attempt failed", "run", j.run.ID, "attempt", j.a.Name, "step", step, "err", err)
	now := j.bench.Now().UTC()
	err = j.fact(ctx, func(a *work.Attempt) {
		if neverBegan(a, now, public) {
			return
		}
		a.Failure = &work.Failure{At: now, Step: step, Text: public.Msg, Next: public.Next}
	})
	if err != nil {
		j.bench.Log.Error("failure not written", "run", j.run.ID, "attempt", j.a.Name, "err", err)
	}
}

// neverBegan ends a follow-up turn whose agent could not be started: what lies in
// the worktree is still what the turn before left, and its result holds. It
// reports whether a is such an attempt.
func neverBegan(a *work.Attempt, now time.Time, why *work.Error) bool {
	t := a.Turn()
	if t.N == 1 || t.StartedAt != nil || a.Turns[len(a.Turns)-2].Result == nil {
		return false
	}
	before := a.Turns[len(a.Turns)-2]
	exit := work.Exit{StartedAt: now, EndedAt: now, Code: -1, Reason: work.NotStarted, Text: why.Msg}
	t.Agent, t.Class, t.Result, t.Tests, t.EndedAt = &exit, work.ClassNoStart, before.Result, before.Tests, &now
	t.Why = why.Msg + "; the message was not sent, and the result is still that of turn " + itoa(before.N)
	return true
}

// say sets what the attempt is doing, for those who watch.
func (j *job) say(action string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.live.Action = action
}

// isCancelled reports whether the user has cancelled the attempt.
func (j *job) isCancelled() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cancelled
}

// command runs one long command under its supervisor and returns the record it
// left. After a restart, calling it again for the same dir goes on waiting. each
// is called with the command's state whenever it has been looked at.
func (j *job) command(ctx context.Context, dir string, q supervise.Request, env []string, each func(supervise.Status) error) (work.Exit, error) {
	if err := supervise.Start(dir, q, env, j.bench.Self); err != nil {
		return work.Exit{}, err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		st, err := supervise.Look(dir)
		if err != nil {
			return work.Exit{}, err
		}
		if err := each(st); err != nil {
			return work.Exit{}, err
		}
		switch st.Phase {
		case supervise.Ended:
			return *st.Exit, nil
		case supervise.Lost:
			return supervise.Recover(ctx, dir, proc.Grace)
		}
		if j.isCancelled() {
			if err := supervise.Stop(dir, work.Stopped); err != nil {
				return work.Exit{}, err
			}
		}
		select {
		case <-tick.C:
		case <-j.bench.ctx.Done():
			return work.Exit{}, j.bench.ctx.Err()
		}
	}
}

// pollEvery is how often a running command's files are looked at: a person does
// not notice it, and a look costs a few stat calls.
const pollEvery = 50 * time.Millisecond

// working returns the jobs of a run, in the order of their names.
func (b *Bench) working(run work.RunID) []*job {
	b.mu.Lock()
	defer b.mu.Unlock()
	var js []*job
	for _, key := range slices.SortedFunc(maps.Keys(b.jobs), func(x, y jobKey) int { return cmpName(x.name, y.name) }) {
		if key.run == run {
			js = append(js, b.jobs[key])
		}
	}
	return js
}
