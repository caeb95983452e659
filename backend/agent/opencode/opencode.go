package opencode

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"offrun/backend/agent"
)

// Agent is opencode.
var Agent = agent.Agent{
	ID:       "opencode",
	Name:     "opencode",
	Verified: true,
	Program:  "opencode",
	Places:   []string{"~/.opencode/bin", "~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:  []string{"--version"},
	Login:    &agent.Login{Args: []string{"auth", "list"}, Read: readLogin, Next: "opencode auth login"},
	Accounts: &agent.Accounts{
		Home:   "~/.local/share/opencode",
		Env:    environ,
		Login:  []string{"auth", "login"},
		Shares: true,
	},
	ACP:        &agent.ACP{Args: []string{"acp"}, Env: quiet},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// environ gives a login its own data, where credentials are, but the database of
// conversations that the login on the machine has: so all of them know each other's.
// Settings and caches are shared.
func environ(dir string) []string {
	data := os.Getenv("XDG_DATA_HOME")
	if home, err := os.UserHomeDir(); data == "" && err == nil {
		data = filepath.Join(home, ".local", "share")
	}
	return []string{
		"XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"OPENCODE_DB=" + filepath.Join(data, "opencode", "opencode.db"),
	}
}

var quiet = []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}

// What is denied, in the program's own settings. A denial holds whatever else is
// allowed; the rule that fits last counts.
const (
	inside   = `{"external_directory":"deny"}`
	readOnly = `{"edit":"deny","bash":{"*":"deny","git diff*":"allow","git log*":"allow"},"webfetch":"deny","external_directory":"deny"}`
)

// command asks for logs on standard error: while the program tries again,
// standard output is silent for minutes.
func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{
		Argv:    []string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR"},
		Stdin:   ask.Prompt,
		Session: "", // told by the program
	}
	own := quiet
	switch {
	case ask.ReadOnly:
		c.Argv = append(c.Argv, "--agent", "plan")
		own = append(own[:len(own):len(own)], "OPENCODE_PERMISSION="+readOnly)
	case ask.Permissions == agent.Everything:
		c.Argv = append(c.Argv, "--auto")
	case ask.Permissions != agent.OwnRules:
		c.Argv = append(c.Argv, "--auto")
		own = append(own[:len(own):len(own)], "OPENCODE_PERMISSION="+inside)
	}
	if ask.Model != "" {
		c.Argv = append(c.Argv, "-m", ask.Model)
	}
	if ask.Resume {
		c.Session = ask.Session
		c.Argv = append(c.Argv, "--session", ask.Session)
	}
	c.Env = agent.Environ(ask, own...)
	return c, nil
}

func enforces(permissions string) string {
	if permissions == agent.OwnRules {
		return "opencode cannot ask while nobody is at its terminal: what needs a permission is refused"
	}
	return "opencode checks the paths that it sees in a command, not what a program does that it runs"
}

var count = regexp.MustCompile(`(\d+) credentials?`)

// readLogin reads the answer of "opencode auth list". No credential proves
// nothing: keys may be in its settings, and some models need none.
func readLogin(stdout, _ string, code int) (agent.LoginState, string) {
	m := count.FindStringSubmatch(stdout)
	if code != 0 || m == nil || m[1] == "0" {
		return agent.LoginUnknown, ""
	}
	return agent.LoggedIn, strings.TrimSpace(m[0])
}
