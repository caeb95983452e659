package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

func (a *app) initCommand() *cobra.Command {
	var trust bool
	c := &cobra.Command{Example: "  offrun init\n  offrun init ~/src/shop --trust",
		Long: `Writes .offrun/project.yaml, with every setting and its default, and
tasks/_template.md, and opens the repository as a project. Files that are there
stay as they are.`}
	c = asks(ops.ProjectInit.Row, "[PATH]", c, func(ctx context.Context, args []string) error {
		in, err := projectAt(args, trust)
		if err != nil {
			return err
		}
		s, err := ops.ProjectInit.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.opened(ctx, s)
	})
	c.Flags().BoolVar(&trust, "trust", false, "trust everything that may run there")
	return c
}

func (a *app) projectCommand() *cobra.Command {
	c := &cobra.Command{Use: "project", Short: "Open, list and forget projects"}
	c.AddCommand(a.projectAdd(), a.projectList(), a.projectShow(), a.projectTrust(), a.projectRemove())
	return parent(c)
}

func (a *app) projectAdd() *cobra.Command {
	var trust bool
	c := &cobra.Command{Example: "  offrun project add .\n  offrun project add ~/src/shop --trust"}
	c = asks(ops.ProjectAdd.Row, "[PATH]", c, func(ctx context.Context, args []string) error {
		in, err := projectAt(args, trust)
		if err != nil {
			return err
		}
		s, err := ops.ProjectAdd.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.opened(ctx, s)
	})
	c.Flags().BoolVar(&trust, "trust", false, "trust everything that may run there")
	return c
}

func projectAt(args []string, trust bool) (ops.ProjectAt, error) {
	var in ops.ProjectAt
	path, err := filepath.Abs(strings.Join(args, ""))
	in.Body.Path, in.Body.Trust = path, trust
	return in, err
}

// opened shows a project that was opened, and asks for its trust where a person
// can say.
func (a *app) opened(ctx context.Context, s work.ProjectState) error {
	if !s.Trusted && a.canAsk() {
		if err := a.print(screen.Project(s, a.out)); err != nil || !a.yes("Trust everything on this list?") {
			return err
		}
		var err error
		if s, err = ops.ProjectTrust.Ask(ctx, a.door, ops.ProjectRef{Project: s.Project.ID}); err != nil {
			return err
		}
		return a.print("trusted\n")
	}
	return a.answer(s, func() string { return screen.Project(s, a.out) })
}

// yes asks a question; anything but yes is no.
func (a *app) yes(question string) bool {
	fmt.Fprintf(a.Stdout, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.Stdout)
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

func (a *app) projectList() *cobra.Command {
	return asks(ops.ProjectList.Row, "", &cobra.Command{Short: "List the projects"}, func(ctx context.Context, _ []string) error {
		ps, err := ops.ProjectList.Ask(ctx, a.door, ops.ProjectQuery{})
		if err != nil {
			return err
		}
		return a.answer(ps, func() string { return screen.Projects(ps, a.out) })
	})
}

func (a *app) projectShow() *cobra.Command {
	return asks(ops.ProjectShow.Row, "[ID]", &cobra.Command{}, func(ctx context.Context, args []string) error {
		id, err := a.named(ctx, args)
		if err != nil {
			return err
		}
		s, err := ops.ProjectShow.Ask(ctx, a.door, ops.ProjectRef{Project: id})
		if err != nil {
			return err
		}
		return a.answer(s, func() string { return screen.Project(s, a.out) })
	})
}

// named returns the project that the argument names, or the one we are in.
func (a *app) named(ctx context.Context, args []string) (work.ProjectID, error) {
	if len(args) > 0 {
		return work.ProjectID(args[0]), nil
	}
	return a.here(ctx)
}

func (a *app) projectTrust() *cobra.Command {
	c := &cobra.Command{Long: `Trusts what may run in a project as it stands: acceptance, setup and teardown
commands, agents' commands and environment, and the files in the repository that
agents take configuration from. When one of them changes, you are asked again.`}
	return asks(ops.ProjectTrust.Row, "[ID]", c, func(ctx context.Context, args []string) error {
		id, err := a.named(ctx, args)
		if err != nil {
			return err
		}
		s, err := ops.ProjectTrust.Ask(ctx, a.door, ops.ProjectRef{Project: id})
		if err != nil {
			return err
		}
		return a.answer(s, func() string { return screen.Project(s, a.out) })
	})
}

func (a *app) projectRemove() *cobra.Command {
	c := &cobra.Command{Example: "  offrun project remove shop"}
	return asks(ops.ProjectRemove.Row, "ID", c, func(ctx context.Context, args []string) error {
		id := work.ProjectID(args[0])
		none, err := ops.ProjectRemove.Ask(ctx, a.door, ops.ProjectRef{Project: id})
		if err != nil {
			return err
		}
		return a.answer(none, func() string { return fmt.Sprintf("forgot %s; its files are all there\n", id) })
	})
}

// canAsk reports whether a person is there to answer a question.
func (a *app) canAsk() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && a.out.Terminal && !a.json
}
