// Package agent says what an agent is: a command line that works on a task
// without a person, and how to read what it prints. An agent is data. Starting,
// limiting and stopping it is done elsewhere, so a new one brings no machinery
// of its own.
package agent

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"offrun/backend/work"
)

// What an agent may do, as work.Settings.Permissions says it.
const (
	InsideWorkspace = "inside-workspace" // write in its worktree, run commands; the default
	Everything      = "all"              // whatever its user may do
	OwnRules        = "ask"              // what its own rules allow; nobody is there to ask, so the rest is refused
)

// An Ask is one message to an agent.
type Ask struct {
	Prompt      string
	TaskFile    string            // the frozen card, absolute
	Dir         string            // its worktree, absolute; the program starts there
	Model       string            // "" is the agent's own choice
	Session     string            // the conversation to go on with, or the id that a new one shall have; "" lets the agent choose
	Resume      bool              // go on with Session
	ReadOnly    bool              // it may read and must not write, whatever Permissions says
	Permissions string            // "" is InsideWorkspace
	Scratch     string            // its own folder for temporary files, absolute; "" leaves TMPDIR alone
	Env         map[string]string // configured for it; wins over everything else
	Root        bool              // it will run as uid 0
	Inbox       string            // folder where answers to its questions will lie, absolute; "" if nobody will answer
	Patience    time.Duration     // until a question counts as denied
}

// A Command is what to run for an Ask.
type Command struct {
	Argv    []string // Argv[0] is the Program of the agent, to be replaced by its path
	Client  []string // arguments of this program, to be followed by Argv: it speaks to the agent; nil where output is read as it is
	Stdin   string   // text to write to standard input; "" is the null device
	Env     []string // "K=V", added to the allowed environment; later wins
	Session string   // id of the conversation, if it is known beforehand
}

// Shown returns the argument list for people: quoted like a shell's, the prompt
// left out.
func (c Command) Shown(prompt string) string {
	shown := make([]string, len(c.Argv))
	for i, arg := range c.Argv {
		if prompt != "" {
			arg = strings.ReplaceAll(arg, prompt, "{{prompt}}")
		}
		shown[i] = Quote(arg)
	}
	return strings.Join(shown, " ")
}

// InSession adds the arguments by which programs are told the id of a conversation:
// resume goes on with that of ask, fresh begins one, whose id is made up if ask has
// none. An argument that ends with "=" takes the id in itself.
func (c *Command) InSession(ask Ask, resume, fresh string) {
	c.Session = ask.Session
	flag := resume
	if !ask.Resume {
		flag = fresh
		if c.Session == "" {
			c.Session = uuid.NewString()
		}
	}
	if strings.HasSuffix(flag, "=") {
		c.Argv = append(c.Argv, flag+c.Session)
		return
	}
	c.Argv = append(c.Argv, flag, c.Session)
}

// Quote writes arg as a shell reads it.
func Quote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+/.,:@%{}", r)
	}) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// A Decoder turns one line of output, without its newline, into entries. It
// keeps no state, so reading may begin at any line, and it never fails: a line
// that it does not know gives nothing, since agents add kinds of lines in every
// release. At is set only where the line carries a time, Log never.
type Decoder func(line []byte, stderr bool) []work.Entry

// An Agent is one command line. ID, Name, Program, Command and Decode are
// required.
type Agent struct {
	ID        work.AgentID
	Name      string // for people: "Claude Code"
	Simulated bool   // one of the demo's, no real program
	Verified  bool   // the real program of a pinned version passes our tests

	Program  string    // its name on PATH, or an absolute path
	Places   []string  // folders to look in when PATH has no Program; "~/" is the home folder
	Version  []string  // arguments that print the version; nil means there are none
	Login    *Login    // nil means that nothing tells
	Accounts *Accounts // nil means that it cannot have several logins
	ACP      *ACP      // nil means that it does not speak the Agent Client Protocol, so far as we know

	// Command returns what to run. It starts nothing and touches no file.
	Command func(Ask) (Command, error)
	Decode  Decoder
	Words   *Words // the user's own for what it says when it fails; nil without any

	Structured bool // it reports as it goes and says at last that it is done; without that a turn is no success
	Resumes    bool // it can go on with a Session of an earlier turn

	// Enforces says what of permissions the program does not hold back by
	// itself, in one sentence, or "". Nil means that it holds back nothing.
	Enforces func(permissions string) string
}

// Gap says what of permissions a does not enforce, or "".
func (a Agent) Gap(permissions string) string {
	switch {
	case permissions == Everything:
		return ""
	case a.Enforces == nil:
		return a.Name + " has no limits of its own: it may write wherever you may"
	}
	return a.Enforces(permissions)
}

// Environ returns what every agent gets in its environment for ask: quiet
// settings of its own, the scratch folder, then the configured variables, which
// win.
func Environ(ask Ask, own ...string) []string {
	env := slices.Clone(own)
	if ask.Scratch != "" {
		env = append(env, "TMPDIR="+ask.Scratch)
	}
	for _, name := range slices.Sorted(maps.Keys(ask.Env)) {
		env = append(env, name+"="+ask.Env[name])
	}
	return env
}
