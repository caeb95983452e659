package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// Decode reads a line of claude -p --output-format stream-json --verbose. Qwen
// Code and Amp print the same format.
func Decode(raw []byte, stderr bool) []work.Entry {
	if stderr {
		return nil
	}
	switch kind(raw) {
	case "assistant":
		return chat(raw, assistant)
	case "user":
		return chat(raw, user)
	case "system":
		return entries[system](raw)
	case "rate_limit_event":
		return entries[limit](raw)
	case "result":
		return entries[result](raw)
	}
	return nil
}

// kind returns the type of a line. Nearly all lines begin with it, and a flood of
// them is not to be parsed twice.
func kind(raw []byte) string {
	if after, ok := bytes.CutPrefix(raw, []byte(`{"type":"`)); ok {
		if name, _, ok := bytes.Cut(after, []byte(`"`)); ok {
			return string(name)
		}
	}
	var l struct {
		Type string `json:"type"`
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &l) != nil {
		return ""
	}
	return l.Type
}

// entries reads raw as a line of kind L.
func entries[L interface {
	at() time.Time
	entries() []work.Entry
}](raw []byte) []work.Entry {
	var l L
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	es := l.entries()
	for i := range es {
		es[i].At = l.at()
	}
	return es
}

// A stamp is in lines of every kind, though not in every line.
type stamp struct {
	Timestamp time.Time `json:"timestamp"`
}

func (s stamp) at() time.Time { return s.Timestamp }

type system struct {
	stamp
	Subtype string `json:"subtype"`

	// init
	SessionID    string `json:"session_id"`
	Model        string `json:"model"`
	APIKeySource string `json:"apiKeySource"`

	// api_retry
	Attempt     int             `json:"attempt"`
	MaxRetries  int             `json:"max_retries"`
	RetryMS     float64         `json:"retry_delay_ms"`
	ErrorStatus *int            `json:"error_status"`
	Error       json.RawMessage `json:"error"`

	// permission_denied
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	Message   json.RawMessage `json:"message"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

type limit struct {
	stamp
	Info struct {
		Status      string  `json:"status"`
		ResetsAt    int64   `json:"resetsAt"` // epoch seconds
		Type        string  `json:"rateLimitType"`
		Utilization float64 `json:"utilization"`

		// By name: five_hour, seven_day. Newer versions tell them with every answer.
		Windows map[string]struct {
			Utilization float64 `json:"utilization"`
			ResetsAt    int64   `json:"resetsAt"`
		} `json:"unifiedWindows"`
	} `json:"rate_limit_info"`
}

type result struct {
	stamp
	Subtype  string          `json:"subtype"`
	IsError  bool            `json:"is_error"`
	APIError string          `json:"api_error"`
	Status   int             `json:"api_error_status"`
	Result   string          `json:"result"`
	Errors   []string        `json:"errors"`
	Error    json.RawMessage `json:"error"`
	CostUSD  float64         `json:"total_cost_usd"`
	Usage    struct {
		Input      int64 `json:"input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		Output     int64 `json:"output_tokens"`
	} `json:"usage"`
}

func (l system) entries() []work.Entry {
	switch l.Subtype {
	case "init":
		e := work.Entry{Kind: work.Began, Session: l.SessionID, Model: l.Model}
		if l.APIKeySource != "" && l.APIKeySource != "none" {
			e.Text = "uses " + l.APIKeySource
		}
		return []work.Entry{e}
	case "api_retry":
		return []work.Entry{l.retry()}
	case "permission_denied":
		return []work.Entry{{Kind: work.Asked, Failed: true, Tool: l.ToolName, ID: l.ToolUseID,
			Text: agent.Clean(l.ToolName + ": " + word(l.Message))}}
	}
	return nil
}

func (l system) retry() work.Entry {
	cause := word(l.Error)
	e := work.Entry{Kind: work.Retried, Class: work.ClassNetwork, Wait: work.Seconds(l.RetryMS / 1000)}
	if l.ErrorStatus != nil {
		cause = fmt.Sprintf("%s, status %d", cause, *l.ErrorStatus)
		e.Class = classOf(cause, *l.ErrorStatus)
	}
	e.Text = fmt.Sprintf("tries again, %d of %d: %s", l.Attempt, l.MaxRetries, cause)
	return e
}

// classOf maps the program's own words for an error, or else the HTTP status.
func classOf(cause string, status int) work.Class {
	switch {
	case strings.Contains(cause, "billing_error"):
		return work.ClassNeedsYou // no reset brings credit
	case strings.Contains(cause, "usage_limit") || strings.Contains(cause, "rate_limit"):
		return work.ClassLimited
	case strings.Contains(cause, "authentication_failed") || strings.Contains(cause, "oauth_org_not_allowed"):
		return work.ClassNeedsLogin
	case strings.Contains(cause, "connection_failed"):
		return work.ClassNetwork
	case status == 429:
		return work.ClassLimited
	case status == 401 || status == 403:
		return work.ClassNeedsLogin
	case status >= 500:
		return work.ClassNetwork
	}
	return work.ClassFailed
}

// chat reads a line that carries a message. Most lines do, and what they say is a
// small part of them, so only that part is decoded.
func chat(raw []byte, entries func(cause string, content []block) []work.Entry) []work.Entry {
	var at time.Time
	var failure, said json.RawMessage
	bad := false
	whole := agent.Members(raw, func(key, value []byte) {
		switch string(key) {
		case "timestamp":
			bad = bad || at.UnmarshalJSON(value) != nil
		case "error":
			failure = value
		case "message":
			bad = bad || !agent.Members(value, func(key, value []byte) {
				if string(key) == "content" {
					said = value
				}
			})
		}
	})
	var content []block
	if !whole || bad || said == nil || json.Unmarshal(said, &content) != nil {
		return nil
	}
	es := entries(word(failure), content)
	for i := range es {
		es[i].At = at
	}
	return es
}

