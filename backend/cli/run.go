package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

// runFlags are the flags of run.
type runFlags struct {
	task    string
	agents  []string
	model   string
	timeout seconds
	trust   bool
	wait    bool
	detach  bool
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Example: `  offrun run --task tasks/login.md --agents claude,codex
  offrun run --task login --agents claude:opus,claude:sonnet --timeout 45m
  offrun run --task login --wait --json`,
		Long: `Starts one attempt for each agent, all from the same commit, each in a worktree of
its own. On a terminal the run is followed to its end; Ctrl-C asks whether to
detach or to cancel. Elsewhere the command returns at once, unless --wait is given.

A run that was followed to its end has exit status 0 if at least one attempt is
not failing, else 8.`,
	}
	c = asks(ops.RunStart.Row, "", c, func(ctx context.Context, _ []string) error { return a.run(ctx, f) })
	flags := c.Flags()
	flags.StringVar(&f.task, "task", "", "the `card`: its file or its id")
	flags.StringSliceVar(&f.agents, "agents", nil, "`agents`, each as agent or agent:model; one may stand several times (default: the project's selection)")
	flags.StringVar(&f.model, "model", "", "`model` for the agents that name none")
	flags.Var(&f.timeout, "timeout", "time limit of each attempt: 90s, 30m, 2h, or a number of seconds (default: the project's)")
	flags.BoolVar(&f.trust, "trust", false, "trust what may run in the project as it stands")
	flags.BoolVar(&f.wait, "wait", false, "wait until every attempt has ended")
	flags.BoolVar(&f.detach, "detach", false, "return at once")
	return c
}

// run starts a run and follows it if somebody watches.
func (a *app) run(ctx context.Context, f runFlags) error {
	if f.task == "" {
		return work.Errorf(work.Invalid, "no card is named").Do("Name it: --task tasks/login.md; offrun card list shows what there is.")
	}
	if f.wait && f.detach {
		return work.Errorf(work.Invalid, "--wait and --detach exclude each other").Do("Choose one of them.")
	}
	id, err := a.here(ctx)
	if err != nil {
		return err
	}
	in := ops.StartRun{ProjectRef: ops.ProjectRef{Project: id}}
	in.Body.Task, in.Body.Agents, in.Body.Model = cardName(f.task), f.agents, f.model
	in.Body.Timeout, in.Body.Trust = work.Seconds(f.timeout), f.trust
	if err := a.announce(ctx, in); err != nil {
		return err
	}
	w := &watch{app: a}
	if err := w.begin(ctx); err != nil {
		return err
	}
	run, err := a.startTrusted(ctx, in)
	if err != nil {
		return err
	}
	for _, warning := range run.Warnings {
		a.note("warning: %s", screen.Line(warning))
	}
	follow := f.wait || a.out.Terminal && !f.detach && !a.json
	if !a.json || follow {
		a.started(run)
	}
	if !follow {
		if a.json {
			return a.answer(run, nil)
		}
		return a.print(fmt.Sprintf("follow it with offrun attach %s\n", run.ID))
	}
	w.run = run.ID
	return a.watchToEnd(ctx, w)
}

// announce says what is going to run before anything does, and what is doubtful
// about the card.
func (a *app) announce(ctx context.Context, in ops.StartRun) error {
	card, err := ops.CardShow.Ask(ctx, a.door, ops.CardRef{ProjectRef: in.ProjectRef, Card: in.Body.Task})
	if err != nil {
		return err
	}
	project, err := ops.ProjectShow.Ask(ctx, a.door, in.ProjectRef)
	if err != nil {
		return err
	}
	fmt.Fprint(a.Stderr, screen.Plan(card, project.Settings, screen.Of(a.Stderr, a.Getenv)))
	return nil
}

// startTrusted starts the run. Where what may run is not trusted and a person is
// there, they see the list and decide.
func (a *app) startTrusted(ctx context.Context, in ops.StartRun) (work.Run, error) {
	run, err := ops.RunStart.Ask(ctx, a.door, in)
	if work.CodeOf(err) != work.Untrusted || !a.canAsk() {
		return run, err
	}
	e := work.Public(err)
	e.Next = ""
	fmt.Fprint(a.Stderr, screen.Error(e))
	if !a.yes("Trust everything on this list, and start?") {
		return run, ended(status[work.Untrusted])
	}
	in.Body.Trust = true
	return ops.RunStart.Ask(ctx, a.door, in)
}

// started says that a run has begun: on standard error where the answer is JSON.
func (a *app) started(run work.Run) {
	text := screen.Started(run, a.out)
	if a.json {
		fmt.Fprint(a.Stderr, text)
	} else {
		fmt.Fprint(a.Stdout, text)
	}
}

func (a *app) attachCommand() *cobra.Command {
	c := &cobra.Command{
		Short:   "Follow a run until it ends, then compare its attempts",
		Example: "  offrun attach last",
		Long: `Follows a run until it ends. Ctrl-C detaches, or cancels the run if you say so.
With --json, every event of the run is printed as it comes, one on a line.`,
	}
	return asks(ops.EventList.Row, "RUN", c, func(ctx context.Context, args []string) error {
		run, err := ops.RunShow.Ask(ctx, a.door, ops.RunRef{Run: work.RunID(args[0])})
		if err != nil {
			return err
		}
		w := &watch{app: a, run: run.ID, events: a.json}
		if err := w.begin(ctx); err != nil {
			return err
		}
		if !a.json {
			a.started(run)
		}
		return a.watchToEnd(ctx, w)
	})
}

// watchToEnd follows a run and shows how its attempts compare. The error is ended
// if all of them are failing.
func (a *app) watchToEnd(ctx context.Context, w *watch) error {
	run, err := a.follow(ctx, w)
	if err != nil {
		return err
	}
	comparison, err := ops.RunCompare.Ask(ctx, a.door, ops.RunRef{Run: run.ID})
	if err != nil {
		return err
	}
	switch {
	case w.events:
	case a.json:
		err = a.answer(run, nil)
	default:
		err = a.print("\n" + screen.Comparison(comparison, a.out) + screen.Next(comparison))
	}
	if err != nil {
		return err
	}
	for _, v := range comparison.Attempts {
		if !v.Failing {
			return nil
		}
	}
	return ended(nothingGood)
}
