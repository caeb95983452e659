package card

import (
	"strings"
	"testing"

	"offrun/backend/work"
)

func TestPromptHoldsCardScopeAndCommands(t *testing.T) {
	c := work.Card{Text: "Task: fix it\n\nGoal\nit works\n", Allowed: []string{"src/api/**"}}
	got := Prompt(c, []string{"npm test -- login"})
	for _, want := range []string{"Task: fix it", "it works", "src/api/**", "npm test -- login", "NOTES.md", "Uncertain"} {
		if !strings.Contains(got, want) {
			t.Errorf("prompt lacks %q:\n%s", want, got)
		}
	}
	if got := Prompt(work.Card{Text: "x"}, nil); strings.Contains(got, "may change") || strings.Contains(got, "tested with") {
		t.Errorf("prompt of a bare card promises limits or tests:\n%s", got)
	}
}

func TestFollowUpHoldsWhatWasSaid(t *testing.T) {
	got := FollowUp("the task", "agent: done", "also write a test")
	if i, j, k := strings.Index(got, "the task"), strings.Index(got, "agent: done"), strings.Index(got, "also write a test"); i < 0 || j < i || k < j {
		t.Errorf("task, transcript and message are not in order:\n%s", got)
	}
}
