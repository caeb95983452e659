package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"offrun/backend/work"
)

// A Conversation turns the lines of conversation.jsonl into text as they come.
type Conversation struct {
	to   io.Writer
	out  Output
	rest []byte // the beginning of a line
}

// NewConversation returns a Conversation that writes to to, which shows what out says.
func NewConversation(to io.Writer, out Output) *Conversation { return &Conversation{to: to, out: out} }

func (c *Conversation) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		line, rest, whole := bytes.Cut(c.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		c.rest = rest
		var e work.Entry
		text := Clean(string(line)) + "\n"
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
func entryText(e work.Entry, s Output) string {
	text := strings.TrimSpace(Clean(e.Text))
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
func didText(e work.Entry, text string, s Output) string {
	if e.Tool != "" {
		what := text
		if what == "" {
			what = Path(e.Path)
		}
		return s.paint(blue, "• "+Line(e.Tool)) + about(" ", strings.ReplaceAll(what, "\n", "\n    ")) + "\n"
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
