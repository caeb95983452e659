package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return takes("", &cobra.Command{Use: "version", Short: "Print the version"}, func(context.Context, []string) error {
		v := struct {
			Version string `json:"version"`
			System  string `json:"system"`
			Go      string `json:"go"`
		}{Version, runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
		return a.answer(v, func() string { return fmt.Sprintf("offrun %s %s %s\n", v.Version, v.System, v.Go) })
	})
}
