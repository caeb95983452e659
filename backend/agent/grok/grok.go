// Package grok describes Grok Build, the grok command line, from its public
// documentation: the program itself was not run.
package grok

import (
	"encoding/json"
	"strings"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// Agent is Grok Build.
var Agent = agent.Agent{
	ID:         "grok",
	Name:       "Grok Build",
	Program:    "grok",
	Places:     []string{"~/.grok/bin", "~/.local/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:    []string{"--version"},
	Login:      &agent.Login{Next: "grok login"},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// command gives the prompt as one argument: the program reads none from standard input.
func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{
		Argv: []string{"grok", "--single=" + ask.Prompt, "--output-format", "streaming-json", "--no-auto-update"},
		Env:  agent.Environ(ask),
	}
	switch {
	case ask.ReadOnly:
		c.Argv = append(c.Argv, "--permission-mode", "plan")
	case ask.Permissions != agent.OwnRules:
		c.Argv = append(c.Argv, "--always-approve")
	}
	if ask.Model != "" {
		c.Argv = append(c.Argv, "--model", ask.Model)
	}
	c.InSession(ask, "--resume", "--session-id")
	return c, nil
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "Grok Build cannot ask while nobody is at its terminal: it stops where it needs a permission"
	}
	return "Grok Build may write wherever you may once it need not ask"
}

// A line is what we read of a line of --output-format streaming-json.
type line struct {
	Type       string          `json:"type"`
	Data       json.RawMessage `json:"data"`
	Message    string          `json:"message"`
	SessionID  string          `json:"sessionId"`
	StopReason string          `json:"stopReason"`
	CostUSD    float64         `json:"total_cost_usd"`
	Usage      *struct {
		Input      int64 `json:"input_tokens"`
		Output     int64 `json:"output_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`

	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Title      string `json:"title"`
	Status     string `json:"status"`
}

// Decode reads a line of grok --output-format streaming-json: pieces of text, tool
// calls, and an end that names the session.
func Decode(raw []byte, stderr bool) []work.Entry {
	var l line
	if stderr || len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	switch l.Type {
	case "text":
		if text := l.text(); text != "" {
			return []work.Entry{{Kind: work.Said, Text: text}}
		}
	case "tool_call":
		return []work.Entry{{Kind: work.Did, Tool: l.ToolName, ID: l.ToolCallID, Text: agent.Clean(l.Title)}}
	case "tool_call_update":
		if l.Status == "completed" || l.Status == "failed" {
			return []work.Entry{{Kind: work.Did, ID: l.ToolCallID, Failed: l.Status == "failed"}}
		}
	case "error":
		text := strings.TrimSpace(agent.Clean(l.Message) + l.text())
		return []work.Entry{{Kind: work.Ended, Failed: true, Class: agent.ClassOf(text), Text: text}}
	case "end":
		return l.end()
	}
	return nil
}

func (l line) text() string {
	var text string
	_ = json.Unmarshal(l.Data, &text) // data of another kind is no text
	return agent.Clean(text)
}

func (l line) end() []work.Entry {
	entries := []work.Entry{{Kind: work.Began, Session: l.SessionID}}
	if u := l.Usage; u != nil {
		entries = append(entries, work.Entry{Kind: work.Spent, Usage: &work.Usage{
			Input: u.Input + u.CacheRead + u.CacheWrite, Output: u.Output, CostUSD: l.CostUSD,
		}})
	}
	switch l.StopReason {
	case "EndTurn", "end_turn":
		return append(entries, work.Entry{Kind: work.Ended})
	case "Cancelled", "cancelled":
		return append(entries, work.Entry{Kind: work.Asked, Failed: true, Text: "it needed a permission that nobody could give"}, work.Entry{Kind: work.Ended})
	}
	return append(entries, work.Entry{Kind: work.Ended, Failed: true, Text: "stopped: " + agent.Clean(l.StopReason)})
}
