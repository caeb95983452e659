package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
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
		return a.answer(s, func() string { return "wrote " + screen.Path(s.Card.File) + "\n" })
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
		return a.answer(cards, func() string { return screen.Cards(cards, a.out) })
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
		return a.answer(cards, func() string { return screen.Doubts(cards, a.out) })
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
		return a.answer(s, func() string { return screen.Card(s, a.out) })
	})
}
