package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A line is what we read of a line of codex exec --json.
type line struct {
	Type     string `json:"type"`
	ThreadID string `json:"thread_id"`
	Item     item   `json:"item"`
	Message  string `json:"message"`
	Error    struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

type item struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Text     string `json:"text"`
	Message  string `json:"message"`
	Status   string `json:"status"`
	Command  string `json:"command"`
	Output   string `json:"aggregated_output"`
	ExitCode *int   `json:"exit_code"`
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Query    string `json:"query"`
	Changes  []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`
}

// Decode reads a line of codex exec --json.
func Decode(raw []byte, stderr bool) []work.Entry {
	if stderr || len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var l line
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	switch l.Type {
	case "thread.started":
		return []work.Entry{{Kind: work.Began, Session: l.ThreadID}}
	case "item.started":
		return l.Item.started()
	case "item.completed":
		return l.Item.completed()
	case "error":
		return failing(l.Message)
	case "turn.completed":
		spent := work.Entry{Kind: work.Spent, Usage: &work.Usage{Input: l.Usage.Input, Output: l.Usage.Output}}
		return []work.Entry{spent, {Kind: work.Ended}}
	case "turn.failed":
		text := agent.Clean(l.Error.Message)
		return []work.Entry{{Kind: work.Ended, Failed: true, Class: agent.ClassOf(text), Text: text}}
	}
	return nil
}

func (i item) started() []work.Entry {
	e := work.Entry{Kind: work.Did, ID: i.ID}
	switch i.Type {
	case "command_execution":
		e.Tool, e.Text = "command", agent.Clean(i.Command)
	case "file_change":
		e.Tool = "edit"
		e.Path, e.Text = i.changed()
	case "mcp_tool_call":
		e.Tool = i.Server + "." + i.Tool
	case "web_search":
		e.Tool, e.Text = "web search", agent.Clean(i.Query)
	default:
		return nil
	}
	return []work.Entry{e}
}

// changed returns the first file of a change, and the list of all for people.
func (i item) changed() (path, list string) {
	var changes []string
	for _, c := range i.Changes {
		changes = append(changes, c.Kind+" "+c.Path)
	}
	if len(i.Changes) > 0 {
		path = i.Changes[0].Path
	}
	return path, agent.Clean(strings.Join(changes, "\n"))
}

func (i item) completed() []work.Entry {
	e := work.Entry{Kind: work.Did, ID: i.ID, Failed: i.Status == "failed" || i.Status == "declined"}
	switch i.Type {
	case "agent_message":
		e = work.Entry{Kind: work.Said, Text: agent.Clean(i.Text)}
	case "error":
		e = work.Entry{Kind: work.Said, Text: agent.Clean(i.Message)}
	case "command_execution":
		e.Text = agent.Clean(i.Output)
		if i.ExitCode != nil && *i.ExitCode != 0 {
			e.Failed = true
			e.Text = agent.Clean(fmt.Sprintf("exit status %d\n%s", *i.ExitCode, i.Output))
		}
	case "file_change", "mcp_tool_call", "web_search":
	default:
		return nil
	}
	return []work.Entry{e}
}

// failing reads an error that may still be followed by success: the program
// tries again. The last of them is repeated by turn.failed.
func failing(message string) []work.Entry {
	text := agent.Clean(message)
	if strings.HasPrefix(message, "Reconnecting...") {
		class := agent.ClassOf(text)
		if class == work.ClassFailed {
			class = work.ClassNetwork
		}
		return []work.Entry{{Kind: work.Retried, Class: class, Text: text}}
	}
	if agent.ClassOf(text) == work.ClassLimited {
		return []work.Entry{{Kind: work.Hit, Class: work.ClassLimited, Text: text}}
	}
	return nil
}
