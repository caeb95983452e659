package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"offrun/backend/git"
	"offrun/backend/work"
)

// Restore sets an attempt's worktree back to what one of its turns left. That is
// a turn of its own, in which no agent runs: its result is collected and tested
// like any other, so compare and land take it for the newest. What lay in the
// worktree is kept by a ref.
func (b *Bench) Restore(ctx context.Context, id work.RunID, name work.AttemptName, turn int) (work.Attempt, error) {
	return b.addTurn(ctx, id, name, func(a *work.Attempt) error {
		i := slices.IndexFunc(a.Turns, func(t work.Turn) bool { return t.N == turn })
		if i < 0 {
			return work.Errorf(work.NotFound, "attempt %s has no turn %d", name, turn).Do(fmt.Sprintf("It has %d; see offrun turns %s %s.", len(a.Turns), a.Run, name))
		}
		if a.Turns[i].Result == nil {
			return work.Errorf(work.Conflict, "turn %d of attempt %s left no result", turn, name)
		}
		last := a.Turn()
		a.Turns = append(a.Turns, work.Turn{N: last.N + 1, By: last.By, Account: last.Account, Session: last.Session, Restores: turn, QueuedAt: b.Now().UTC()})
		return nil
	})
}

// Move lets another login, or another agent, take up what an attempt was asked
// last, in the same worktree. To is an agent, an account, or both: "codex",
// "codex/work", "/work"; "" is the next login that has headroom.
func (b *Bench) Move(ctx context.Context, id work.RunID, name work.AttemptName, to string) (work.Attempt, error) {
	return b.addTurn(ctx, id, name, func(a *work.Attempt) error {
		run, err := b.findRun(ctx, id)
		if err != nil {
			return err
		}
		next, err := b.destination(run, *a, to)
		if err != nil {
			return err
		}
		t := a.Turn()
		from, session := by(*a, *t), t.Session
		if next.Agent != from {
			session = ""
		}
		why := &work.Move{From: ref(from, t.Account), To: next.Ref(), Why: "you moved it", At: b.Now().UTC()}
		takeUp(why.At, why, next.Agent, next.Name, session)(a)
		return nil
	})
}

// by is the agent that took turn t.
func by(a work.Attempt, t work.Turn) work.AgentID {
	if t.By != "" {
		return t.By
	}
	return a.Agent
}

// addTurn adds a turn to an attempt that nobody works on, or that waits for a
// usage limit, and goes on with it.
func (b *Bench) addTurn(ctx context.Context, id work.RunID, name work.AttemptName, add func(*work.Attempt) error) (work.Attempt, error) {
	run, a, repo, err := b.find(ctx, id, name)
	if err != nil {
		return work.Attempt{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if j := b.jobs[jobKey{run.ID, name}]; j != nil {
		now := j.attempt()
		if now.WakeAt == nil {
			return now, work.Errorf(work.Busy, "attempt %s of run %s is still %s", name, run.ID, now.State()).Do("Wait for it, or cancel it first.")
		}
		if err := add(&now); err != nil {
			return now, err
		}
		err := j.fact(ctx, func(a *work.Attempt) { a.Turns, a.WakeAt = now.Turns, nil })
		j.ring()
		return j.attempt(), err
	}
	if err := canGoOn(*a); err != nil {
		return *a, err
	}
	if err := add(a); err != nil {
		return *a, err
	}
	return b.goOn(ctx, run, repo, *a)
}

// goOn puts an attempt on disk that has something new to do, before anything
// happens, so that it cannot be lost, and begins. The caller holds b.mu.
func (b *Bench) goOn(ctx context.Context, run work.Run, repo git.Repo, a work.Attempt) (work.Attempt, error) {
	a.Failure, a.CancelledAt = nil, nil
	if err := b.lookAgain(ctx, repo, run.ID); err != nil {
		return a, err
	}
	if err := b.put(ctx, run, repo, a); err != nil {
		return a, err
	}
	j, err := b.launch(run, repo, a)
	if err != nil {
		return a, err
	}
	return j.attempt(), nil
}

// restore is the turn's work if it sets the worktree back.
func (j *job) restore(ctx context.Context, a work.Attempt) error {
	t := a.Turn()
	j.say(fmt.Sprintf("setting its files back to turn %d", t.Restores))
	if err := j.inspect(ctx); err != nil {
		return err
	}
	back := a.Turns[slices.IndexFunc(a.Turns, func(o work.Turn) bool { return o.N == t.Restores })]
	keep := fmt.Sprintf("refs/offrun/keep/%s/%s/before-%d", a.Run, a.Name, t.N)
	message := fmt.Sprintf("What lay in the worktree of %s before turn %d set it back to turn %d", a.Name, t.N, t.Restores)
	if err := j.worktree().Restore(ctx, j.run.Base, back.Result.FullTree, keep, message); err != nil {
		return err
	}
	now := j.bench.Now().UTC()
	exit := work.Exit{StartedAt: now, EndedAt: now, Reason: work.Exited}
	return j.turn(ctx, func(t *work.Turn) {
		t.StartedAt, t.Agent, t.Class, t.Why = &now, &exit, back.Class, back.Why
	})
}

// destination finds the login that an attempt shall move to.
func (b *Bench) destination(run work.Run, a work.Attempt, to string) (work.Account, error) {
	now := by(a, *a.Turn())
	id, name := cutRef(to, now)
	if _, err := b.agentOf(run, id); err != nil {
		return work.Account{}, err
	}
	if name != "" {
		for _, o := range b.pool.Accounts(id) {
			if o.Name == name {
				return o, restingError(o, b.Now())
			}
		}
		return work.Account{}, unknownAccount(id, name, b.pool.Accounts(id))
	}
	if next, ok := b.pool.Next(id); ok {
		return next, nil
	}
	if until := b.pool.Until(id); until != nil {
		e := work.Errorf(work.Unavailable, "every login of %s rests; the first goes on at %s", id, until.Local().Format("Mon 15:04"))
		if other, ok := b.headroom(run, id); ok {
			return work.Account{}, e.Do("Another agent has headroom: --to " + string(other.Agent) + ".")
		}
		return work.Account{}, e.Do("Wait, or add a login with offrun accounts add.")
	}
	return work.Account{}, work.Errorf(work.Busy, "every login of %s has as many sessions as it may", id).Do("Wait for a turn to end.")
}

func restingError(a work.Account, now time.Time) error {
	if !a.Resting(now) {
		return nil
	}
	return work.Errorf(work.Unavailable, "%s rests until %s: %s", a.Ref(), a.RestsUntil.Local().Format("Mon 15:04"), a.Why).
		Do("Choose another, or end its rest: offrun accounts rest " + string(a.Agent) + " " + string(a.Name) + " --end")
}

// cutRef takes "agent/account" apart. A word alone is an agent, and "/work" is an
// account of the agent that works now.
func cutRef(to string, now work.AgentID) (work.AgentID, work.AccountName) {
	id, name, _ := strings.Cut(to, "/")
	if id == "" {
		id = string(now)
	}
	return work.AgentID(id), work.AccountName(name)
}

// Turns returns the turns of an attempt, oldest first.
func (b *Bench) Turns(ctx context.Context, id work.RunID, name work.AttemptName) ([]work.Turn, error) {
	_, a, _, err := b.find(ctx, id, name)
	if err != nil {
		return nil, err
	}
	return a.Turns, nil
}
