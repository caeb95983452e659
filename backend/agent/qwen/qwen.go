// Package qwen describes Qwen Code, the qwen command line. It prints what Claude
// Code prints, but for its retries.
package qwen

import (
	"bytes"
	"encoding/json"
	"fmt"

	"offrun/backend/agent"
	"offrun/backend/agent/claude"
	"offrun/backend/work"
)

// Agent is Qwen Code.
var Agent = agent.Agent{
	ID:       "qwen",
	Name:     "Qwen Code",
	Verified: true,
	Program:  "qwen",
	Places:   []string{"~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:  []string{"--version"},
	Login:    &agent.Login{Marker: "oauth_creds.json", Next: "qwen"},
	Accounts: &agent.Accounts{
		Home:     "~/.qwen",
		Env:      func(dir string) []string { return []string{"QWEN_HOME=" + dir} },
		Login:    []string{}, // it asks when it starts
		Settings: []string{"settings.json", "QWEN.md", "commands", "agents"},
		Transcript: func(home, session, cwd string) ([]string, error) {
			return agent.Files(home, session, "projects/"+agent.Slug(cwd)+"/chats/{session}.jsonl", "projects/*/chats/{session}.jsonl")
		},
	},
	ACP:        &agent.ACP{Args: []string{"--acp"}, Env: quiet},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// quiet keeps the program to one process and its standard error to errors.
var quiet = []string{"QWEN_CODE_NO_RELAUNCH=true", "QWEN_CODE_SUPPRESS_YOLO_WARNING=1", "QWEN_TELEMETRY_ENABLED=false"}

func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{
		Argv:  []string{"qwen", "-o", "stream-json", "--approval-mode", approval(ask)},
		Stdin: ask.Prompt,
		Env:   agent.Environ(ask, quiet...),
	}
	if ask.Model != "" {
		c.Argv = append(c.Argv, "-m", ask.Model)
	}
	c.InSession(ask, "--resume", "--session-id")
	return c, nil
}

// approval maps permissions. Without a person, what would be asked is refused.
func approval(ask agent.Ask) string {
	switch {
	case ask.ReadOnly:
		return "plan"
	case ask.Permissions == agent.OwnRules:
		return "default"
	}
	return "yolo"
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "Qwen Code cannot ask while nobody is at its terminal: it may only read"
	}
	return "Qwen Code may write wherever you may once it need not ask"
}

// Decode reads a line of qwen -o stream-json, or of standard error, where it says
// why it will try again.
func Decode(raw []byte, stderr bool) []work.Entry {
	if stderr {
		return agent.Waiting(string(raw))
	}
	if bytes.Contains(raw, []byte(`"subtype":"retry"`)) {
		if e, ok := retry(raw); ok {
			return e
		}
	}
	return claude.Decode(raw, false)
}

// retry reads that it will try again. It does not say why; a minute and more is
// what it waits after a refusal for too many requests only.
func retry(raw []byte) (entries []work.Entry, ok bool) {
	var l struct {
		Type    string `json:"type"`
		Subtype string `json:"subtype"`
		Data    struct {
			Attempt    int     `json:"attempt"`
			MaxRetries int     `json:"maxRetries"`
			DelayMS    float64 `json:"delayMs"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &l) != nil || l.Type != "system" || l.Subtype != "retry" {
		return nil, false
	}
	if l.Data.DelayMS == 0 {
		return nil, true // the retry itself, after the wait
	}
	e := work.Entry{Kind: work.Retried, Class: work.ClassNetwork, Wait: work.Seconds(l.Data.DelayMS / 1000),
		Text: fmt.Sprintf("tries again, %d of %d", l.Data.Attempt, l.Data.MaxRetries)}
	if e.Wait >= 60 {
		e.Class = work.ClassLimited
	}
	return []work.Entry{e}, true
}
