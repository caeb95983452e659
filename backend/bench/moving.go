package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"offrun/backend/agent"
	"offrun/backend/card"
	"offrun/backend/pool"
	"offrun/backend/work"
)

// taker returns the agent that takes turn t.
func (j *job) taker(t *work.Turn) (agent.Agent, error) {
	if t.By == "" || t.By == j.agent.ID {
		return j.agent, nil
	}
	return j.bench.agentOf(j.run, t.By)
}

// lend gets the login that the open turn uses. A turn that an earlier bench has
// started keeps what it had.
func (j *job) lend(ctx context.Context, a work.Attempt, ag agent.Agent) (work.Account, func(), error) {
	t := a.Turn()
	if t.StartedAt != nil {
		lent, release := j.bench.pool.Hold(ag.ID, t.Account)
		return lent, release, nil
	}
	prefer := t.Account
	if last := sessionTurn(a); prefer == "" && last != nil {
		prefer = last.Account
	}
	return j.bench.pool.Lend(ctx, ag.ID, prefer)
}

// sessionTurn returns the latest turn before the open one that held the session
// which the open one goes on with, or nil.
func sessionTurn(a work.Attempt) *work.Turn {
	t := a.Turn()
	for i := len(a.Turns) - 2; i >= 0; i-- {
		if was := &a.Turns[i]; t.Session != "" && was.Session == t.Session && was.By == t.By && was.StartedAt != nil {
			return was
		}
	}
	return nil
}

// rests ends a turn before it began: every login of its agent rests.
func (j *job) rests(ctx context.Context, r *pool.Resting) error {
	now := j.bench.Now().UTC()
	exit := work.Exit{StartedAt: now, EndedAt: now, Code: -1, Reason: work.NotStarted, Text: r.Error()}
	return j.turn(ctx, func(t *work.Turn) {
		t.Agent, t.Class, t.Why, t.ResetsAt = &exit, work.ClassLimited, r.Error(), r.Until
	})
}

// bringSession makes the session that the open turn goes on with known to the
// login that was lent, and says whether the program can go on with it and whether
// the session holds the message already. It copies only before the turn starts.
func (j *job) bringSession(a work.Attempt, ag agent.Agent, lent work.Account) (resume, holds bool, err error) {
	t, was := a.Turn(), sessionTurn(a)
	if t.Session == "" || was == nil || !ag.Resumes {
		return false, false, nil
	}
	if was.Account == lent.Name || ag.Accounts == nil || ag.Accounts.Shares {
		return true, t.Moved != nil && j.held(ag, lent, a), nil
	}
	if t.StartedAt != nil {
		return t.Resumed, j.held(ag, lent, a), nil
	}
	from := j.bench.pool.Account(ag.ID, was.Account)
	copies, err := pool.Move(ag.Accounts, j.bench.accountHome(j.run.Settings, ag, from), j.bench.accountHome(j.run.Settings, ag, lent), t.Session, a.Dir)
	return len(copies) > 0, pool.Holds(copies, j.message(a)), err
}

// held reports whether the session, as the login lent knows it, holds the message.
func (j *job) held(ag agent.Agent, lent work.Account, a work.Attempt) bool {
	files, err := pool.Transcript(ag.Accounts, j.bench.accountHome(j.run.Settings, ag, lent), a.Turn().Session, a.Dir)
	return err == nil && pool.Holds(files, j.message(a))
}

// message is what the open turn was asked: the card's prompt at first.
func (j *job) message(a work.Attempt) string {
	if t := a.Turn(); t.Message != "" {
		return strings.TrimSpace(t.Message)
	}
	return strings.TrimSpace(card.Prompt(j.run.Card, j.run.Commands))
}

// moved says why the open turn uses another login than the session did, if so.
func moved(a work.Attempt, ag agent.Agent, lent work.Account, now time.Time) *work.Move {
	t, was := a.Turn(), sessionTurn(a)
	if t.Moved != nil {
		m := *t.Moved
		m.To = ref(ag.ID, lent.Name)
		return &m
	}
	if was == nil || was.Account == lent.Name {
		return nil
	}
	return &work.Move{From: ref(ag.ID, was.Account), To: ref(ag.ID, lent.Name), Why: "the other has no headroom", At: now}
}

func ref(id work.AgentID, name work.AccountName) string {
	return work.Account{Agent: id, Name: name}.Ref()
}

// settle tells the pool what the end of the open turn says of its login.
func (j *job) settle(ag agent.Agent, lent work.Account, v agent.Verdict, f agent.Facts) error {
	var err error
	switch v.Class {
	case work.ClassLimited:
		_, err = j.bench.pool.Rest(ag.ID, lent.Name, v.ResetsAt, v.Why)
	case work.ClassNeedsLogin:
		err = j.bench.pool.LogOut(ag.ID, lent.Name, v.Why)
	}
	return errors.Join(err, j.bench.pool.Report(ag.ID, lent.Name, f.Usage, f.Windows, v.Class == work.ClassOK))
}

