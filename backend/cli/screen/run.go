package screen

import (
	"fmt"
	"strings"
	"time"

	"offrun/backend/work"
)

// Runs lists runs, newest first, as they stood at now.
func Runs(runs []work.RunSummary, now time.Time, s Output) string {
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
func summaries(as []work.AttemptSummary, s Output) string {
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

// Run shows a run and its attempts.
func Run(run work.Run, s Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s  %s\n", s.paint(bold, string(run.ID)), Line(run.Card.Title))
	fmt.Fprintf(&b, "  project %s, card %s, from %s %s, started %s\n", run.Project, Path(run.Card.File), Line(run.Trunk), short(run.Base), run.StartedAt.Local().Format("2006-01-02 15:04:05"))
	for _, c := range run.Commands {
		fmt.Fprintf(&b, "  test: %s\n", Line(c))
	}
	if run.Baseline != nil {
		fmt.Fprintf(&b, "  on the base commit: %s\n", testsText(run.Baseline.Status))
	}
	for _, w := range run.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", Line(w))
	}
	for i := range run.Attempts {
		b.WriteString("\n" + attemptText(&run.Attempts[i], s))
	}
	return b.String()
}

// attemptText shows an attempt: where it stands, why, and where things are.
func attemptText(a *work.Attempt, s Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", s.paint(bold, label(a)), s.paint(stateColour(a), Standing(a)))
	line := func(name, text string) {
		if text = Line(text); text != "" {
			fmt.Fprintf(&b, "  %s: %s\n", name, text)
		}
	}
	line("model", a.Model)
	if a.Live != nil {
		line("now", a.Live.Action)
	}
	switch {
	case a.WakeAt != nil:
		line("goes on", "by itself, "+a.WakeAt.Local().Format("Mon 15:04"))
	case a.State() == work.Limited:
		line("next", fmt.Sprintf("offrun move %s %s, to another login or with --to to another agent", a.Run, a.Name))
	}
	if q := question(a); q != nil {
		line("answer", fmt.Sprintf("offrun answer %s %s allow|deny, by %s", a.Run, a.Name, q.Until.Local().Format("15:04")))
		for _, o := range q.Options {
			line("or", o.ID+" ("+o.Name+")")
		}
	}
	if a.Failure != nil {
		line("failed at", a.Failure.Step)
		line("next", a.Failure.Next)
	}
	if a.CleanedAt == nil {
		line("worktree", Path(a.Dir))
		line("branch", a.Branch)
	}
	line("kept at", a.Archive)
	if t := a.Turn(); t != nil {
		if t.N > 1 {
			line("turn", fmt.Sprintf("%d: %s", t.N, Occasion(*t)))
		}
		line("program", t.Program)
		line("session", t.Session)
		if t.Account != "" && t.Account != work.DefaultAccount {
			line("account", string(t.Account))
		}
		if t.Tests != nil {
			line("tests", t.Tests.Text)
		}
	}
	for _, m := range a.Queue {
		line("waits for its turn", m)
	}
	for _, t := range a.Touched {
		line("changed outside while it ran", touchText(t))
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
		text += " " + Path(t.Name)
	}
	text += " " + t.Change
	if t.Danger {
		text += " (git could run a program because of it)"
	}
	return text
}

// States says where each attempt of a run stands.
func States(run work.Run) string {
	var b strings.Builder
	for i := range run.Attempts {
		at := &run.Attempts[i]
		text := Standing(at)
		if at.CancelledAt != nil && at.Unfinished() {
			text += ", being cancelled"
			if !at.State().Final() {
				text += about(", ", firstLine(at.Why()))
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", at.Name, text)
	}
	return b.String()
}

// maxDoubts is how many doubts about a card are shown when it runs.
const maxDoubts = 3

// Plan lists the commands that a run of the card will run, and the doubts
// about it.
func Plan(c work.CardState, s work.Settings, out Output) string {
	var b strings.Builder
	if s.Setup != "" {
		fmt.Fprintf(&b, "setup: %s\n", Line(s.Setup))
	}
	seen := map[string]bool{}
	for _, line := range append(append([]string{}, s.Acceptance...), c.Card.Commands...) {
		if !seen[line] {
			fmt.Fprintf(&b, "test: %s\n", Line(line))
		}
		seen[line] = true
	}
	for i, w := range c.Warnings {
		if more := len(c.Warnings) - i; i == maxDoubts && more > 1 {
			b.WriteString(out.paint(yellow, fmt.Sprintf("warning: %d more: offrun card check %s", more, Path(c.Card.File))) + "\n")
			break
		}
		b.WriteString(out.paint(yellow, "warning: "+Path(c.Card.File)+": "+Line(w.Text)) + "\n")
	}
	return b.String()
}

// Started says that a run has begun.
func Started(run work.Run, s Output) string {
	return fmt.Sprintf("run %s: %s on %s, from %s %s\n", s.paint(bold, string(run.ID)),
		Count(len(run.Attempts), "attempt"), Line(string(run.Card.ID)), Line(run.Trunk), short(run.Base))
}
