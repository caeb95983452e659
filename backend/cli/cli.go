// Package cli is the command line. A command reads its arguments, asks the bench
// through one row of package ops, and shows the answer; it has no logic of its
// own but the look of things on a terminal. What draws is apart from what asks:
// the functions that return text are pure.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/agent/acp"
	"offrun/backend/agent/simulated"
	"offrun/backend/cli/door"
	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

// Version is the version of this build, set by the linker.
var Version = "dev"

// An Env is what a command may touch of the world outside. All of it is required
// but Args.
type Env struct {
	Args    []string // without the program's name
	Environ []string // "K=V"; of two with one name the later counts
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Self    []string // argument list that runs this program, to be followed by its arguments
}

// Getenv returns the value of a variable, or "".
func (e Env) Getenv(name string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.Environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// Main runs one command and returns its exit status; see help exit-codes.
func Main(ctx context.Context, e Env) int {
	// The program is also what it starts: these three are not for people, and are
	// started often enough to go before everything else.
	if len(e.Args) == 2 && e.Args[0] == "supervise" {
		return supervise.Main(ctx, e.Args[1], e.Environ)
	}
	if len(e.Args) > 0 && e.Args[0] == "simulate" {
		return simulated.Main(ctx, simulated.Options{
			Args: e.Args[1:], Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr, Pace: simulated.Pace,
		})
	}
	if len(e.Args) > 0 && e.Args[0] == "acp" {
		dir, err := os.Getwd()
		if err != nil {
			io.WriteString(e.Stderr, "acp: "+err.Error()+"\n")
			return 1
		}
		return acp.Run(ctx, acp.Options{
			Args: e.Args[1:], Environ: e.Environ, Dir: dir, Version: Version,
			Stdin: e.Stdin, Stdout: e.Stdout, Stderr: os.Stderr, // which its agent is to have itself
		})
	}
	a := newApp(e)
	defer a.door.Close()
	root := a.root()
	root.SetArgs(e.Args)
	return a.report(root.ExecuteContext(ctx))
}

// An app is one command being run.
type app struct {
	Env
	door    *door.Door
	out     screen.Output
	json    bool   // --json: the answer as it is
	project string // --project
}

func newApp(e Env) *app {
	return &app{Env: e, door: doorOf(e), out: screen.Of(e.Stdout, e.Getenv)}
}

func doorOf(e Env) *door.Door {
	return door.New(door.Options{Getenv: e.Getenv, Environ: e.Environ, Self: e.Self, Version: Version, Notes: e.Stderr, Code: codeOf})
}

// root returns the tree of all commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "offrun",
		Short: "Several coding agents at work on one card, side by side",
		Long: `Offrun gives one task card to several coding agents at once. Each works in a
worktree of its own; you compare what they hand in, and land the best.

Where RUN is asked for, the end of an id will do, or "last". AGENT is the name of
an attempt in its run: the agent's id, with -2, -3 … where it tries more than once.`,
		Example: `  offrun demo
  offrun init && offrun card new "Login times out"
  offrun run --task tasks/login-times-out.md --agents claude,codex
  offrun compare last
  offrun land last claude`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return work.Errorf(work.Invalid, "%v", err).Do(c.CommandPath() + " --help shows what there is.")
	})
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the answer as JSON, for programs; an error is JSON on standard error")
	root.PersistentFlags().StringVar(&a.project, "project", "", "`id` of the project (default: the one of the current folder)")
	parent(root)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Projects and cards", []*cobra.Command{a.initCommand(), a.projectCommand(), a.cardCommand(), a.memoryCommand(), a.doctorCommand()}},
		{"Runs", []*cobra.Command{a.runCommand(), a.psCommand(), a.showCommand(), a.attachCommand(), a.logsCommand(), a.sendCommand(), a.answerCommand(), a.cancelCommand(), a.retryCommand(), a.moveCommand(), a.turnsCommand(), a.restoreCommand(), a.repairCommand()}},
		{"Results", []*cobra.Command{a.compareCommand(), a.artifactsCommand(), a.landCommand(), a.undoCommand(), a.cleanCommand()}},
		{"Agents", []*cobra.Command{a.agentsCommand(), a.accountsCommand()}},
		{"Offrun itself", []*cobra.Command{a.demoCommand(), a.serveCommand(), a.reindexCommand(), a.versionCommand(), exitCodes()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	a.completing(root)
	root.SetHelpCommandGroupID("Offrun itself")
	root.SetCompletionCommandGroupID("Offrun itself")
	return root
}

// parent makes c show its help, and refuse words that are none of its commands.
func parent(c *cobra.Command) *cobra.Command {
	c.SuggestionsMinimumDistance = 2
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		next := c.CommandPath() + " --help lists the commands."
		if like := c.SuggestionsFor(args[0]); len(like) > 0 {
			next = "Did you mean " + strings.Join(like, " or ") + "? " + next
		}
		return work.Errorf(work.Invalid, "there is no command %q", c.CommandPath()+" "+args[0]).Do(next)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// asks makes c the command of a row: the last word of the row's command is its
// name. args are its arguments as help shows them: "RUN [AGENT...]".
func asks(row ops.Row, args string, c *cobra.Command, do func(context.Context, []string) error) *cobra.Command {
	words := strings.Fields(row.Command)
	c.Use = strings.TrimSpace(words[len(words)-1] + " " + args)
	if c.Short == "" {
		c.Short = strings.TrimSuffix(row.Summary, ".")
	}
	c.Annotations = map[string]string{"row": row.Name}
	return takes(args, c, do)
}

// takes makes c refuse a wrong number of arguments.
func takes(args string, c *cobra.Command, do func(context.Context, []string) error) *cobra.Command {
	var need []string
	most := 0
	for _, word := range strings.Fields(args) {
		if !strings.HasPrefix(word, "[") {
			need = append(need, strings.TrimSuffix(word, "..."))
		}
		if most++; strings.Contains(word, "...") {
			most = 1 << 20
		}
	}
	c.Args = func(c *cobra.Command, got []string) error {
		usage := "Usage: " + c.UseLine()
		switch {
		case len(got) < len(need):
			return work.Errorf(work.Invalid, "%s is missing", need[len(got)]).Do(usage)
		case len(got) > most:
			return work.Errorf(work.Invalid, "%q is too much", got[most]).Do(usage)
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, got []string) error { return do(c.Context(), got) }
	return c
}

// answer prints an answer: as JSON, or as text.
func (a *app) answer(v any, text func() string) error {
	if !a.json {
		return a.print(text())
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return a.print(inert(b) + "\n")
}

// answerLine prints an answer of many as JSON on one line.
func (a *app) answerLine(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.print(inert(b) + "\n")
}

// inert escapes the control characters that JSON leaves alone and terminals obey.
func inert(b []byte) string {
	var s strings.Builder
	for _, r := range string(b) {
		if r >= 0x7f && r < 0xa0 {
			fmt.Fprintf(&s, `\u%04x`, r)
		} else {
			s.WriteRune(r)
		}
	}
	return s.String()
}

func (a *app) print(text string) error {
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// note tells people something beside the answer.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.Stderr, format+"\n", args...)
}

// here returns the project that the command is about.
func (a *app) here(ctx context.Context) (work.ProjectID, error) {
	if a.project != "" {
		return work.ProjectID(a.project), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", work.Hide(work.NotFound, err, "the current folder is gone").Do("Change to another one, or name the project: --project ID.")
	}
	ps, err := ops.ProjectList.Ask(ctx, a.door, ops.ProjectQuery{Path: dir})
	if err != nil {
		return "", err
	}
	if len(ps) == 0 {
		return "", work.Errorf(work.NotFound, "%s belongs to no project", dir).
			Do("offrun init makes its repository one; offrun project list names those there are.")
	}
	return ps[0].ID, nil
}

// ended is the error of a command that has said everything and ends with a
// status other than 0.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// report prints err and returns the exit status that stands for it.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[ended](err); ok {
		return int(code)
	}
	if a.json || a.asksJSON() {
		a.reportJSON(err)
	} else {
		io.WriteString(a.Stderr, screen.Error(err))
	}
	return status[work.CodeOf(err)]
}

// asksJSON reports whether --json is among the arguments: after a wrong flag the
// rest of them is not looked at.
func (a *app) asksJSON() bool {
	flags := a.Args
	if end := slices.Index(flags, "--"); end >= 0 {
		flags = flags[:end]
	}
	return slices.Contains(flags, "--json")
}

// reportJSON prints err as JSON on one line.
func (a *app) reportJSON(err error) {
	e, ok := errors.AsType[*work.Error](err)
	if !ok {
		e = &work.Error{Code: work.Internal, Msg: err.Error()}
	}
	b, _ := json.Marshal(struct { // of strings alone: there is no error
		Code    work.Code `json:"code"`
		Message string    `json:"message"`
		List    []string  `json:"list,omitempty"`
		Next    string    `json:"next,omitempty"`
	}{e.Code, e.Msg, e.List, e.Next})
	io.WriteString(a.Stderr, inert(b)+"\n")
}
