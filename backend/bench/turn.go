package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/google/renameio/v2"
	"github.com/google/uuid"

	"offrun/backend/agent"
	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/card"
	"offrun/backend/conversation"
	"offrun/backend/pool"
	"offrun/backend/proc"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

// lingering is how long an agent that has said it is done may stay before it is
// ended (F64), and unanswered how long a question may wait that nobody can answer,
// as the program reads no input. One with a way to be answered has a limit of its
// own, and denies itself.
const (
	lingering  = 10 * time.Second
	unanswered = 2 * time.Minute
)

// runAgent starts the program of the open turn, or finds it again, follows what
// it prints, and judges how it ended.
func (j *job) runAgent(ctx context.Context) error {
	a := j.attempt()
	t := a.Turn()
	if t.Agent != nil {
		return nil
	}
	dir := archive.Turn(j.folder(), t.N)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if t.Restores > 0 {
		return j.restore(ctx, a)
	}
	ag, err := j.taker(t)
	if err != nil {
		return err
	}
	lent, release, err := j.lend(ctx, a, ag)
	if resting, ok := errors.AsType[*pool.Resting](err); ok {
		return j.rests(ctx, resting)
	}
	if err != nil {
		return err
	}
	defer release()
	j.placeNotes()
	cmd, ask, err := j.compose(a, ag, lent)
	if err != nil {
		return err
	}
	q, env, err := j.request(a, dir, ag, cmd)
	if err != nil {
		return err
	}
	r, err := conversation.Open(dir, ag)
	if err != nil {
		return err
	}
	defer r.Close()
	if t.StartedAt == nil {
		now := j.bench.Now().UTC()
		move := moved(a, ag, lent, now)
		if err := introduce(r, *t, move, ask.Resume, now); err != nil {
			return err
		}
		err := j.turn(ctx, func(t *work.Turn) {
			t.StartedAt, t.Program, t.Session, t.Resumed = &now, cmd.Shown(ask.Prompt), cmd.Session, ask.Resume
			t.Account, t.Moved = lent.Name, move
		})
		if err != nil {
			return err
		}
	}
	defer os.RemoveAll(ask.Scratch)
	w, err := j.watcher(ctx, r, dir)
	if err != nil {
		return err
	}
	exit, err := j.command(ctx, dir, q, env, w.look)
	if err := errors.Join(err, w.close()); err != nil {
		return err
	}
	return j.judge(ctx, r, exit, ag, lent)
}

// introduce writes what the conversation of a turn begins with: where it comes
// from, and what the user said. What a turn takes up stands in the conversation
// of the turn before.
func introduce(r *conversation.Reader, t work.Turn, move *work.Move, resumed bool, now time.Time) error {
	if move != nil {
		if err := r.Add(work.Entry{At: now, Kind: work.Noted, Text: move.String()}); err != nil {
			return err
		}
	}
	if t.N > 1 && !resumed {
		if err := r.Add(work.Entry{At: now, Kind: work.Noted, Text: "a new session, with what was said before as context"}); err != nil {
			return err
		}
	}
	if t.Message == "" || t.Moved != nil {
		return nil
	}
	return r.Add(work.Entry{At: now, Kind: work.Told, Text: t.Message})
}

// compose says what to run for the open turn.
func (j *job) compose(a work.Attempt, ag agent.Agent, lent work.Account) (agent.Command, agent.Ask, error) {
	t := a.Turn()
	ask := agent.Ask{
		Prompt: card.Prompt(j.run.Card, j.run.Commands) + j.brief(ag.ID), TaskFile: filepath.Join(a.Dir, ".offrun", "task.md"),
		Dir: a.Dir, Model: a.Model, Session: t.Session,
		Permissions: j.run.Settings.Permissions, Root: os.Getuid() == 0,
		Inbox: archive.Inbox(j.folder(), t.N), Patience: j.run.Settings.Limits.Answer.Duration(),
		Scratch: filepath.Join(os.TempDir(), "offrun-"+strconv.Itoa(os.Getuid()), string(a.Run)+"-"+string(a.Name)),
	}
	if ag.ID != a.Agent {
		ask.Model = "" // it was chosen for another agent
	}
	for _, s := range j.run.Settings.Agents {
		if s.ID == ag.ID {
			ask.Env = s.Env
		}
	}
	if err := os.MkdirAll(ask.Scratch, 0o700); err != nil {
		return agent.Command{}, ask, err
	}
	resume, holds, err := j.bringSession(a, ag, lent)
	if err != nil {
		return agent.Command{}, ask, err
	}
	switch {
	case resume && holds && t.Moved != nil:
		ask.Resume, ask.Prompt = true, card.GoOn
	case resume:
		ask.Resume, ask.Prompt = true, j.message(a)
	case t.N > 1:
		before, err := j.transcript(a)
		if err != nil {
			return agent.Command{}, ask, err
		}
		ask.Session, ask.Prompt = "", card.FollowUp(ask.Prompt, before, t.Message)
	case t.Session == "":
		ask.Session = uuid.NewString()
	}
	if t.N > 1 && a.Turns[len(a.Turns)-2].Restores > 0 {
		ask.Prompt = card.SetBack + ask.Prompt
	}
	cmd, err := ag.Command(ask)
	if err != nil {
		return cmd, ask, err
	}
	program, path, err := j.bench.programs.find(ag)
	if err != nil {
		return cmd, ask, err
	}
	cmd.Argv = append([]string{program}, cmd.Argv[1:]...)
	if cmd.Client != nil {
		cmd.Argv = slices.Concat(j.bench.Self, cmd.Client, cmd.Argv)
	}
	cmd.Env = append([]string{"PATH=" + path}, cmd.Env...)
	if lent.Dir != "" && ag.Accounts != nil {
		cmd.Env = append(cmd.Env, ag.Accounts.Env(lent.Dir)...) // last, so that it wins
	}
	return cmd, ask, nil
}

