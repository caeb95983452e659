package gemini

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"

	"offrun/backend/agent"
)

// Agent is the Gemini CLI.
var Agent = agent.Agent{
	ID:       "gemini",
	Name:     "Gemini CLI",
	Verified: true,
	Program:  "gemini",
	Places:   []string{"~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	Version:  []string{"--version"},
	Login:    &agent.Login{Marker: ".gemini/oauth_creds.json", Next: "gemini"},
	Accounts: &agent.Accounts{
		Home:       "~",
		Env:        func(dir string) []string { return []string{"GEMINI_CLI_HOME=" + dir} },
		Login:      []string{}, // it asks when it starts
		Settings:   []string{".gemini/settings.json", ".gemini/GEMINI.md", ".gemini/commands", ".gemini/hooks"},
		Transcript: transcript,
	},
	ACP: &agent.ACP{
		Args: []string{"--acp", "--skip-trust"}, Env: quiet, // F77: trusted for this folder only
		Modes: map[string][]string{agent.InsideWorkspace: {"default"}, agent.Everything: {"yolo"}, agent.OwnRules: {"default"}, agent.Reading: {"default"}},
	},
	Command:    command,
	Decode:     Decode,
	Structured: true,
	Resumes:    true,
	Enforces:   enforces,
}

// quiet keeps the program to one process, which is half of the memory.
var quiet = []string{"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_TELEMETRY_ENABLED=false"}

func command(ask agent.Ask) (agent.Command, error) {
	c := agent.Command{
		// The project is trusted in Offrun; each worktree is a new folder to the
		// program, which would else have no tools there (F77).
		Argv:  []string{"gemini", "-o", "stream-json", "--skip-trust", "--approval-mode", approval(ask)},
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
		return "Gemini CLI cannot ask while nobody is at its terminal: it may only read"
	}
	return "Gemini CLI keeps its file tools inside the worktree, but not the shell commands it runs"
}

// transcript finds a conversation in the folder that projects.json names for cwd,
// or in another. The note of the folder's owner comes along: by it another login
// finds the folder.
func transcript(home, session, cwd string) ([]string, error) {
	chat := "/chats/session-*-" + session[:min(len(session), 8)] + ".jsonl"
	patterns := []string{".gemini/tmp/*" + chat}
	if project := projectOf(home, cwd); project != "" {
		patterns = append([]string{".gemini/tmp/" + project + chat}, patterns...)
	}
	files, err := agent.Files(home, session, patterns...)
	if err != nil {
		return nil, err
	}
	for _, chat := range files {
		owner := path.Join(path.Dir(path.Dir(chat)), ".project_root")
		if info, err := os.Lstat(filepath.Join(home, owner)); err == nil && info.Mode().IsRegular() {
			files = append(files, owner)
		}
	}
	return files, nil
}

// projectOf returns the folder of .gemini/tmp that stands for cwd, or "".
func projectOf(home, cwd string) string {
	var known struct {
		Projects map[string]string `json:"projects"`
	}
	b, err := os.ReadFile(filepath.Join(home, ".gemini", "projects.json"))
	if err != nil || json.Unmarshal(b, &known) != nil {
		return "" // then every folder is looked through
	}
	project := known.Projects[cwd]
	if agent.Slug(project) != project {
		return "" // no name that the program gives
	}
	return project
}
