// Package copilot reads what the GitHub Copilot command line prints.
package copilot

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A line is what we read of a line of copilot --output-format json.
type line struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	SessionID string    `json:"sessionId"`
	ExitCode  int       `json:"exitCode"`
	Data      struct {
		Content    string `json:"content"`
		Model      string `json:"model"`
		ToolCallID string `json:"toolCallId"`
		ToolName   string `json:"toolName"`
		Arguments  struct {
			Path    string `json:"path"`
			Command string `json:"command"`
		} `json:"arguments"`
		Success bool `json:"success"`
		Result  struct {
			Content string `json:"content"`
		} `json:"result"`
		Error struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"error"`
		Reason     string `json:"reason"`
		ErrorType  string `json:"errorType"`
		Message    string `json:"message"`
		StatusCode int    `json:"statusCode"`
	} `json:"data"`
}

// Decode reads a line of copilot --output-format json. The reason of a failure
// is told before the end.
func Decode(raw []byte, stderr bool) []work.Entry {
	if stderr || len(raw) == 0 || raw[0] != '{' || bytes.Contains(raw, []byte(`"ephemeral":true`)) && !bytes.Contains(raw, []byte("turn_retry")) {
		return nil
	}
	var l line
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	entries := l.entries()
	for i := range entries {
		entries[i].At = l.Timestamp
	}
	return entries
}

func (l *line) entries() []work.Entry {
	switch d := l.Data; l.Type {
	case "assistant.message":
		if d.Content == "" {
			return nil
		}
		return []work.Entry{{Kind: work.Said, Text: agent.Clean(d.Content)}}
	case "tool.execution_start":
		e := work.Entry{Kind: work.Did, Tool: d.ToolName, ID: d.ToolCallID, Path: d.Arguments.Path, Text: agent.Clean(d.Arguments.Command)}
		if e.Text == "" {
			e.Text = e.Path
		}
		return []work.Entry{e}
	case "tool.execution_complete":
		done := work.Entry{Kind: work.Did, ID: d.ToolCallID, Failed: !d.Success, Text: agent.Clean(d.Result.Content + d.Error.Message)}
		// A rule of ours denies in the same way, and is no question to anybody.
		if d.Error.Code == "denied" && strings.Contains(d.Error.Message, "no interactive user") {
			return []work.Entry{{Kind: work.Asked, Failed: true, ID: d.ToolCallID, Text: done.Text}, done}
		}
		return []work.Entry{done}
	case "assistant.turn_retry":
		return []work.Entry{{Kind: work.Retried, Class: classOf(d.Reason, 0, ""), Text: "tries again: " + agent.Clean(d.Reason)}}
	case "session.error":
		return []work.Entry{{Kind: work.Ended, Failed: true, Class: classOf(d.ErrorType, d.StatusCode, d.Message), Text: agent.Clean(d.Message)}}
	case "result":
		// Its exit code repeats the error before it; the session comes only here.
		began := work.Entry{Kind: work.Began, Session: l.SessionID}
		if l.ExitCode != 0 {
			return []work.Entry{began}
		}
		return []work.Entry{began, {Kind: work.Ended}}
	}
	return nil
}

func classOf(kind string, status int, text string) work.Class {
	told := agent.ClassOf(text)
	switch {
	case told == work.ClassNeedsYou: // vendors answer 429 to an empty purse, too
		return told
	case kind == "rate_limit" || status == 429:
		return work.ClassLimited
	case kind == "authentication" || kind == "transient_auth_error" || status == 401 || status == 403:
		return work.ClassNeedsLogin
	case kind == "streaming_error":
		return work.ClassNetwork
	}
	return told
}
