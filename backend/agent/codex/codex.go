// Package codex describes the Codex command line.
package codex

import (
	"strings"

	"offrun/backend/agent"
)

// Agent is Codex.
var Agent = agent.Agent{
	ID:       "codex",
	Name:     "Codex",
	Verified: true,
	Program:  "codex",
	Places:   []string{"~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:  []string{"--version"},
	Login:    &agent.Login{Args: []string{"login", "status"}, Read: readLogin, Next: "codex login"},
	Accounts: &agent.Accounts{
		Home:     "~/.codex",
		Env:      func(dir string) []string { return []string{"CODEX_HOME=" + dir} },
		Login:    []string{"login"},
		Settings: []string{"config.toml", "AGENTS.md", "hooks.json", "hooks", "rules", "skills"},
		Transcript: func(home, session, _ string) ([]string, error) {
			return agent.Files(home, session, "sessions/*/*/*/rollout-*-{session}.jsonl") // by day
		},
	},
	ACP: &agent.ACP{
		Program: "codex-acp", Variable: "CODEX_PATH", Env: []string{"NO_BROWSER=1"},
		Modes: map[string][]string{
			agent.InsideWorkspace: {"agent", "auto"}, agent.Everything: {"agent-full-access", "full-access"},
			agent.OwnRules: {"read-only"}, agent.Reading: {"read-only"}, // which asks before it writes
		},
	},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// command leaves the folder to the process's working directory: resume has no
// flag for it.
func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{Argv: []string{"codex", "exec"}, Stdin: ask.Prompt, Env: agent.Environ(ask)}
	if ask.Resume {
		c.Argv = append(c.Argv, "resume")
		c.Session = ask.Session
	}
	c.Argv = append(c.Argv, "--json", "--skip-git-repo-check")
	c.Argv = append(c.Argv, rights(ask)...)
	if ask.Model != "" {
		c.Argv = append(c.Argv, "-m", ask.Model)
	}
	if ask.Resume {
		c.Argv = append(c.Argv, ask.Session)
	}
	c.Argv = append(c.Argv, "-")
	return c, nil
}

// rights maps permissions to its sandbox. As settings, not flags, since resume
// takes only these.
func rights(ask agent.Ask) []string {
	switch {
	case ask.ReadOnly || ask.Permissions == agent.OwnRules:
		return []string{"-c", `sandbox_mode="read-only"`, "-c", `approval_policy="never"`}
	case ask.Permissions == agent.Everything:
		return []string{"--dangerously-bypass-approvals-and-sandbox"}
	}
	return []string{
		"-c", `sandbox_mode="workspace-write"`, "-c", `approval_policy="never"`,
		// Without a network no package manager and few test suites work.
		"-c", "sandbox_workspace_write.network_access=true",
	}
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "Codex cannot ask while nobody is at its terminal: it may only read"
	}
	return ""
}

// readLogin reads the answer of "codex login status", which is told on standard
// error.
func readLogin(stdout, stderr string, code int) (agent.LoginState, string) {
	answer := strings.TrimSpace(stdout + stderr)
	switch {
	case code == 0:
		_, how, _ := strings.Cut(answer, "using ")
		return agent.LoggedIn, how
	case strings.Contains(answer, "Not logged in"):
		return agent.NotLoggedIn, ""
	}
	return agent.LoginUnknown, answer
}