func assistant(cause string, content []block) []work.Entry {
	var entries []work.Entry
	for _, b := range content {
		switch {
		case b.Type == "text" && cause != "":
			// The program's own text about an error; the result repeats it.
			if classOf(cause, 0) == work.ClassLimited {
				entries = append(entries, work.Entry{Kind: work.Hit, Class: work.ClassLimited, Text: agent.Clean(b.Text)})
			}
		case b.Type == "text" && b.Text != "":
			entries = append(entries, work.Entry{Kind: work.Said, Text: agent.Clean(b.Text)})
		case b.Type == "tool_use":
			entries = append(entries, call(b))
		}
	}
	return entries
}

// call tells what a tool is about to do.
func call(b block) work.Entry {
	var in struct {
		FilePath     string `json:"file_path"`
		NotebookPath string `json:"notebook_path"`
		Path         string `json:"path"`
		Command      string `json:"command"`
		Pattern      string `json:"pattern"`
		URL          string `json:"url"`
		Query        string `json:"query"`
		Description  string `json:"description"`
		Questions    []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	_ = json.Unmarshal(b.Input, &in) // a tool with other fields has no summary
	if b.Name == "AskUserQuestion" {
		var asked []string
		for _, q := range in.Questions {
			asked = append(asked, q.Question)
		}
		return work.Entry{Kind: work.Asked, ID: b.ID, Text: agent.Clean(strings.Join(asked, "\n"))}
	}
	e := work.Entry{Kind: work.Did, Tool: b.Name, ID: b.ID, Path: in.FilePath + in.NotebookPath}
	for _, s := range []string{in.Command, e.Path, in.Pattern, in.URL, in.Query, in.Path, in.Description} {
		if s != "" {
			e.Text = agent.Clean(s)
			break
		}
	}
	return e
}

// user carries the results of tools. What the user says is a text and gives
// nothing: whoever sent it knows.
func user(_ string, content []block) []work.Entry {
	var entries []work.Entry
	for _, b := range content {
		if b.Type == "tool_result" {
			entries = append(entries, work.Entry{Kind: work.Did, ID: b.ToolUseID, Failed: b.IsError, Text: agent.Clean(text(b.Content))})
		}
	}
	return entries
}

func (l limit) entries() []work.Entry {
	r := l.Info
	e := work.Entry{Kind: work.Hit, ResetsAt: epoch(r.ResetsAt), Windows: l.windows()}
	window := strings.ReplaceAll(r.Type, "_", " ")
	switch {
	case r.Status == "rejected":
		e.Class, e.Text = work.ClassLimited, window+" limit reached"
	case r.Status == "allowed_warning":
		e.Text = fmt.Sprintf("%.0f %% of the %s limit used", r.Utilization*100, window)
	case e.Windows != nil:
		return []work.Entry{{Kind: work.Spent, Windows: e.Windows}}
	default:
		return nil
	}
	return []work.Entry{e}
}

// windows returns what is known of the vendor's windows, in the order of their
// names. A warning of an older version names one only.
func (l limit) windows() []work.Window {
	var all []work.Window
	for _, name := range slices.Sorted(maps.Keys(l.Info.Windows)) {
		w := l.Info.Windows[name]
		all = append(all, work.Window{Name: name, Used: w.Utilization, ResetsAt: epoch(w.ResetsAt), At: l.Timestamp})
	}
	if r := l.Info; all == nil && r.Type != "" && r.Utilization > 0 {
		all = append(all, work.Window{Name: r.Type, Used: r.Utilization, ResetsAt: epoch(r.ResetsAt), At: l.Timestamp})
	}
	return all
}

// epoch returns the time that seconds stand for, or nil.
func epoch(seconds int64) *time.Time {
	if seconds <= 0 {
		return nil
	}
	return new(time.Unix(seconds, 0).UTC())
}

// The final word. The subtype of a refused request is "success"
// too: is_error decides.
func (l result) entries() []work.Entry {
	end := work.Entry{Kind: work.Ended}
	if l.IsError || l.Subtype != "success" || l.APIError != "" || l.Status >= 400 {
		end.Failed = true
		end.Text = agent.Clean(strings.Join(append([]string{l.Result + word(l.Error)}, l.Errors...), "\n"))
		end.Text = strings.TrimSpace(end.Text)
		if end.Text == "" {
			end.Text = strings.ReplaceAll(l.Subtype, "_", " ")
		}
		if end.Class = classOf(l.APIError, l.Status); end.Class == work.ClassFailed {
			end.Class = agent.ClassOf(end.Text)
		}
	}
	spent := work.Entry{Kind: work.Spent, Usage: &work.Usage{
		Input:   l.Usage.Input + l.Usage.CacheWrite + l.Usage.CacheRead,
		Output:  l.Usage.Output,
		CostUSD: l.CostUSD,
	}}
	return []work.Entry{spent, end}
}

// text flattens the content of a tool's result: a text, or a list of blocks.
func text(content json.RawMessage) string {
	if s := word(content); s != "" {
		return s
	}
	var bs []block
	if json.Unmarshal(content, &bs) != nil {
		return ""
	}
	var texts []string
	for _, b := range bs {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// word reads a JSON string, or the message of an object, or "".
func word(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &o) // anything else tells nothing
	return o.Message
}
