package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/ops"
	"offrun/backend/work"
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
	to := a.logSink(in.File)
	for {
		page, err := ops.AttemptLog.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		if a.json {
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
			return nil
		case len(page.Data) == 0:
			if err := a.waitForMore(ctx); err != nil {
				return err
			}
		}
	}
}

// waitForMore returns when something has happened, or after a second: outputs of
// setup and tests grow without an event.
func (a *app) waitForMore(ctx context.Context) error {
	w := &watch{app: a}
	if err := w.begin(ctx); err != nil {
		return err
	}
	_, err := ops.EventList.Ask(ctx, a.door, ops.EventQuery{After: w.after, WaitSeconds: 1})
	return err
}

// logSink is where the bytes of an output go.
func (a *app) logSink(file string) io.Writer {
	switch {
	case file == "" || file == "conversation":
		return &conversation{to: a.Stdout, out: a.out}
	case a.out.terminal:
		return &inkFilter{to: a.Stdout}
	}
	return a.Stdout
}

// A conversation turns the lines of conversation.jsonl into text as they come.
type conversation struct {
	to   io.Writer
	out  screen
	rest []byte // the beginning of a line
}

func (c *conversation) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		line, rest, whole := bytes.Cut(c.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		c.rest = rest
		var e work.Entry
		text := shown(string(line)) + "\n"
		if json.Unmarshal(line, &e) == nil {
			text = entryText(e, c.out)
		}
		if _, err := io.WriteString(c.to, text); err != nil {
			return 0, err
		}
	}
}

// maxResult is how many lines of a tool's result are shown.
const maxResult = 8

// entryText shows an entry of a conversation; some have nothing to show.
func entryText(e work.Entry, s screen) string {
	text := strings.TrimSpace(shown(e.Text))
	switch e.Kind {
	case work.Began:
		return s.paint(faint, "― began"+about(" with ", e.Model)+about(", session ", e.Session)+about(", ", text)) + "\n"
	case work.Said:
		return text + "\n"
	case work.Told:
		return s.paint(bold, prefixed("> ", text)) + "\n"
	case work.Did:
		return didText(e, text, s)
	case work.Asked:
		word := "asks: "
		if e.Failed {
			word = "was refused: "
		}
		return s.paint(yellow, "? "+word+text) + "\n"
	case work.Hit, work.Retried, work.Noted:
		if e.ResetsAt != nil {
			text += ", until " + e.ResetsAt.Local().Format("2 Jan 15:04")
		}
		return s.paint(yellow, "! "+text) + "\n"
	case work.Spent:
		if e.Usage == nil {
			return ""
		}
		return s.paint(faint, fmt.Sprintf("― %s tokens in, %s out%s", tokens(e.Usage.Input), tokens(e.Usage.Output), about(", ", cost(e.Usage.CostUSD)))) + "\n"
	case work.Ended:
		if e.Failed {
			return s.paint(red, "― ended: "+text) + "\n"
		}
		return s.paint(faint, "― ended") + "\n"
	}
	return ""
}

// didText shows a tool call, or the beginning of its result.
func didText(e work.Entry, text string, s screen) string {
	if e.Tool != "" {
		what := text
		if what == "" {
			what = oneLine(e.Path)
		}
		return s.paint(blue, "• "+oneLine(e.Tool)) + about(" ", strings.ReplaceAll(what, "\n", "\n    ")) + "\n"
	}
	lines := strings.Split(text, "\n")
	if more := len(lines) - maxResult; more > 1 {
		lines = append(lines[:maxResult], fmt.Sprintf("… %d lines more", more))
	}
	how := faint
	if e.Failed {
		how = red
		lines[0] = "failed: " + lines[0]
	} else if text == "" {
		return ""
	}
	for i, line := range lines {
		lines[i] = s.paint(how, "    "+line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// about is text with what leads to it, or nothing if there is no text.
func about(lead, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return lead + text
}

// prefixed puts prefix before every line of text.
func prefixed(prefix, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(prefix+line, " ")
	}
	return strings.Join(lines, "\n")
}
