package screen

import (
	"fmt"
	"strings"

	"offrun/backend/work"
)

// Agents lists agents, one a line.
func Agents(all []work.AgentInfo, s Output) string {
	rows := make([][]string, 0, len(all))
	for _, a := range all {
		path, login := Path(a.Path), Line(a.Login)
		if a.Missing != "" {
			path, login = s.paint(faint, "not found"), "–"
		}
		rows = append(rows, []string{string(a.ID), Line(a.Name), orDash(a.Version != "", Line(a.Version)), login, kindOf(a), yesNo(a.Accounts), path, Line(a.Gap)})
	}
	return tableText(columns("AGENT", "NAME", "VERSION", "LOGIN", "VERIFIED", "ACCOUNTS", "PROGRAM", "DOES NOT ENFORCE"), rows, s)
}

// kindOf says how far an agent can be relied on to be driven rightly.
func kindOf(a work.AgentInfo) string {
	switch {
	case a.Simulated:
		return "simulated"
	case a.Custom:
		return "custom"
	case a.Verified:
		return "verified"
	}
	return "not verified"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Agent shows one agent, a fact a line.
func Agent(a work.AgentInfo, s Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)\n", s.paint(bold, string(a.ID)), Line(a.Name), kindOf(a))
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %s%s\n", pad(what, 12), text)
		}
	}
	line("program", Path(a.Path))
	line("", Line(a.Missing))
	line("version", Line(a.Version))
	login := Line(a.Login)
	if a.Detail != "" {
		login += ": " + Line(a.Detail)
	}
	if a.LogIn != "" && a.Login != "logged in" {
		login += "; to log in: " + Line(a.LogIn)
	}
	line("login", login)
	line("model", Line(a.Model))
	line("runs", Line(a.Command))
	line("gap", Line(a.Gap))
	accounts := "one login only"
	switch {
	case a.Moves:
		accounts = "several logins; a conversation moves between them"
	case a.Accounts:
		accounts = "several logins"
	}
	line("accounts", accounts)
	followUp := "a new session, with what was said before as context"
	if a.Resumes {
		followUp = "its own session goes on"
	}
	line("follow-up", followUp)
	reads := "cannot be held to reading"
	if a.ReadsOnly {
		reads = "can be held to reading"
	}
	line("reviews", reads)
	return b.String()
}