// request turns a command into what its supervisor is asked.
func (j *job) request(a work.Attempt, dir string, ag agent.Agent, cmd agent.Command) (supervise.Request, []string, error) {
	q := supervise.Request{
		Argv: cmd.Argv, Dir: a.Dir,
		Stdout: filepath.Join(dir, artifact.Log), Stderr: filepath.Join(dir, artifact.ErrLog),
		Mark:    j.bench.mark(a.Run, a.Name) + "/" + itoa(a.Turn().N),
		Total:   j.run.Settings.TimeLimit(ag.ID),
		Silence: j.run.Settings.Limits.Silence.Duration(),
	}
	if ag.Structured {
		q.Start = j.run.Settings.Limits.Start.Duration()
	}
	if cmd.Stdin != "" {
		q.Stdin = filepath.Join(dir, "prompt.txt")
		if err := renameio.WriteFile(q.Stdin, []byte(cmd.Stdin), 0o600); err != nil {
			return q, nil, err
		}
	}
	return q, proc.Environ(cmd.Env...), nil
}

// shell runs a project's command line in the attempt's worktree.
func (j *job) shell(ctx context.Context, dir, line string, limit time.Duration) (work.Exit, error) {
	a := j.attempt()
	return j.shellIn(ctx, dir, a.Dir, line, j.bench.mark(a.Run, a.Name)+"/"+filepath.Base(dir), limit)
}

func (j *job) shellIn(ctx context.Context, dir, in, line, mark string, limit time.Duration) (work.Exit, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return work.Exit{}, err
	}
	q := supervise.Request{
		Argv: []string{"/bin/sh", "-c", line}, Dir: in, Total: limit, Mark: mark,
		Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err"),
	}
	env := proc.Environ("CI=true")
	return j.command(ctx, dir, q, env, func(supervise.Status) error { return nil })
}

// judge records how the program ended and what that means.
func (j *job) judge(ctx context.Context, r *conversation.Reader, exit work.Exit, ag agent.Agent, lent work.Account) error {
	v, err := r.Judge(exit)
	if err != nil {
		return err
	}
	if err := j.settle(ag, lent, v, r.Facts); err != nil {
		return err
	}
	if v.Class == work.ClassCancelled {
		v.Why = "" // the class says it all
	}
	return j.turn(ctx, func(t *work.Turn) {
		t.Agent, t.Class, t.Usage = &exit, v.Class, r.Facts.Usage
		t.Why = because(v.Why, t.Why) // which holds the messages that a cancelled one did not get
		t.Asked, t.Question, t.ResetsAt = v.Asked, nil, v.ResetsAt
		t.Forgotten = v.SessionGone && t.Resumed
		if r.Facts.Session != "" {
			t.Session = r.Facts.Session
		}
	})
}

func itoa(n int) string { return strconv.Itoa(n) }

// cmpName orders attempts as people count them: claude, claude-2, claude-10.
func cmpName(x, y work.AttemptName) int {
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// errNoTranscript is returned where a follow-up has nothing to build on.
var errNoTranscript = errors.New("no conversation of an earlier turn")

// transcript returns what was said in earlier turns, newest last, for an agent
// that cannot go on with a session of its own.
func (j *job) transcript(a work.Attempt) (string, error) {
	var text string
	for n := 1; n < a.Turn().N; n++ {
		part, err := artifact.Transcript(filepath.Join(archive.Turn(j.folder(), n), artifact.Conversation), 40<<10, j.bench.Redactor())
		if err != nil {
			return "", fmt.Errorf("%w: %w", errNoTranscript, err)
		}
		text += part
	}
	return text, nil
}
