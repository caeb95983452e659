package screen

import (
	"errors"
	"strings"

	"offrun/backend/work"
)

// Error is an error as people read it: what is wrong, the list of what it is
// about, and the next step.
func Error(err error) string {
	e, ok := errors.AsType[*work.Error](err)
	if !ok {
		return "offrun: " + Line(err.Error()) + "\n"
	}
	var b strings.Builder
	b.WriteString("offrun: " + Line(e.Msg) + "\n")
	for _, item := range e.List {
		b.WriteString("  " + Line(item) + "\n")
	}
	if e.Next != "" {
		b.WriteString("next: " + Line(e.Next) + "\n")
	}
	return b.String()
}
