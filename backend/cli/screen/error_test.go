package screen

import (
	"errors"
	"fmt"
	"testing"

	"offrun/backend/work"
)

func TestError(t *testing.T) {
	e := work.Errorf(work.Conflict, "trunk %q has \x1b[31mmoved", "main").Do("Look at it.")
	e.List = []string{"a\nb\x1b[2J", "c"}
	for want, err := range map[string]error{
		"offrun: trunk \"main\" has moved\n  \"a\\nb\\x1b[2J\"\n  c\nnext: Look at it.\n": fmt.Errorf("land: %w", e),
		"offrun: no cause is shown\n":                                     work.Hide(work.Internal, errors.New("cause"), "no cause is shown"),
		"offrun: a.yaml:1:1: one\n  a.yaml:2:1: two\nnext: Correct it.\n": work.Errorf(work.Invalid, "a.yaml:1:1: one\na.yaml:2:1: two").Do("Correct it."),
		"offrun: of the machine\n":                                        errors.New("of the machine"),
	} {
		if got := Error(err); got != want {
			t.Errorf("Error(%v) = %q, want %q", err, got, want)
		}
	}
}