// onward returns what follows by itself from the turn that is about to end, as a
// change of the attempt, or nil: another login or another agent takes up its
// message, or it waits for the limit to pass.
func (j *job) onward(a work.Attempt) func(*work.Attempt) {
	t := a.Turn()
	ag, err := j.taker(t)
	if err != nil || a.CancelledAt != nil || t.Class == work.ClassCancelled || t.Restores > 0 {
		return nil
	}
	now := j.bench.Now().UTC()
	move := &work.Move{From: ref(ag.ID, t.Account), Why: t.Why, At: now}
	if t.Forgotten {
		move.To, move.Why = move.From, "it no longer knew the session; a new one has the transcript"
		return takeUp(now, move, t.By, t.Account, "")
	}
	if t.Class != work.ClassLimited && t.Class != work.ClassNeedsLogin {
		return nil
	}
	if next, ok := j.bench.pool.Next(ag.ID); ok {
		move.To = next.Ref()
		return takeUp(now, move, t.By, next.Name, t.Session)
	}
	if t.Class == work.ClassNeedsLogin {
		return nil // no time heals it, and only the user can
	}
	switch j.run.Settings.Switch {
	case "other-agent":
		if other, ok := j.bench.headroom(j.run, ag.ID); ok {
			move.To = other.Ref()
			return takeUp(now, move, other.Agent, other.Name, "")
		}
	case "wait":
		if until := j.bench.pool.Until(ag.ID); until != nil {
			return func(a *work.Attempt) { a.WakeAt = until }
		}
	}
	return nil
}

// takeUp returns the change that adds a turn which takes up the message of the
// turn before it.
func takeUp(now time.Time, why *work.Move, by work.AgentID, account work.AccountName, session string) func(*work.Attempt) {
	return func(a *work.Attempt) {
		t := a.Turn()
		if by == a.Agent {
			by = ""
		}
		a.WakeAt, a.Failure, a.CancelledAt = nil, nil, nil
		a.Turns = append(a.Turns, work.Turn{
			N: t.N + 1, Message: t.Message, By: by, Account: account, Session: session, Moved: why, QueuedAt: now,
		})
	}
}

// headroom returns a login of another real agent that could go on: those that the
// project selects first, then those of the run, then all that are installed.
func (b *Bench) headroom(run work.Run, not work.AgentID) (work.Account, bool) {
	agents, err := b.agents(run.Settings)
	if err != nil {
		return work.Account{}, false
	}
	wanted := slices.Clone(run.Settings.Select)
	for _, a := range run.Attempts {
		wanted = append(wanted, a.Agent)
	}
	for _, ag := range agents {
		if !ag.Simulated {
			wanted = append(wanted, ag.ID)
		}
	}
	for _, id := range wanted {
		i := slices.IndexFunc(agents, func(ag agent.Agent) bool { return ag.ID == id })
		if id == not || i < 0 {
			continue
		}
		if _, _, err := b.programs.find(agents[i]); err != nil {
			continue
		}
		if next, ok := b.pool.Next(id); ok {
			return next, true
		}
	}
	return work.Account{}, false
}

// wakeEvery is how often a waiting attempt looks at the clock. Timers alone stand
// still while a machine sleeps, and the clock may be set.
const wakeEvery = 5 * time.Second

// sleep waits until an attempt that waits for a usage limit can go on, and lets it.
// It holds no slot of the governor meanwhile.
func (j *job) sleep(ctx context.Context) error {
	for {
		a := j.attempt()
		if a.WakeAt == nil {
			return nil
		}
		ag, err := j.taker(a.Turn())
		if err != nil {
			return err
		}
		now := j.bench.Now().UTC()
		if next, ok := j.bench.pool.Next(ag.ID); ok {
			why := &work.Move{From: ref(ag.ID, a.Turn().Account), To: next.Ref(), Why: "its usage limit has passed", At: now}
			return j.fact(ctx, takeUp(now, why, a.Turn().By, next.Name, a.Turn().Session))
		}
		if until := j.bench.pool.Until(ag.ID); until != nil && !until.Equal(*a.WakeAt) { // another attempt learned better
			if err := j.fact(ctx, func(a *work.Attempt) { a.WakeAt = until }); err != nil {
				return err
			}
			continue
		}
		j.say("waits for its usage limit until " + a.WakeAt.Local().Format("Mon 15:04"))
		pause := wakeEvery
		if left := a.WakeAt.Sub(now); left > 0 {
			pause = min(pause, left)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-j.woken:
		case <-time.After(pause):
		}
	}
}
