package work

import "time"

// Settings are what .offrun/project.yaml says. The zero value of every field is
// its default as package project fills it in; the comments name that default.
type Settings struct {
	Trunk        string            `json:"trunk"`                  // branch that results land on; default: the branch that HEAD names
	Acceptance   []string          `json:"acceptance,omitempty"`   // commands for sh -c in the worktree; default: none beyond the card's own
	Setup        string            `json:"setup,omitempty"`        // command that makes a fresh worktree usable; default: none
	Teardown     string            `json:"teardown,omitempty"`     // command before a worktree is removed; default: none
	Bring        []string          `json:"bring,omitempty"`        // globs of ignored files copied into each worktree; default: [.env]
	Dependencies map[string]string `json:"dependencies,omitempty"` // folder → clone, link, install, none; default: known folders, cloned
	Protected    []string          `json:"protected,omitempty"`    // globs that an attempt should not touch; default: lock files
	Workspace    string            `json:"workspace"`              // host; default: host
	Select       []AgentID         `json:"select,omitempty"`       // agents that a run uses when none are named; default: none
	Limits       Limits            `json:"limits"`
	Permissions  string            `json:"permissions"`     // inside-workspace, all, ask; default: inside-workspace
	Switch       string            `json:"switch"`          // when all logins of an agent rest: ask, other-agent, wait; default: ask
	Notes        string            `json:"notes"`           // keep: NOTES.md stays an artifact; land: it is part of the result; default: keep
	Gates        []string          `json:"gates,omitempty"` // commands that must pass on the merged tree before it lands; default: none
	Agents       []AgentSettings   `json:"agents,omitempty"`
}

// Limits are time limits; 0 switches one off where the comment says so.
type Limits struct {
	Total      Seconds `json:"total"`      // one turn of an agent; default 30m
	Start      Seconds `json:"start"`      // until its first output, for agents that report as they go; default 2m; 0 is off
	Silence    Seconds `json:"silence"`    // without output before a warning; default 5m; 0 is off
	Setup      Seconds `json:"setup"`      // default 15m
	Acceptance Seconds `json:"acceptance"` // each acceptance command; default 15m
	Answer     Seconds `json:"answer"`     // until a question that a person could answer counts as denied; default 10m
}

// AgentSettings override a built-in agent, or describe a custom one when Cmd is
// there.
type AgentSettings struct {
	ID      AgentID           `json:"id"`
	Cmd     []string          `json:"cmd,omitempty"`     // argument list with {{task_file}} {{prompt}} {{workdir}} {{model}} {{session_id}}
	Resume  []string          `json:"resume,omitempty"`  // the same for a follow-up in session {{session_id}}; default: none, a new session gets the transcript
	Prompt  string            `json:"prompt,omitempty"`  // "stdin": the prompt is written there; default: only where {{prompt}} stands
	Output  string            `json:"output,omitempty"`  // text, claude, codex, gemini, opencode, qwen, copilot; default: text
	Env     map[string]string `json:"env,omitempty"`     // added to the allowed environment
	Secret  []string          `json:"secret,omitempty"`  // names in Env whose values are never shown, besides those that say it themselves
	Timeout Seconds           `json:"timeout,omitempty"` // default: limits.total
	Model   string            `json:"model,omitempty"`   // default: the agent's own
	Path    string            `json:"path,omitempty"`    // of a built-in agent's program, absolute; default: looked for
	Driver  string            `json:"driver,omitempty"`  // how it is spoken to: stream, acp; default: stream
}

// TimeLimit returns the total limit for agent: its own timeout, else the project's.
func (s Settings) TimeLimit(agent AgentID) time.Duration {
	for _, a := range s.Agents {
		if a.ID == agent && a.Timeout > 0 {
			return a.Timeout.Duration()
		}
	}
	return s.Limits.Total.Duration()
}
