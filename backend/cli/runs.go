package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
		if err := a.answer(runs, func() string { return runsText(runs, time.Now(), a.out) }); err != nil {
			return err
		}
		for _, r := range runs {
			if !r.Final && !a.door.asked.Load() {
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

func runsText(runs []work.RunSummary, now time.Time, s screen) string {
	if len(runs) == 0 {
		return "no run yet; offrun run --task CARD --agents AGENTS starts one\n"
	}
	rows := make([][]string, 0, len(runs))
	for _, r := range runs {
		rows = append(rows, []string{string(r.ID), string(r.Project), string(r.Card), clock(now.Sub(r.StartedAt)), summaries(r.Attempts, s)})
	}
	return tableText(columns("RUN", "PROJECT", "CARD", "AGE", "ATTEMPTS"), rows, s)
}

// summaries says in a few words how each attempt of a run stands.
func summaries(as []work.AttemptSummary, s screen) string {
	parts := make([]string, len(as))
	for i, a := range as {
		word, colour := string(a.State), ""
		switch {
		case a.Landed:
			word, colour = "landed", green
		case a.State == work.Done && a.Tests == work.Pass:
			word, colour = "pass", green
		case a.State == work.Done && a.Tests == work.Fail:
			word, colour = "tests fail", red
		case a.State == work.Done && a.Files == 0:
			word = "changed nothing"
		}
		if colour != "" {
			word = s.paint(colour, word)
		}
		parts[i] = string(a.Name) + " " + word
	}
	return strings.Join(parts, ", ")
}

func (a *app) showCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun show last"}
	return asks(ops.RunShow.Row, "RUN", c, func(ctx context.Context, args []string) error {
		run, err := ops.RunShow.Ask(ctx, a.door, ops.RunRef{Run: work.RunID(args[0])})
		if err != nil {
			return err
		}
		return a.answer(run, func() string { return runText(run, a.out) })
	})
}

// runText shows a run and its attempts.
func runText(run work.Run, s screen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s  %s\n", s.paint(bold, string(run.ID)), oneLine(run.Card.Title))
	fmt.Fprintf(&b, "  project %s, card %s, from %s %s, started %s\n", run.Project, oneLine(run.Card.File), oneLine(run.Trunk), short(run.Base), run.StartedAt.Local().Format("2006-01-02 15:04:05"))
	for _, c := range run.Commands {
		fmt.Fprintf(&b, "  test: %s\n", oneLine(c))
	}
	if run.Baseline != nil {
		fmt.Fprintf(&b, "  on the base commit: %s\n", testsText(run.Baseline.Status))
	}
	for _, w := range run.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", oneLine(w))
	}
	for i := range run.Attempts {
		b.WriteString("\n" + attemptText(&run.Attempts[i], s))
	}
	return b.String()
}

// attemptText shows an attempt: where it stands, why, and where things are.
func attemptText(a *work.Attempt, s screen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", s.paint(bold, label(a)), s.paint(stateColour(a), standing(a)))
	line := func(name, text string) {
		if text = oneLine(text); text != "" {
			fmt.Fprintf(&b, "  %s: %s\n", name, text)
		}
	}
	line("model", a.Model)
	if a.Live != nil {
		line("now", a.Live.Action)
	}
	if a.Failure != nil {
		line("failed at", a.Failure.Step)
		line("next", a.Failure.Next)
	}
	if a.CleanedAt == nil {
		line("worktree", a.Dir)
		line("branch", a.Branch)
	}
	line("kept at", a.Archive)
	if t := a.Turn(); t != nil {
		if t.N > 1 {
			line("turn", fmt.Sprintf("%d: %s", t.N, t.Message))
		}
		line("program", t.Program)
		line("session", t.Session)
		if t.Tests != nil {
			line("tests", t.Tests.Text)
		}
	}
	for _, m := range a.Queue {
		line("waits for its turn", m)
	}
	for _, t := range a.Touched {
		line("changed outside", touchText(t))
	}
	if l := a.Landing; l != nil && l.UndoneAt == nil {
		line("landed", fmt.Sprintf("%s on %s", short(l.Commit), l.Trunk))
	}
	return b.String()
}

// touchText says what changed outside of an attempt's worktree.
func touchText(t work.Touch) string {
	text := t.What
	if t.Name != "" {
		text += " " + t.Name
	}
	text += " " + t.Change
	if t.Danger {
		text += " (git could run a program because of it)"
	}
	return text
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
		return a.answer(run, func() string { return statesText(run) })
	})
}

// statesText says where each attempt of a run stands.
func statesText(run work.Run) string {
	var b strings.Builder
	for i := range run.Attempts {
		at := &run.Attempts[i]
		text := standing(at)
		if at.CancelledAt != nil && at.Unfinished() {
			text += ", being cancelled"
		}
		fmt.Fprintf(&b, "%s: %s\n", at.Name, text)
	}
	return b.String()
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
		return a.answer(run, func() string { return statesText(run) })
	})
}
