package screen

import (
	"errors"
	"fmt"
	"testing"

	"offrun/backend/work"
)

func TestError(t *testing.T) {
	e := work.Errorf(work.Conflict, "trunk %q has \x1b[31mmoved", "main").Do("Look at it.")
	e.List = []string{"a\nb", "c"}
	for want, err := range map[string]error{
		"offrun: trunk \"main\" has moved\n  a b\n  c\nnext: Look at it.\n": fmt.Errorf("land: %w", e),
		"offrun: no cause is shown\n":                                       work.Hide(work.Internal, errors.New("cause"), "no cause is shown"),
		"offrun: of the machine\n":                                          errors.New("of the machine"),
	} {
		if got := Error(err); got != want {
			t.Errorf("Error(%v) = %q, want %q", err, got, want)
		}
	}
}
