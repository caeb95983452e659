package cli

import (
	"context"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

func (a *app) compareCommand() *cobra.Command {
	var markdown bool
	c := &cobra.Command{Example: "  offrun compare last\n  offrun compare last --markdown > verdict.md"}
	c = asks(ops.RunCompare.Row, "RUN", c, func(ctx context.Context, args []string) error {
		comparison, err := ops.RunCompare.Ask(ctx, a.door, ops.RunRef{Run: work.RunID(args[0])})
		if err != nil {
			return err
		}
		return a.answer(comparison, func() string {
			if markdown {
				return screen.Markdown(comparison)
			}
			return screen.Headline(comparison, a.out) + screen.Comparison(comparison, a.out)
		})
	})
	c.Flags().BoolVar(&markdown, "markdown", false, "print a table for a document")
	return c
}
