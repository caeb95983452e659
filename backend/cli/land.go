package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

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
		in.Body.Message, in.Body.DryRun, in.Body.Strayed = message, dry, strayed
		l, err := ops.AttemptLand.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(l, func() string { return landingText(l) })
	})
	c.Flags().StringVarP(&message, "message", "m", "", "commit `message` (default: made from the card)")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	c.Flags().BoolVar(&strayed, "strayed", false, "land although the agent left its branch: you have looked at the diff")
	return c
}

// landingText shows a landing, or the preview of one.
func landingText(l work.Landing) string {
	var b strings.Builder
	if l.At == nil {
		fmt.Fprintf(&b, "would land on %s %s", oneLine(l.Trunk), short(l.Parent))
	} else {
		fmt.Fprintf(&b, "landed on %s as %s", oneLine(l.Trunk), short(l.Commit))
	}
	fmt.Fprintf(&b, ": %s, %s\n", count(l.Files, "file"), lines(l.Added, l.Deleted))
	if l.Behind > 0 {
		fmt.Fprintf(&b, "  merged with %s that came to %s since the run started\n", count(l.Behind, "commit"), oneLine(l.Trunk))
	}
	for _, g := range l.Gates {
		fmt.Fprintf(&b, "  gate %s: %s\n", oneLine(g.Command), g.Status)
	}
	if l.Checkout != "" {
		fmt.Fprintf(&b, "  moved forward in %s\n", oneLine(l.Checkout))
	}
	b.WriteString("\n" + prefixed("    ", strings.TrimSpace(shown(l.Message))) + "\n")
	return b.String()
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
		return a.answer(l, func() string { return undoText(l) })
	})
}

func undoText(l work.Landing) string {
	what := fmt.Sprintf("took back %s of run %s from %s", l.Attempt, l.Run, oneLine(l.Trunk))
	if l.UndoneBy == "" {
		return fmt.Sprintf("%s: it is at %s again\n", what, short(l.Parent))
	}
	return fmt.Sprintf("%s: reverted by %s\n", what, short(l.UndoneBy))
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
		if err := a.answer(cs, func() string { return cleaningText(cs) }); err != nil {
			return err
		}
		return leftAlone(cs)
	})
	c.Flags().StringArrayVar(&accept, "accept", nil, "a repository inside of a worktree that may go too, by the `path` that a refusal named")
	c.Flags().BoolVar(&all, "all-finished", false, "clean every run of the project that has ended")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	return c
}

// cleaningText lists what was removed, or would be.
func cleaningText(cs []work.Cleaning) string {
	if len(cs) == 0 {
		return "nothing to clean\n"
	}
	var b strings.Builder
	var freed int64
	for _, c := range cs {
		if c.Refused != "" {
			continue // it is an error, and told there
		}
		word := "removed"
		if c.DryRun {
			word = "would remove"
		}
		freed += c.Freed
		fmt.Fprintf(&b, "%s %s (%s)\n", word, oneLine(c.Dir), humanize.Bytes(uint64(max(0, c.Freed))))
		if c.Archive != "" {
			fmt.Fprintf(&b, "  kept at %s\n", oneLine(c.Archive))
		}
		if len(c.Ignored) > 0 {
			fmt.Fprintf(&b, "  with ignored files: %s\n", list(c.Ignored))
		}
	}
	if b.Len() > 0 {
		fmt.Fprintf(&b, "%s of disk space\n", humanize.Bytes(uint64(max(0, freed))))
	}
	return b.String()
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
	e := work.Errorf(work.Conflict, "%s left alone", count(len(left), "attempt")).
		Do("Wait for attempts that work, or cancel them; look into worktrees that are not as they were.")
	e.List = left
	return e
}
