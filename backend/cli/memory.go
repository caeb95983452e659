package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/memory"
	"offrun/backend/ops"
	"offrun/backend/proc"
	"offrun/backend/work"
)

func (a *app) memoryCommand() *cobra.Command {
	c := &cobra.Command{Use: "memory", Short: "Show and edit what agents are told about the project",
		Long: `What a project knows beyond one run lies in plain files that you may edit, commit
and share: .offrun/conventions.md is for every agent, .offrun/agents/AGENT/ holds
what that agent noted for its next run: goals.md, plan.md, dead-ends.md. Both are
in the prompt when an agent begins; what it adds to its notes is merged back when
its turn ends, and is no part of its result.`}
	c.AddCommand(a.memoryShow(), a.memoryEdit(), a.memoryAdd(), a.memorySearch())
	return parent(c)
}

func (a *app) memoryShow() *cobra.Command {
	var card string
	c := &cobra.Command{Example: "  offrun memory show\n  offrun memory show claude --card login",
		Long: `Shows the conventions and the notes of an agent, or of all, and which run they
come from where that is known. With --card it shows the brief instead: what the
agent would be told for that card.`}
	c = asks(ops.MemoryShow.Row, "[AGENT]", c, func(ctx context.Context, args []string) error {
		in, err := a.memoryOf(ctx, args)
		if err != nil {
			return err
		}
		if card != "" {
			in.Card = cardName(card)
		}
		m, err := ops.MemoryShow.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(m, func() string { return screen.Memory(m, a.out) })
	})
	c.Flags().StringVar(&card, "card", "", "show the brief for this `card`")
	return c
}

// memoryOf asks for the memory of the project that we are in; the first of args
// is an agent.
func (a *app) memoryOf(ctx context.Context, args []string) (ops.MemoryQuery, error) {
	id, err := a.here(ctx)
	in := ops.MemoryQuery{ProjectRef: ops.ProjectRef{Project: id}}
	if len(args) > 0 {
		in.Agent = work.AgentID(args[0])
	}
	return in, err
}

func (a *app) memoryAdd() *cobra.Command {
	var file string
	c := &cobra.Command{Example: `  offrun memory add "Use pnpm, never npm."
  offrun memory add claude "sed on the lock file breaks its checksum"
  offrun memory add claude --file plan "next: the retry of the login"`,
		Long: `Adds a line: to the conventions, or to the dead ends of an agent if the first word
names one. A line that is there already is not added again.`}
	c = asks(ops.MemoryAdd.Row, "[AGENT] TEXT...", c, func(ctx context.Context, args []string) error {
		q, err := a.memoryOf(ctx, nil)
		if err != nil {
			return err
		}
		in := ops.AddToMemory{ProjectRef: q.ProjectRef}
		if file != "conventions" {
			m, err := ops.MemoryShow.Ask(ctx, a.door, q)
			if err != nil {
				return err
			}
			if in.Body.Agent, args, err = whose(m.Agents, args, file != ""); err != nil {
				return err
			}
		}
		in.Body.File, in.Body.Text = file, strings.Join(args, " ")
		f, err := ops.MemoryAdd.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(f, func() string { return "noted in " + screen.Line(f.File) + "\n" })
	})
	c.Flags().StringVar(&file, "file", "", "goals, plan, dead-ends or conventions")
	return c
}

// whose takes the agent that args begin with, if they do, from the text of a note.
// A word that seems to be meant for one is refused rather than written down as a
// convention for all; noted says that only an agent has the file.
func whose(agents []work.AgentID, args []string, noted bool) (work.AgentID, []string, error) {
	first := work.AgentID(args[0])
	switch isOne := slices.Contains(agents, first); {
	case isOne && len(args) == 1:
		return "", nil, work.Errorf(work.Invalid, "what to note for %s is not said", first).Do("Write the text behind it.")
	case isOne:
		return first, args[1:], nil
	case len(args) == 1 || strings.ContainsAny(args[0], " \t"):
		return "", args, nil
	case noted, len(args) == 2 && strings.Contains(args[1], " "), slices.ContainsFunc(agents, func(id work.AgentID) bool { return similar(string(id), args[0]) }):
		names := make([]string, len(agents))
		for i, id := range agents {
			names[i] = string(id)
		}
		return "", nil, work.Errorf(work.NotFound, "there is no agent %q", first).
			Do("Choose one of: " + strings.Join(names, ", ") + "; or put a convention that begins with this word into quotes, as a whole.")
	}
	return "", args, nil
}

