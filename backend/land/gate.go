package land

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"offrun/backend/git"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// gateLimit is how long one gate may take where the project's settings, frozen
// with the run, say nothing.
const gateLimit = 15 * time.Minute

// gates runs the project's gates on the tree of l, in a worktree of its own that is
// gone afterwards (F102, F103). It stops at the first that does not pass.
func (in In) gates(ctx context.Context, repo git.Repo, l work.Landing) (_ []work.Gate, err error) {
	commands := in.Run.Settings.Gates
	if len(commands) == 0 {
		return nil, nil
	}
	room, err := in.gateRoom(ctx, repo, l)
	if err != nil {
		return nil, fmt.Errorf("make a worktree for the gates: %w", err)
	}
	defer func() { err = errors.Join(err, room.close(context.WithoutCancel(ctx))) }()
	if in.Prepare != nil {
		if err := in.Prepare(ctx, room.tree.Path); err != nil {
			return nil, fmt.Errorf("prepare the worktree for the gates: %w", err)
		}
	}
	out, err := in.openLog()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	var done []work.Gate
	for _, command := range commands {
		g, err := in.gate(ctx, room, command, out)
		if err != nil {
			return done, err
		}
		done = append(done, g)
		if g.Status != work.Pass {
			next := "Nothing was changed. Send the attempt a message, or change the gate in .offrun/project.yaml."
			if in.Log != "" {
				next = "Nothing was changed. See what it printed in " + in.Log + "; send the attempt a message, or change the gate in .offrun/project.yaml."
			}
			e := work.Errorf(work.Conflict, "a gate did not let it through: %s", command).Do(next)
			e.List = []string{fmt.Sprintf("%s: %s (exit %d)", command, g.Status, g.Exit)}
			return done, e
		}
	}
	return done, nil
}

// openLog opens the file for what the gates print.
func (in In) openLog() (io.WriteCloser, error) {
	path := in.Log
	if path == "" {
		path = os.DevNull
	}
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// gate runs one command on the tree of room; what it prints goes to out.
func (in In) gate(ctx context.Context, room gateRoom, command string, out io.Writer) (work.Gate, error) {
	limit := in.Run.Settings.Limits.Acceptance.Duration()
	if limit <= 0 {
		limit = gateLimit
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	env := in.Env
	if env == nil {
		env = proc.Environ()
	}
	env = append(env[:len(env):len(env)], proc.MarkVar+"="+room.mark)
	fmt.Fprintf(out, "$ %s\n", command)
	err := proc.Cmd{Argv: []string{"sh", "-c", "exec 2>&1\n" + command}, Dir: room.tree.Path, Env: env}.Run(timed, out)
	if _, killErr := proc.KillMarked(context.WithoutCancel(ctx), room.mark, proc.Grace); killErr != nil {
		return work.Gate{}, killErr
	}
	if ctx.Err() != nil {
		return work.Gate{}, ctx.Err()
	}
	g := work.Gate{Command: command, Status: work.Pass}
	x, exited := errors.AsType[*proc.ExitError](err)
	switch {
	case err == nil:
	case exited && (x.Code == 126 || x.Code == 127): // sh: not executable, not found
		g.Status, g.Exit = work.DidNotRun, x.Code
	case exited:
		g.Status, g.Exit = work.Fail, x.Code
	case timed.Err() != nil:
		g.Status, g.Exit = work.Fail, -1
	default:
		g.Status, g.Exit = work.DidNotRun, -1
	}
	fmt.Fprintf(out, "exit=%d\n", g.Exit)
	return g, nil
}

// gateRoom is the worktree that gates run in.
type gateRoom struct {
	repo git.Repo
	tree git.Worktree
	mark string
}

func (in In) gateRoom(ctx context.Context, repo git.Repo, l work.Landing) (gateRoom, error) {
	// A commit of nobody's: the user's own is made, and signed, when all have passed.
	commit, err := repo.Loose(ctx, l.Tree, l.Parent)
	if err != nil {
		return gateRoom{}, err
	}
	name := fmt.Sprintf("gate-%s-%s", l.Run, l.Attempt)
	o := git.WorktreeOptions{
		Path:   filepath.Join(repo.Dir, ".worktrees", name),
		Commit: commit,
		Mark:   in.Mark + " " + name,
	}
	if err := repo.Exclude(ctx, ".worktrees/"); err != nil {
		return gateRoom{}, err
	}
	if err := repo.ClearHalfMade(ctx, o); err != nil { // of a landing that was cut off
		return gateRoom{}, err
	}
	tree, err := repo.AddWorktree(ctx, o)
	return gateRoom{repo: repo, tree: tree, mark: o.Mark}, err
}

// close removes the worktree with all that the gates left in it.
func (g gateRoom) close(ctx context.Context) error {
	s, err := g.tree.Survey(ctx)
	if err != nil {
		return err
	}
	if _, err := g.repo.RemoveWorktree(ctx, g.tree, git.RemoveOptions{Mark: g.mark, Accept: s.Nested}); err != nil {
		return err
	}
	_, err = g.repo.EmptyTrash(ctx, g.mark)
	return err
}
