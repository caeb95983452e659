// Package claude describes Claude Code, the claude command line.
package claude

import (
	"encoding/json"

	"offrun/backend/agent"
)

// Agent is Claude Code.
var Agent = agent.Agent{
	ID:       "claude",
	Name:     "Claude Code",
	Verified: true,
	Program:  "claude",
	Places:   []string{"~/.local/bin", "~/.claude/local", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:  []string{"--version"},
	Login:    &agent.Login{Args: []string{"auth", "status"}, Read: readLogin, Next: "claude auth login"},
	Accounts: &agent.Accounts{
		Home:       "~/.claude",
		Env:        func(dir string) []string { return []string{"CLAUDE_CONFIG_DIR=" + dir} },
		Login:      []string{"auth", "login"},
		Settings:   []string{"settings.json", "settings.local.json", "CLAUDE.md", "hooks", "agents", "commands", "skills", "plugins/installed_plugins.json"},
		Transcript: transcript,
	},
	ACP: &agent.ACP{
		Program: "claude-agent-acp", Variable: "CLAUDE_CODE_EXECUTABLE", Env: quiet,
		Modes: map[string][]string{
			agent.InsideWorkspace: {"default"}, agent.Everything: {"bypassPermissions", "default"},
			agent.OwnRules: {"default"}, agent.Reading: {"default"},
		},
	},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// quiet keeps the program to its task: no telemetry, no error reports, no update
// of itself in the middle of a run.
var quiet = []string{
	"DISABLE_TELEMETRY=1",
	"DISABLE_ERROR_REPORTING=1",
	"DISABLE_AUTOUPDATER=1",
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
}

func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{
		Argv:  []string{"claude", "-p", "--output-format", "stream-json", "--verbose"},
		Stdin: ask.Prompt,
		Env:   quiet,
	}
	c.Argv = append(c.Argv, rights(ask)...)
	if ask.Model != "" {
		c.Argv = append(c.Argv, "--model", ask.Model)
	}
	c.InSession(ask, "--resume", "--session-id")
	if ask.Root && !ask.ReadOnly && ask.Permissions == agent.Everything {
		// As root the program refuses to skip permissions unless it is told that
		// this is meant.
		c.Env = append(c.Env[:len(c.Env):len(c.Env)], "IS_SANDBOX=1")
	}
	c.Env = agent.Environ(ask, c.Env...)
	return c, nil
}

// rights maps permissions. Without a person, whatever would be asked is refused,
// so nothing here can make the program wait.
func rights(ask agent.Ask) []string {
	switch {
	case ask.ReadOnly:
		return []string{"--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk", "--allowedTools", "Read,Grep,Glob"}
	case ask.Permissions == agent.Everything:
		return []string{"--dangerously-skip-permissions"}
	case ask.Permissions == agent.OwnRules:
		return []string{"--permission-mode", "default"}
	}
	// acceptEdits lets its file tools write below the working directory only.
	return []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,WebFetch,WebSearch"}
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "Claude Code cannot ask while nobody is at its terminal: what needs a permission is refused"
	}
	return "Claude Code keeps its file tools inside the worktree, but not the shell commands it runs"
}

// transcript finds a conversation under the name of its folder, or under another:
// a folder may have been reached by another path.
func transcript(home, session, cwd string) ([]string, error) {
	return agent.Files(home, session, "projects/"+agent.Slug(cwd)+"/{session}.jsonl", "projects/*/{session}.jsonl")
}

// readLogin reads the answer of "claude auth status".
func readLogin(stdout, _ string, _ int) (agent.LoginState, string) {
	var status struct {
		LoggedIn         *bool  `json:"loggedIn"`
		AuthMethod       string `json:"authMethod"`
		Email            string `json:"email"`
		SubscriptionType string `json:"subscriptionType"`
	}
	if json.Unmarshal([]byte(stdout), &status) != nil || status.LoggedIn == nil {
		return agent.LoginUnknown, ""
	}
	if !*status.LoggedIn {
		return agent.NotLoggedIn, ""
	}
	detail := status.AuthMethod
	if status.Email != "" {
		detail = status.Email
	}
	if status.SubscriptionType != "" {
		detail += ", " + status.SubscriptionType
	}
	return agent.LoggedIn, detail
}
