package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

func (a *app) landCommand() *cobra.Command {
	var message string
	var dry, strayed bool
	c := &cobra.Command{
		Example: "  offrun land last claude --dry-run\n  offrun land last claude -m \"Wait for a free connection\"",
		Long: `Squashes an attempt's result onto trunk as one commit with your identity. It is
merged in the object store: what you have staged or changed stays exactly as it
is, and what would be overwritten refuses the landing, with the list. Nothing is
ever half-done.`,
	}
	c = asks(ops.AttemptLand.Row, "RUN AGENT", c, func(ctx context.Context, args []string) error {
		in := ops.LandAttempt{AttemptRef: attemptRef(args)}
		warnings, err := a.warnings(ctx, in.AttemptRef)
		if err != nil {
			return err
		}
		in.Body.Message, in.Body.DryRun, in.Body.Strayed = message, dry, strayed
		l, err := ops.AttemptLand.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(l, func() string { return screen.Landing(l, warnings...) })
	})
	c.Flags().StringVarP(&message, "message", "m", "", "commit `message` (default: made from the card)")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	c.Flags().BoolVar(&strayed, "strayed", false, "land although the agent left its branch: you have looked at the diff")
	return c
}

// warnings are what a person should know of an attempt's result before it lands.
func (a *app) warnings(ctx context.Context, at ops.AttemptRef) ([]string, error) {
	run, err := ops.RunShow.Ask(ctx, a.door, at.RunRef)
	if err != nil {
		return nil, err
	}
	c, err := ops.RunCompare.Ask(ctx, a.door, ops.RunRef{Run: run.ID})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.Attempts, func(v work.Verdict) bool { return v.Attempt == at.Attempt })
	if i < 0 {
		return nil, nil // landing it says that there is no such attempt
	}
	t := run.Attempt(at.Attempt).Turn()
	if t == nil || t.Result == nil {
		return nil, nil // nor anything to land
	}
	return screen.Warnings(c.Attempts[i], t.Result.Changes), nil
}

func (a *app) undoCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun undo",
		Long: `Takes back the newest landing of the project: sets trunk back if nothing came
after it and it was not pushed, else lands a commit that reverts it.`}
	return asks(ops.LandingUndo.Row, "", c, func(ctx context.Context, _ []string) error {
		id, err := a.here(ctx)
		if err != nil {
			return err
		}
		l, err := ops.LandingUndo.Ask(ctx, a.door, ops.ProjectRef{Project: id})
		if err != nil {
			return err
		}
		return a.answer(l, func() string { return screen.Undo(l) })
	})
}

func (a *app) cleanCommand() *cobra.Command {
	var all, dry bool
	var accept []string
	c := &cobra.Command{
		Example: "  offrun clean last --dry-run\n  offrun clean last\n  offrun clean --all-finished",
		Long: `Removes the worktrees and branches of attempts that have ended. Their work stays
under an archive ref, and everything under runs/ stays. What is in use, or not
surely ours, is left alone, and says why; the exit status is 4 then.`,
	}
	c = asks(ops.RunClean.Row, "[RUN]", c, func(ctx context.Context, args []string) error {
		var in ops.CleanRuns
		in.Body.DryRun, in.Body.Accept = dry, accept
		switch {
		case all == (len(args) == 1):
			return work.Errorf(work.Invalid, "say what to clean").Do("offrun clean RUN, or offrun clean --all-finished.")
		case all:
			id, err := a.here(ctx)
			if err != nil {
				return err
			}
			in.Body.Project = id
		default:
			in.Body.Run = work.RunID(args[0])
		}
		cs, err := ops.RunClean.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		if err := a.answer(cs, func() string { return screen.Cleaning(cs) }); err != nil {
			return err
		}
		return leftAlone(cs)
	})
	c.Flags().StringArrayVar(&accept, "accept", nil, "a repository inside of a worktree that may go too, by the `path` that a refusal named")
	c.Flags().BoolVar(&all, "all-finished", false, "clean every run of the project that has ended")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	return c
}

// leftAlone is the error of a clean-up that could not remove everything.
func leftAlone(cs []work.Cleaning) error {
	var left []string
	for _, c := range cs {
		if c.Refused != "" {
			left = append(left, fmt.Sprintf("%s %s: %s", c.Run, c.Attempt, c.Refused))
		}
	}
	if len(left) == 0 {
		return nil
	}
	e := work.Errorf(work.Conflict, "%s left alone", screen.Count(len(left), "attempt")).
		Do("Wait for attempts that work, or cancel them; look into worktrees that are not as they were.")
	e.List = left
	return e
}
