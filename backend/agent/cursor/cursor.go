// Package cursor describes the Cursor command line, from its public
// documentation: the program itself was not run. Its messages look like those of
// Claude Code, its tool calls do not.
package cursor

import (
	"bytes"
	"encoding/json"
	"strings"

	"offrun/backend/agent"
	"offrun/backend/agent/claude"
	"offrun/backend/work"
)

// Agent is the Cursor CLI.
var Agent = agent.Agent{
	ID:         "cursor",
	Name:       "Cursor CLI",
	Program:    "cursor-agent",
	Places:     []string{"~/.local/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:    []string{"--version"},
	Login:      &agent.Login{Args: []string{"status"}, Read: readLogin, Next: "cursor-agent login"},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// command trusts the worktree for this one run: the project is trusted in Offrun,
// and each worktree is a new folder to the program (F77).
func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{Argv: []string{"cursor-agent", "-p", "--output-format", "stream-json", "--trust"}, Env: agent.Environ(ask)}
	switch {
	case ask.ReadOnly:
		c.Argv = append(c.Argv, "--mode", "ask")
	case ask.Permissions == agent.Everything:
		c.Argv = append(c.Argv, "--force", "--sandbox", "disabled")
	case ask.Permissions != agent.OwnRules:
		c.Argv = append(c.Argv, "--sandbox", "enabled")
	}
	if ask.Model != "" {
		c.Argv = append(c.Argv, "--model", ask.Model)
	}
	if ask.Resume {
		c.Session = ask.Session
		c.Argv = append(c.Argv, "--resume", ask.Session)
	}
	c.Argv = append(c.Argv, "--", ask.Prompt)
	return c, nil
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "Cursor CLI cannot ask while nobody is at its terminal: what needs a permission is refused"
	}
	return ""
}

// readLogin reads the answer of "cursor-agent status".
func readLogin(stdout, stderr string, _ int) (agent.LoginState, string) {
	answer := strings.TrimSpace(agent.Clean(stdout + stderr))
	_, who, in := strings.Cut(answer, "Logged in as ")
	who, _, _ = strings.Cut(who, "\n")
	switch {
	case in:
		return agent.LoggedIn, strings.TrimSpace(who)
	case strings.Contains(strings.ToLower(answer), "not logged in"):
		return agent.NotLoggedIn, ""
	}
	return agent.LoginUnknown, ""
}

// Decode reads a line of cursor-agent -p --output-format stream-json.
func Decode(raw []byte, stderr bool) []work.Entry {
	if !stderr && bytes.Contains(raw, []byte(`"tool_call"`)) {
		if e, ok := toolCall(raw); ok {
			return e
		}
	}
	return claude.Decode(raw, stderr)
}

// toolCall reads the start or the end of a tool call. The only key of tool_call
// names the tool: shellToolCall, readToolCall.
func toolCall(raw []byte) (entries []work.Entry, ok bool) {
	var l struct {
		Type    string                     `json:"type"`
		Subtype string                     `json:"subtype"`
		CallID  string                     `json:"call_id"`
		Call    map[string]json.RawMessage `json:"tool_call"`
	}
	if json.Unmarshal(raw, &l) != nil || l.Type != "tool_call" {
		return nil, false
	}
	for key, value := range l.Call {
		name, is := strings.CutSuffix(key, "ToolCall")
		if !is {
			continue
		}
		var c call
		_ = json.Unmarshal(value, &c) // a tool with other fields has no summary
		if l.Subtype == "started" {
			e := work.Entry{Kind: work.Did, Tool: name, ID: l.CallID, Path: c.Args.Path, Text: agent.Clean(c.Args.Command)}
			if e.Text == "" {
				e.Text = e.Path
			}
			return []work.Entry{e}, true
		}
		return c.done(name, l.CallID), true
	}
	return nil, true
}

type call struct {
	Args struct {
		Path    string `json:"path"`
		Command string `json:"command"`
	} `json:"args"`
	Result map[string]struct {
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
		ExitCode int    `json:"exitCode"`
		Reason   string `json:"reason"`
		Error    string `json:"error"`
	} `json:"result"`
}

// done tells how a call ended: the only key of its result says so.
func (c call) done(name, id string) []work.Entry {
	e := work.Entry{Kind: work.Did, ID: id}
	if r, refused := c.Result["rejected"]; refused {
		e.Failed, e.Text = true, agent.Clean(r.Reason)
		return []work.Entry{{Kind: work.Asked, Failed: true, Tool: name, ID: id, Text: agent.Clean(strings.TrimSuffix(name+": "+r.Reason, ": "))}, e}
	}
	r, ok := c.Result["success"]
	e.Failed = c.Result != nil && (!ok || r.ExitCode != 0)
	for _, r := range c.Result {
		e.Text = agent.Clean(strings.TrimSpace(r.Stdout + r.Stderr + r.Error))
	}
	return []work.Entry{e}
}
