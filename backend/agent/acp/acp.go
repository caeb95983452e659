// Package acp speaks the Agent Client Protocol with agents that know it: JSON-RPC
// over the standard input and output of their program.
//
// The protocol needs somebody who answers while the agent works, and who stays
// when the bench ends. So the client is a program of its own, "offrun acp", that
// stands between the supervisor and the agent: to the one it is an agent that
// prints what it does, a work.Entry a line, to the other the client.
//
//	supervisor ── stdin: the prompt ──►  offrun acp  ── requests ──►  agent
//	           ◄── stdout: entries ───              ◄── updates ───
//	bench ───────── inbox/<id>.json ──►
//
// What the agent asks permission for is decided by the policy that was chosen
// before the start, or by a person, whose answer comes as a file. The client
// offers neither files nor terminals: the agent uses its own, so that what it does
// is the same whoever speaks to it.
package acp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// Over returns a spoken to by this protocol. Without a.ACP, as for an agent that
// settings describe, the command of a is taken to be a program that speaks it.
func Over(a agent.Agent) agent.Agent {
	own := a.Command
	var p agent.ACP
	if a.ACP != nil {
		p = *a.ACP
		program := a.Program
		a.Program = cmp.Or(p.Program, a.Program)
		if p.Program != "" {
			a.Version, a.Login = nil, nil // which are questions to the program, not to its adapter
		}
		own = func(ask agent.Ask) (agent.Command, error) {
			c := agent.Command{Argv: append([]string{a.Program}, p.Args...), Env: agent.Environ(ask, p.Env...)}
			if p.Variable != "" {
				c.Client = []string{"--program", p.Variable + "=" + program}
			}
			return c, nil
		}
	}
	a.Command = func(ask agent.Ask) (agent.Command, error) {
		first := ask
		first.Resume = false // the program is the same; which session goes on is said by protocol
		c, err := own(first)
		if err != nil {
			return c, err
		}
		c.Client = arguments(ask, p, c.Client)
		c.Stdin, c.Session = ask.Prompt, ""
		if ask.Resume {
			c.Session = ask.Session
		}
		return c, nil
	}
	a.Decode, a.Structured, a.Resumes = Decode, true, true
	name := a.Name
	a.Enforces = func(permissions string) string { return enforces(name, permissions) }
	return a
}

// arguments returns what Run is called with, but for the agent's own argument
// list; more are those of the agent's kind.
func arguments(ask agent.Ask, p agent.ACP, more []string) []string {
	permissions := cmp.Or(ask.Permissions, agent.InsideWorkspace)
	if ask.ReadOnly {
		permissions = agent.Reading
	}
	args := append([]string{"acp", "--permissions", permissions}, more...)
	for _, mode := range p.Modes[permissions] {
		args = append(args, "--mode", mode)
	}
	if ask.Model != "" {
		args = append(args, "--model", ask.Model)
	}
	if ask.Resume {
		args = append(args, "--session", ask.Session)
	}
	if ask.Scratch != "" {
		args = append(args, "--scratch", ask.Scratch)
	}
	if ask.Inbox != "" && permissions == agent.OwnRules {
		args = append(args, "--inbox", ask.Inbox, "--patience", cmp.Or(ask.Patience, usualPatience).String())
	}
	return append(args, "--")
}

// usualPatience is how long a question waits where nobody says so.
const usualPatience = 10 * time.Minute

func enforces(name, permissions string) string {
	if permissions == agent.OwnRules {
		return name + " asks for what its own rules do not allow; what nobody answers in time is denied"
	}
	return name + " is held to the worktree only as far as it asks before it acts"
}

// Decode reads a line that Run prints: an entry.
func Decode(line []byte, stderr bool) []work.Entry {
	if stderr || !bytes.HasPrefix(line, []byte(`{"at":`)) {
		return nil
	}
	var e work.Entry
	if json.Unmarshal(line, &e) != nil || e.Kind == "" {
		return nil
	}
	e.Text, e.Log = agent.Clean(e.Text), 0
	return []work.Entry{e}
}
