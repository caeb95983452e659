package cli

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

func (a *app) agentsCommand() *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "The agents: list, show, check, add", Long: `An agent is a command line that works on a task without a person. Offrun knows some
by heart, and any other from a description. Within a project its own agents and
settings count too.`}
	c.AddCommand(a.agentsList(), a.agentsShow(), a.agentsCheck(), a.agentsAdd())
	return parent(c)
}

// project is where agents are looked at from; "" outside of every project.
func (a *app) anyProject(ctx context.Context) (work.ProjectID, error) {
	id, err := a.here(ctx)
	if work.CodeOf(err) == work.NotFound && a.project == "" {
		return "", nil
	}
	return id, err
}

func (a *app) agentsList() *cobra.Command {
	var all bool
	c := &cobra.Command{Example: "  offrun agents list\n  offrun agents list --all"}
	c = asks(ops.AgentList.Row, "", c, func(ctx context.Context, _ []string) error {
		id, err := a.anyProject(ctx)
		if err != nil {
			return err
		}
		infos, err := ops.AgentList.Ask(ctx, a.door, ops.AgentQuery{Project: id})
		if err != nil {
			return err
		}
		if !all {
			infos = slices.DeleteFunc(infos, func(i work.AgentInfo) bool { return i.Simulated })
		}
		return a.answer(infos, func() string { return screen.Agents(infos, a.out) })
	})
	c.Flags().BoolVar(&all, "all", false, "the simulated ones of the demo, too")
	return c
}

func (a *app) agentsShow() *cobra.Command {
	c := &cobra.Command{Example: "  offrun agents show claude"}
	return asks(ops.AgentShow.Row, "AGENT", c, func(ctx context.Context, args []string) error {
		id, err := a.anyProject(ctx)
		if err != nil {
			return err
		}
		info, err := ops.AgentShow.Ask(ctx, a.door, ops.AgentRef{AgentQuery: ops.AgentQuery{Project: id}, Agent: work.AgentID(args[0])})
		if err != nil {
			return err
		}
		return a.answer(info, func() string { return screen.Agent(info, a.out) })
	})
}

func (a *app) agentsCheck() *cobra.Command {
	in := ops.CheckAgents{}
	c := &cobra.Command{Example: "  offrun agents check claude codex\n  offrun agents check claude --smoke"}
	c = asks(ops.AgentCheck.Row, "[AGENT...]", c, func(ctx context.Context, args []string) error {
		id, err := a.anyProject(ctx)
		if err != nil {
			return err
		}
		in.Body.Project, in.Body.Agents = id, args
		found, err := ops.AgentCheck.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.findings(found)
	})
	c.Flags().BoolVar(&in.Body.Smoke, "smoke", false, "let each agent answer one trivial prompt")
	return c
}

// findings shows what was found; the command ends badly if there is a problem.
func (a *app) findings(found []work.Finding) error {
	if err := a.answer(found, func() string { return screen.Findings(found, a.out) }); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f work.Finding) bool { return f.Level == work.Problem }) {
		return ended(nothingGood)
	}
	return nil
}

// maxDescription is the largest description of an agent that is read, in bytes.
const maxDescription = 1 << 20

func (a *app) agentsAdd() *cobra.Command {
	c := &cobra.Command{Example: "  offrun agents add my-agent.yaml",
		Long: `Reads the description of one agent, as it would stand below agents: in a project's
settings, and puts it at the end of config.yaml in the data folder. Nothing else in
that file changes. An example:

  id: mine
  cmd: ["/opt/bin/my-agent", "--task", "{{task_file}}"]
  output: text`}
	return asks(ops.AgentAdd.Row, "FILE", c, func(ctx context.Context, args []string) error {
		f, err := os.Open(args[0])
		if err != nil {
			return work.Hide(work.NotFound, err, "cannot read "+args[0]).Do("Name a file with the description of an agent.")
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxDescription))
		if err != nil {
			return work.Hide(work.Invalid, err, "cannot read "+args[0]).Do("Name a file with the description of an agent.")
		}
		var in ops.AddAgent
		in.Body.File, in.Body.Text = args[0], string(text)
		info, err := ops.AgentAdd.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(info, func() string { return "added\n" + screen.Agent(info, a.out) })
	})
}
