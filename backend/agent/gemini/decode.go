// Package gemini reads what the Gemini command line prints.
package gemini

import (
	"encoding/json"
	"time"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A line is what we read of a line of gemini -o stream-json.
type line struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	SessionID string    `json:"session_id"`
	Model     string    `json:"model"`
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	ToolName  string    `json:"tool_name"`
	ToolID    string    `json:"tool_id"`
	Params    struct {
		FilePath string `json:"file_path"`
		Command  string `json:"command"`
	} `json:"parameters"`
	Status string `json:"status"`
	Output string `json:"output"`
	Error  struct {
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"stats"`
}

// Decode reads a line of gemini -o stream-json. A usage limit of a Google login
// is told on standard error only, and the program then sleeps until it ends.
func Decode(raw []byte, stderr bool) []work.Entry {
	if stderr {
		return agent.Waiting(string(raw))
	}
	var l line
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	entries := l.entries()
	for i := range entries {
		entries[i].At = l.Timestamp
	}
	return entries
}

func (l *line) entries() []work.Entry {
	switch l.Type {
	case "init":
		return []work.Entry{{Kind: work.Began, Session: l.SessionID, Model: l.Model}}
	case "message":
		if l.Role != "assistant" || l.Content == "" {
			return nil
		}
		return []work.Entry{{Kind: work.Said, Text: agent.Clean(l.Content)}}
	case "tool_use":
		e := work.Entry{Kind: work.Did, Tool: l.ToolName, ID: l.ToolID, Path: l.Params.FilePath, Text: agent.Clean(l.Params.Command)}
		if e.Text == "" {
			e.Text = e.Path
		}
		return []work.Entry{e}
	case "tool_result":
		return []work.Entry{{Kind: work.Did, ID: l.ToolID, Failed: l.Status != "success", Text: agent.Clean(l.Output + l.Error.Message)}}
	case "result":
		end := work.Entry{Kind: work.Ended}
		if l.Status != "success" {
			end.Failed, end.Text = true, agent.Clean(l.Error.Message)
			end.Class = agent.ClassOf(end.Text)
		}
		return []work.Entry{{Kind: work.Spent, Usage: &work.Usage{Input: l.Stats.Input, Output: l.Stats.Output}}, end}
	}
	return nil
}