// similar reports whether b may be a mistyped a.
func similar(a, b string) bool {
	d := diffmatchpatch.New()
	return len(a) > 3 && d.DiffLevenshtein(d.DiffMain(a, b, false)) <= len(a)/3
}

func (a *app) memorySearch() *cobra.Command {
	c := &cobra.Command{Example: "  offrun memory search lock checksum\n  offrun memory search 锁文件"}
	return asks(ops.MemorySearch.Row, "WORDS...", c, func(ctx context.Context, args []string) error {
		q, err := a.memoryOf(ctx, nil)
		if err != nil {
			return err
		}
		hits, err := ops.MemorySearch.Ask(ctx, a.door, ops.SearchMemory{ProjectRef: q.ProjectRef, Words: strings.Join(args, " ")})
		if err != nil {
			return err
		}
		return a.answer(hits, func() string { return screen.MemoryHits(hits, a.out) })
	})
}

func (a *app) memoryEdit() *cobra.Command {
	c := &cobra.Command{Example: "  offrun memory edit\n  offrun memory edit claude plan",
		Long: `Opens the conventions, or a note of an agent, in your editor ($VISUAL or $EDITOR).
What agents add while you edit is merged in. Where there is no terminal or no
editor, it says where the file lies.`}
	return asks(ops.MemoryEdit.Row, "[AGENT] [FILE]", c, func(ctx context.Context, args []string) error {
		in, now, path, err := a.toEdit(ctx, args)
		if err != nil {
			return err
		}
		editor := a.Getenv("VISUAL")
		if editor == "" {
			editor = a.Getenv("EDITOR")
		}
		if !a.canAsk() || editor == "" {
			return a.answer(now, func() string { return screen.Line(path) + "\n" })
		}
		if now.Notice != "" {
			return work.Errorf(work.Conflict, "%s", now.Notice).Do("Edit it yourself: " + path)
		}
		// Not the text of the answer: what looks like a secret is taken out of that.
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return work.Hide(work.Unavailable, err, path+" cannot be read").Do("Check its permissions.")
		}
		in.Body.Before = string(text)
		if in.Body.After, err = a.edit(ctx, editor, filepath.Base(path), in.Body.Before); err != nil {
			return err
		}
		if in.Body.After == in.Body.Before {
			return a.print("nothing changed\n")
		}
		f, err := ops.MemoryEdit.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.print("wrote " + screen.Line(f.File) + "\n")
	})
}

// toEdit finds the file that args name, as it stands, and where it lies.
func (a *app) toEdit(ctx context.Context, args []string) (in ops.EditMemory, now work.MemoryFile, path string, err error) {
	if len(args) == 1 && args[0] == "conventions" {
		args = nil
	}
	q, err := a.memoryOf(ctx, args)
	if err != nil {
		return in, now, "", err
	}
	in.ProjectRef, in.Body.Agent = q.ProjectRef, q.Agent
	if len(args) > 1 {
		in.Body.File = args[1]
	}
	m, err := ops.MemoryShow.Ask(ctx, a.door, q)
	if err != nil {
		return in, now, "", err
	}
	if now.File, err = memory.File(in.Body.Agent, in.Body.File); err != nil {
		return in, now, "", err
	}
	now.Agent = q.Agent
	if i := slices.IndexFunc(m.Files, func(f work.MemoryFile) bool { return f.File == now.File }); i >= 0 {
		now = m.Files[i]
	}
	return in, now, filepath.Join(m.Folder, filepath.FromSlash(now.File)), nil
}

// edit lets the user edit a copy of text and returns what became of it.
func (a *app) edit(ctx context.Context, editor, name, text string) (after string, err error) {
	dir, err := os.MkdirTemp("", "offrun-edit-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	// An editor may be named with arguments, as git has it.
	argv := []string{"/bin/sh", "-c", editor + ` "$@"`, editor, file}
	if err := (proc.Cmd{Argv: argv, Env: a.Environ}).Attached(ctx); err != nil {
		return "", work.Hide(work.Unavailable, err, "the editor "+editor+" failed; nothing was changed").Do("Set $EDITOR to a program that edits a file in this terminal.")
	}
	b, err := os.ReadFile(file)
	return string(b), err
}
