package cli

import (
	"context"

	"github.com/spf13/cobra"

	"offrun/backend/ops"
)

func (a *app) doctorCommand() *cobra.Command {
	var agents []string
	var smoke bool
	c := &cobra.Command{Example: "  offrun doctor\n  offrun doctor --agents claude,codex --smoke",
		Long: `Looks at git, the trunk, the agents, the acceptance commands, the disk, the cards
and all archived runs. Every finding has one next step. Nothing is changed.`}
	c = asks(ops.ProjectDoctor.Row, "", c, func(ctx context.Context, _ []string) error {
		id, err := a.here(ctx)
		if err != nil {
			return err
		}
		in := ops.Doctor{ProjectRef: ops.ProjectRef{Project: id}}
		in.Body.Agents, in.Body.Smoke = agents, smoke
		found, err := ops.ProjectDoctor.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.findings(found)
	})
	c.Flags().StringSliceVar(&agents, "agents", nil, "`agents` to look at (default: the project's selection, or all that are installed)")
	c.Flags().BoolVar(&smoke, "smoke", false, "let each agent answer one trivial prompt")
	return c
}
