// Package opencode reads what the opencode command line prints.
package opencode

import (
	"encoding/json"
	"strings"
	"time"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A line is what we read of a line of opencode run --format json.
type line struct {
	Type      string `json:"type"`
	Timestamp int64  `json:"timestamp"` // epoch milliseconds
	SessionID string `json:"sessionID"`
	Part      struct {
		Text   string `json:"text"`
		Tool   string `json:"tool"`
		CallID string `json:"callID"`
		Reason string `json:"reason"`
		Tokens struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Write int64 `json:"write"`
				Read  int64 `json:"read"`
			} `json:"cache"`
		} `json:"tokens"`
		Cost  float64 `json:"cost"`
		State struct {
			Status string `json:"status"`
			Input  struct {
				FilePath string `json:"filePath"`
				Command  string `json:"command"`
			} `json:"input"`
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"state"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message      string `json:"message"`
			StatusCode   int    `json:"statusCode"`
			ResponseBody string `json:"responseBody"`
		} `json:"data"`
	} `json:"error"`
}

// Decode reads a line of opencode run --format json. Its only end marker is the
// last step with reason "stop".
func Decode(raw []byte, stderr bool) []work.Entry {
	if stderr {
		return failing(string(raw))
	}
	var l line
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	entries := l.entries()
	for i := range entries {
		entries[i].At = time.UnixMilli(l.Timestamp).UTC()
	}
	return entries
}

func (l *line) entries() []work.Entry {
	switch p := l.Part; l.Type {
	case "step_start":
		return []work.Entry{{Kind: work.Began, Session: l.SessionID}}
	case "text":
		return []work.Entry{{Kind: work.Said, Text: agent.Clean(p.Text)}}
	case "tool_use":
		call := work.Entry{Kind: work.Did, Tool: p.Tool, ID: p.CallID, Path: p.State.Input.FilePath, Text: agent.Clean(p.State.Input.Command)}
		if call.Text == "" {
			call.Text = call.Path
		}
		done := work.Entry{Kind: work.Did, ID: p.CallID, Failed: p.State.Status == "error", Text: agent.Clean(p.State.Output + p.State.Error)}
		return []work.Entry{call, done}
	case "step_finish":
		t := p.Tokens
		spent := work.Entry{Kind: work.Spent, Step: true, Usage: &work.Usage{
			Input: t.Input + t.Cache.Write + t.Cache.Read, Output: t.Output + t.Reasoning, CostUSD: p.Cost,
		}}
		if p.Reason == "stop" {
			return []work.Entry{spent, {Kind: work.Ended}}
		}
		return []work.Entry{spent}
	case "error":
		return []work.Entry{l.failed()}
	}
	return nil
}

func (l *line) failed() work.Entry {
	d := l.Error.Data
	e := work.Entry{Kind: work.Ended, Failed: true, Text: agent.Clean(d.Message)}
	var body struct {
		Error struct {
			ResetsAt int64 `json:"resets_at"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(d.ResponseBody), &body) == nil && body.Error.ResetsAt > 0 {
		at := time.Unix(body.Error.ResetsAt, 0).UTC()
		e.ResetsAt = &at
	}
	told := agent.ClassOf(e.Text + " " + l.Error.Name + " " + d.ResponseBody)
	switch {
	case told == work.ClassNeedsYou: // vendors answer 429 to an empty purse, too
		e.Class = told
	case d.StatusCode == 429:
		e.Class = work.ClassLimited
	case d.StatusCode == 401 || d.StatusCode == 403:
		e.Class = work.ClassNeedsLogin
	case d.StatusCode >= 500 || d.StatusCode == 0 && strings.HasPrefix(d.Message, "Cannot connect"):
		e.Class = work.ClassNetwork
	default:
		e.Class = told
	}
	return e
}

// failing reads a line of --print-logs: standard output is silent while the
// program tries again.
func failing(text string) []work.Entry {
	_, cause, ok := strings.Cut(text, `message="stream error"`)
	if !ok {
		return nil
	}
	class := agent.ClassOf(cause)
	if class == work.ClassFailed {
		class = work.ClassNetwork
	}
	if _, quoted, ok := strings.Cut(cause, "error.error="); ok {
		cause = strings.Trim(quoted, `"`)
	}
	return []work.Entry{{Kind: work.Retried, Class: class, Text: agent.Clean(cause)}}
}
