package cli

import (
	"context"
	"io"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
)

func (a *app) logsCommand() *cobra.Command {
	var follow bool
	var turn uint
	file := choice{value: "conversation", allowed: []string{"conversation", "out", "err", "setup", "tests"}}
	c := &cobra.Command{
		Short:   "Show what an attempt said and did, or its raw output",
		Example: "  offrun logs last claude\n  offrun logs last claude -f\n  offrun logs last claude --file out > agent.log",
		Long: `Shows the conversation of an attempt's newest turn, or one of its raw outputs:
out and err of the agent, setup, tests. On a terminal nothing of it but text and
colours comes through; elsewhere raw output is passed on byte for byte.`,
	}
	c = asks(ops.AttemptLog.Row, "RUN AGENT", c, func(ctx context.Context, args []string) error {
		return a.logs(ctx, ops.LogQuery{AttemptRef: attemptRef(args), File: file.value, Turn: int(turn)}, follow)
	})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the attempt ends")
	c.Flags().Var(&file, "file", "which output: conversation, out, err, setup or tests")
	c.Flags().UintVar(&turn, "turn", 0, "number of the `turn` (default: the newest)")
	return c
}

// logs copies an output to the screen, page by page.
func (a *app) logs(ctx context.Context, in ops.LogQuery, follow bool) error {
	shown := &counter{to: a.Stdout}
	to, got := a.logSink(in.File, shown), 0
	for {
		page, err := ops.AttemptLog.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		got += len(page.Data)
		if a.json {
			if page.Data == nil {
				page.Data = []byte{} // an empty output, not null
			}
			err = a.answerLine(page)
		} else {
			_, err = to.Write(page.Data)
		}
		if err != nil {
			return err
		}
		in.From, in.Turn = page.To, page.Turn
		switch {
		case page.Ended, len(page.Data) == 0 && !follow:
			if got == 0 {
				if told, err := a.tellRestored(ctx, in); told || err != nil {
					return err
				}
			}
			if shown.bytes == 0 && !a.json {
				return a.elsewhere(ctx, in)
			}
			return nil
		case len(page.Data) == 0:
			if err := a.waitForMore(ctx); err != nil {
				return err
			}
		}
	}
}

// tellRestored says why in has nothing if it is about a turn that only set the
// files back.
func (a *app) tellRestored(ctx context.Context, in ops.LogQuery) (told bool, err error) {
	turns, err := ops.AttemptTurns.Ask(ctx, a.door, in.AttemptRef)
	if err != nil {
		return false, err
	}
	for _, t := range turns {
		if t.N == in.Turn && t.Restores > 0 {
			a.note("no agent ran in turn %d: its files were set back to turn %d", t.N, t.Restores)
			return true, nil
		}
	}
	return false, nil
}

// elsewhere names the outputs that have something where in has nothing.
func (a *app) elsewhere(ctx context.Context, in ops.LogQuery) error {
	var full []string
	for _, file := range []string{"err", "out", "setup"} {
		page, err := ops.AttemptLog.Ask(ctx, a.door, ops.LogQuery{AttemptRef: in.AttemptRef, File: file, Turn: in.Turn})
		if err != nil {
			return err
		}
		if file != in.File && len(page.Data) > 0 {
			full = append(full, "--file "+file)
		}
	}
	if len(full) > 0 {
		a.note("nothing to show here; look at %s", english.WordSeries(full, "or"))
	}
	return nil
}

// waitForMore returns when something has happened, or after a second: outputs of
// setup and tests grow without an event.
func (a *app) waitForMore(ctx context.Context) error {
	w := &watch{app: a}
	if err := w.begin(ctx); err != nil {
		return err
	}
	_, err := w.next(ctx, 1)
	return err
}

// logSink is where the bytes of an output go on their way to shown.
func (a *app) logSink(file string, shown io.Writer) io.Writer {
	switch {
	case file == "" || file == "conversation":
		return screen.NewConversation(shown, a.out)
	case a.out.Terminal:
		return screen.NewInk(shown)
	}
	return shown
}

// A counter counts what is written to to.
type counter struct {
	to    io.Writer
	bytes int
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += n
	return n, err
}
