package copilot

import (
	"offrun/backend/agent"
)

// Agent is the GitHub Copilot CLI. Its login lies in the key ring of the system
// where there is one; whether a folder of its own then has a login of its own was
// not tried.
var Agent = agent.Agent{
	ID:       "copilot",
	Name:     "GitHub Copilot CLI",
	Verified: true,
	Program:  "copilot",
	Places:   []string{"~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:  []string{"--version"},
	Login:    &agent.Login{Next: "copilot login"},
	Accounts: &agent.Accounts{
		Home:     "~/.copilot",
		Env:      func(dir string) []string { return []string{"COPILOT_HOME=" + dir} },
		Login:    []string{"login"},
		Settings: []string{"config.json", "mcp-config.json", "hooks", "agents"},
		Transcript: func(home, session, _ string) ([]string, error) {
			return agent.Files(home, session, "session-state/{session}/**")
		},
	},
	ACP:        &agent.ACP{Args: []string{"--acp"}, Env: []string{"COPILOT_AUTO_UPDATE=false"}},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// command always chooses the session: the program tells it at the very end only,
// too late for a run that dies.
func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{
		Argv:  []string{"copilot", "--output-format", "json", "--no-ask-user", "--no-auto-update", "--no-color"},
		Stdin: ask.Prompt,
		Env:   agent.Environ(ask, "COPILOT_AUTO_UPDATE=false"),
	}
	c.Argv = append(c.Argv, rights(ask)...)
	if ask.Model != "" {
		c.Argv = append(c.Argv, "--model", ask.Model)
	}
	c.InSession(ask, "--resume=", "--session-id")
	return c, nil
}

// rights maps permissions. Without a person, what would be asked is refused.
func rights(ask agent.Ask) []string {
	switch {
	case ask.ReadOnly:
		return []string{"--allow-all-tools", "--deny-tool=write", "--deny-tool=shell"}
	case ask.Permissions == agent.Everything:
		return []string{"--allow-all"}
	case ask.Permissions == agent.OwnRules:
		return nil
	}
	return []string{"--allow-all-tools", "--allow-all-urls"} // paths are checked, the worktree and the temporary folder allowed
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "GitHub Copilot CLI cannot ask while nobody is at its terminal: what needs a permission is refused"
	}
	return "GitHub Copilot CLI checks the paths that it sees in a command, not what a program does that it runs"
}
