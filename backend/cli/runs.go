package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

// newest is how many runs ps lists without --all.
const newest = 20

func (a *app) psCommand() *cobra.Command {
	var all, active bool
	c := &cobra.Command{Example: "  offrun ps\n  offrun ps --active\n  offrun ps --all --project shop --json",
		Long: "Lists the newest 20 runs of all projects, or of --project, newest first."}
	c = asks(ops.RunList.Row, "", c, func(ctx context.Context, _ []string) error {
		in := ops.RunQuery{Project: work.ProjectID(a.project), Active: active, Limit: newest}
		if all {
			in.Limit = 0
		}
		runs, err := ops.RunList.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		if err := a.answer(runs, func() string { return screen.Runs(runs, time.Now(), a.out) }); err != nil {
			return err
		}
		for _, r := range runs {
			if !r.Final && !a.door.Answered() {
				a.note("no bench is open: attempts may have gone on since; offrun attach RUN opens one")
				break
			}
		}
		return nil
	})
	c.Flags().BoolVar(&all, "all", false, "list every run")
	c.Flags().BoolVar(&active, "active", false, "list only runs that still work")
	return c
}

func (a *app) showCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun show last"}
	return asks(ops.RunShow.Row, "RUN", c, func(ctx context.Context, args []string) error {
		run, err := ops.RunShow.Ask(ctx, a.door, ops.RunRef{Run: work.RunID(args[0])})
		if err != nil {
			return err
		}
		return a.answer(run, func() string { return screen.Run(run, a.out) })
	})
}

func (a *app) cancelCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun cancel last\n  offrun cancel last claude codex"}
	return asks(ops.RunCancel.Row, "RUN [AGENT...]", c, func(ctx context.Context, args []string) error {
		in := ops.CancelRun{RunRef: ops.RunRef{Run: work.RunID(args[0])}}
		for _, name := range args[1:] {
			in.Body.Attempts = append(in.Body.Attempts, work.AttemptName(name))
		}
		run, err := ops.RunCancel.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(run, func() string { return screen.States(run) })
	})
}

func (a *app) repairCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun repair last",
		Long: `When an agent has changed the shared git configuration so that git could run a
program because of it, its result is not collected. This puts the configuration,
hooks and attributes back as they were when the run started, and goes on.`}
	return asks(ops.RunRepair.Row, "RUN", c, func(ctx context.Context, args []string) error {
		run, err := ops.RunRepair.Ask(ctx, a.door, ops.RunRef{Run: work.RunID(args[0])})
		if err != nil {
			return err
		}
		return a.answer(run, func() string { return screen.States(run) })
	})
}
