package screen

import (
	"testing"

	"offrun/backend/work"
)

func TestCard(t *testing.T) {
	c := work.CardState{
		Card: work.Card{
			ID: "login", File: "tasks/login.md", Title: "登录", Kind: "bug", DependsOn: []work.CardID{"a", "b"},
			Background: "One\ntwo.", Goal: "Three.", Commands: []string{"npm test -- login"}, Allowed: []string{"src/"}, Files: []string{"NOTES.md"},
		},
		Warnings: []work.CardWarning{{Line: 3, Text: "src/ is not there", Next: "Correct it."}, {Text: "no section Do not"}},
	}
	broken := work.CardState{Warnings: []work.CardWarning{{Text: "card tasks/big.md is too large"}}}
	golden(t, "card", Card(c, pipe)+Cards([]work.CardState{c, broken}, pipe)+Cards(nil, pipe)+Doubts([]work.CardState{c}, wide)+Doubts(nil, pipe))
}
