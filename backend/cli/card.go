package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/ops"
	"offrun/backend/work"
)

func (a *app) cardCommand() *cobra.Command {
	c := &cobra.Command{Use: "card", Short: "Write, list and check task cards"}
	c.AddCommand(a.cardNew(), a.cardList(), a.cardCheck(), a.cardShow())
	return parent(c)
}

func (a *app) cardNew() *cobra.Command {
	var kind string
	c := &cobra.Command{Example: `  offrun card new "Login times out" --kind bug`}
	c = asks(ops.CardNew.Row, "TITLE...", c, func(ctx context.Context, args []string) error {
		id, err := a.here(ctx)
		if err != nil {
			return err
		}
		in := ops.NewCard{ProjectRef: ops.ProjectRef{Project: id}}
		in.Body.Title, in.Body.Kind = strings.Join(args, " "), kind
		s, err := ops.CardNew.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(s, func() string { return "wrote " + oneLine(s.Card.File) + "\n" })
	})
	c.Flags().StringVar(&kind, "kind", "", "bug, tests, docs, refactor or feature")
	return c
}

func (a *app) cardList() *cobra.Command {
	return asks(ops.CardList.Row, "", &cobra.Command{}, func(ctx context.Context, _ []string) error {
		cards, err := a.cards(ctx)
		if err != nil {
			return err
		}
		return a.answer(cards, func() string { return cardsText(cards, a.out) })
	})
}

func (a *app) cards(ctx context.Context) ([]work.CardState, error) {
	id, err := a.here(ctx)
	if err != nil {
		return nil, err
	}
	return ops.CardList.Ask(ctx, a.door, ops.ProjectRef{Project: id})
}

func (a *app) oneCard(ctx context.Context, name string) (work.CardState, error) {
	id, err := a.here(ctx)
	if err != nil {
		return work.CardState{}, err
	}
	return ops.CardShow.Ask(ctx, a.door, ops.CardRef{ProjectRef: ops.ProjectRef{Project: id}, Card: cardName(name)})
}

// cardName makes a path that is meant from the current folder absolute: the bench
// is in another one. Anything else is an id, or a path within the project.
func cardName(name string) string {
	if !strings.ContainsRune(name, filepath.Separator) && filepath.Ext(name) == "" {
		return name
	}
	if _, err := os.Stat(name); err != nil {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

func (a *app) cardCheck() *cobra.Command {
	c := &cobra.Command{
		Short:   "Show the doubts about a card, or about all of them",
		Example: "  offrun card check\n  offrun card check tasks/login.md",
	}
	do := func(ctx context.Context, args []string) (err error) {
		var cards []work.CardState
		if len(args) == 0 {
			cards, err = a.cards(ctx)
		} else {
			cards = make([]work.CardState, 1)
			cards[0], err = a.oneCard(ctx, args[0])
		}
		if err != nil {
			return err
		}
		return a.answer(cards, func() string { return doubtsText(cards, a.out) })
	}
	c = asks(ops.CardList.Row, "[CARD]", c, do)
	c.Use = "check [CARD]"
	return c
}

func (a *app) cardShow() *cobra.Command {
	c := &cobra.Command{Example: "  offrun card show login"}
	return asks(ops.CardShow.Row, "CARD", c, func(ctx context.Context, args []string) error {
		s, err := a.oneCard(ctx, args[0])
		if err != nil {
			return err
		}
		return a.answer(s, func() string { return cardText(s, a.out) })
	})
}

func cardsText(cards []work.CardState, s screen) string {
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
			doubts = count(n, "doubt")
		}
		rows = append(rows, []string{string(c.Card.ID), oneLine(c.Card.Title), c.Card.Kind, doubts})
	}
	text := tableText(columns("CARD", "TITLE", "KIND", ""), rows, s)
	for _, c := range cards {
		if c.Card.ID == "" {
			text += doubtsText([]work.CardState{c}, s)
		}
	}
	return text
}

// doubtsText lists warnings as file:line: text, so that editors can jump there.
func doubtsText(cards []work.CardState, s screen) string {
	var b strings.Builder
	for _, c := range cards {
		for _, w := range c.Warnings {
			if c.Card.File != "" {
				b.WriteString(oneLine(c.Card.File) + ":")
				if w.Line > 0 {
					fmt.Fprintf(&b, "%d:", w.Line)
				}
				b.WriteString(" ")
			}
			b.WriteString(oneLine(w.Text) + "\n")
			if w.Next != "" {
				b.WriteString(s.paint(faint, "  next: "+oneLine(w.Next)) + "\n")
			}
		}
	}
	if b.Len() == 0 {
		return "no doubts\n"
	}
	return b.String()
}

// cardText shows a card as it was understood.
func cardText(cs work.CardState, s screen) string {
	var b strings.Builder
	c := cs.Card
	fmt.Fprintf(&b, "%s  %s\n", s.paint(bold, oneLine(c.Title)), s.paint(faint, oneLine(c.File)))
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
		if text := strings.TrimSpace(shown(part.text)); text != "" {
			fmt.Fprintf(&b, "\n%s\n  %s\n", s.paint(bold, part.name), strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	if len(cs.Warnings) > 0 {
		b.WriteString("\n" + doubtsText([]work.CardState{cs}, s))
	}
	return b.String()
}
