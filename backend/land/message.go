package land

import (
	"fmt"
	"regexp"
	"strings"

	"offrun/backend/work"
)

// Message proposes the message of a landing commit: the card's title, its goal,
// and where the change comes from.
func Message(run *work.Run, a *work.Attempt) string {
	subject := strings.Join(strings.Fields(run.Card.Title), " ")
	parts := []string{orElse(subject, string(run.Card.ID))}
	if goal := trimmed(comment.ReplaceAllString(run.Card.Goal, "")); goal != "" {
		parts = append(parts, goal)
	}
	trailer := fmt.Sprintf("Offrun-Attempt: %s/%s", run.ID, a.Name)
	if a.Simulated {
		trailer += " (simulated)"
	}
	if run.Card.File != "" {
		trailer = "Offrun-Card: " + run.Card.File + "\n" + trailer
	}
	return strings.Join(append(parts, trailer), "\n\n") + "\n"
}

// comment is a comment of Markdown: the template's hints, not the author's words.
var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func trimmed(s string) string { return strings.TrimSpace(s) }
