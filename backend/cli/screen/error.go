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
		e = &work.Error{Msg: err.Error()}
	}
	var b strings.Builder
	first, more, _ := strings.Cut(strings.TrimSpace(e.Msg), "\n") // of several mistakes, each has its line
	b.WriteString("offrun: " + Line(first) + "\n")
	for line := range strings.Lines(more) {
		if line = Line(line); line != "" {
			b.WriteString("  " + line + "\n")
		}
	}
	for _, item := range e.List {
		b.WriteString("  " + Path(strings.TrimSpace(item)) + "\n")
	}
	if e.Next != "" {
		b.WriteString("next: " + Line(e.Next) + "\n")
	}
	return b.String()
}
