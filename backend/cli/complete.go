package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

// completing gives every command below c that takes RUN, or RUN AGENT, the names
// that its shell can complete. It never starts a bench.
func (a *app) completing(c *cobra.Command) {
	for _, sub := range c.Commands() {
		a.completing(sub)
		if words := strings.Fields(sub.Use); len(words) > 1 && strings.Trim(words[1], "[]") == "RUN" {
			sub.ValidArgsFunction = func(sub *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return a.namesFor(sub, len(words)-1, args), cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
}

// namesFor returns the runs, or the attempts of the run that args name.
func (a *app) namesFor(c *cobra.Command, most int, args []string) []cobra.Completion {
	here, err := a.door.Here(c.Context())
	if err != nil || len(args) >= min(most, 2) {
		return nil
	}
	runs, err := ops.RunList.Ask(c.Context(), here, ops.RunQuery{Limit: newest})
	if err != nil {
		return nil // there is no better place to say it
	}
	var names []cobra.Completion
	if len(args) == 0 {
		names = append(names, cobra.CompletionWithDesc("last", "the newest run"))
	}
	for i, r := range runs {
		switch {
		case len(args) == 0:
			names = append(names, cobra.CompletionWithDesc(string(r.ID), screen.Line(r.Title)))
		case string(r.ID) == args[0], i == 0 && args[0] == "last":
			return append(names, attemptNames(r.Attempts)...)
		}
	}
	return names
}

func attemptNames(as []work.AttemptSummary) []cobra.Completion {
	var names []cobra.Completion
	for _, at := range as {
		names = append(names, cobra.CompletionWithDesc(string(at.Name), string(at.State)))
	}
	return names
}
