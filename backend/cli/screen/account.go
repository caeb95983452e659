package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// Accounts lists logins as they stood at now.
func Accounts(all []work.Account, now time.Time, s Output) string {
	rows := make([][]string, 0, len(all))
	for _, a := range all {
		state := s.paint(green, "ready")
		switch {
		case a.LoggedOut != nil:
			state = s.paint(red, "needs login")
		case a.Resting(now):
			state = s.paint(yellow, "rests until "+a.RestsUntil.Local().Format("Mon 15:04"))
		case a.Why != "":
			fault, _, _ := strings.Cut(a.Why, ": ") // what follows is for doctor
			state = s.paint(red, "unusable: "+Line(fault))
		case a.Working > 0:
			state = fmt.Sprintf("%d at work", a.Working)
		}
		if a.Sessions > 0 {
			state += fmt.Sprintf(" (at most %d)", a.Sessions)
		}
		used := "never"
		if a.UsedAt != nil {
			used = clock(now.Sub(*a.UsedAt)) + " ago"
		}
		dir := a.Dir
		if dir == "" {
			dir = "the machine's own"
		}
		rows = append(rows, []string{string(a.Agent), string(a.Name), state, used, spending(a), Line(dir)})
	}
	return tableText(columns("AGENT", "ACCOUNT", "STATE", "USED", "SPENT", "FOLDER"), rows, s)
}

// spending says what an account has used, as far as its agent told.
func spending(a work.Account) string {
	var parts []string
	if n := a.Usage.Input + a.Usage.Output; n > 0 {
		parts = append(parts, humanize.Comma(n)+" tokens")
	}
	if a.Usage.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", a.Usage.CostUSD))
	}
	for _, w := range a.Windows {
		text := fmt.Sprintf("%s %.0f %%", Line(w.Name), 100*w.Used)
		if w.ResetsAt != nil {
			text += " until " + w.ResetsAt.Local().Format("Mon 15:04")
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// NewAccount says how to log in to an account that was just made.
func NewAccount(n work.NewAccount) string {
	where := "is the machine's own"
	if n.Dir != "" {
		where = "lies in " + Line(n.Dir)
	}
	text := fmt.Sprintf("account %s %s; log in with:\n  %s\n", n.Ref(), where, LoginLine(n))
	if n.Missing != "" {
		text += "but first: " + Line(n.Missing) + "\n"
	}
	return text
}

// LoginLine is the command line that a person types to log in.
func LoginLine(n work.NewAccount) string {
	var parts []string
	for _, kv := range n.Env {
		name, value, _ := strings.Cut(kv, "=")
		parts = append(parts, name+"="+agent.Quote(value))
	}
	for _, arg := range n.Login {
		parts = append(parts, agent.Quote(arg))
	}
	return Line(strings.Join(parts, " "))
}

// Turns lists the turns of an attempt, oldest first.
func Turns(turns []work.Turn, s Output) string {
	rows := make([][]string, 0, len(turns))
	for _, t := range turns {
		files := "-"
		if t.Result != nil {
			files = fmt.Sprint(t.Result.Files)
		}
		tests := "-"
		if t.Tests != nil {
			tests = testsText(t.Tests.Status)
		}
		state := "open"
		if t.EndedAt != nil {
			state = string(t.Class)
		}
		rows = append(rows, []string{fmt.Sprint(t.N), state, files, tests, string(t.Account), Line(Occasion(t))})
	}
	return tableText(columns("TURN", "ENDED", "FILES", "TESTS", "ACCOUNT", "BECAUSE"), rows, s)
}

// Occasion says in a line why there is a turn.
func Occasion(t work.Turn) string {
	switch {
	case t.Restores > 0:
		return fmt.Sprintf("files set back to turn %d", t.Restores)
	case t.Moved != nil:
		return t.Moved.String()
	case t.Message != "":
		return t.Message
	}
	return "the card"
}
