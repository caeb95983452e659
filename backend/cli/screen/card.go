package screen

import (
	"fmt"
	"strings"

	"offrun/backend/work"
)

// Cards lists cards, and below them the files that are none.
func Cards(cards []work.CardState, s Output) string {
	if len(cards) == 0 {
		return "no card yet; offrun card new TITLE writes one\n"
	}
	var rows [][]string
	for _, c := range cards {
		if c.Card.ID == "" {
			continue // a file that is no card: its doubt is shown below
		}
		doubts := ""
		if n := len(c.Warnings); n > 0 {
			doubts = Count(n, "doubt")
		}
		rows = append(rows, []string{string(c.Card.ID), Line(c.Card.Title), c.Card.Kind, doubts})
	}
	text := tableText(columns("CARD", "TITLE", "KIND", ""), rows, s)
	for _, c := range cards {
		if c.Card.ID == "" {
			text += Doubts([]work.CardState{c}, s)
		}
	}
	return text
}

// Doubts lists warnings as file:line: text, so that editors can jump there.
func Doubts(cards []work.CardState, s Output) string {
	var b strings.Builder
	for _, c := range cards {
		for _, w := range c.Warnings {
			if c.Card.File != "" {
				b.WriteString(Path(c.Card.File) + ":")
				if w.Line > 0 {
					fmt.Fprintf(&b, "%d:", w.Line)
				}
				b.WriteString(" ")
			}
			b.WriteString(Line(w.Text) + "\n")
			if w.Next != "" {
				b.WriteString(s.paint(faint, "  next: "+Line(w.Next)) + "\n")
			}
		}
	}
	if b.Len() == 0 {
		return "no doubts\n"
	}
	return b.String()
}

// Card shows a card as it was understood.
func Card(cs work.CardState, s Output) string {
	var b strings.Builder
	c := cs.Card
	fmt.Fprintf(&b, "%s  %s\n", s.paint(bold, Line(c.Title)), s.paint(faint, Path(c.File)))
	for _, part := range []struct{ name, text string }{
		{"Kind", c.Kind},
		{"After", strings.Join(words(c.DependsOn), ", ")},
		{"Background", c.Background},
		{"Goal", c.Goal},
		{"Acceptance criteria", c.Acceptance},
		{"Allowed scope", c.Scope},
		{"Do not", c.DoNot},
		{"Deliverables", c.Deliverables},
		{"Will run", strings.Join(c.Commands, "\n")},
		{"May change", strings.Join(c.Allowed, "\n")},
		{"Must not change", strings.Join(c.Forbidden, "\n")},
		{"Asks for", strings.Join(c.Files, "\n")},
	} {
		if text := strings.TrimSpace(Clean(part.text)); text != "" {
			fmt.Fprintf(&b, "\n%s\n  %s\n", s.paint(bold, part.name), strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	if len(cs.Warnings) > 0 {
		b.WriteString("\n" + Doubts([]work.CardState{cs}, s))
	}
	return b.String()
}
