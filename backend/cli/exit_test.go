package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

func TestErrorText(t *testing.T) {
	e := work.Errorf(work.Conflict, "trunk %q has \x1b[31mmoved", "main").Do("Look at it.")
	e.List = []string{"a\nb", "c"}
	for want, err := range map[string]error{
		"offrun: trunk \"main\" has moved\n  a b\n  c\nnext: Look at it.\n": fmt.Errorf("land: %w", e),
		"offrun: no cause is shown\n":                                       work.Hide(work.Internal, errors.New("cause"), "no cause is shown"),
		"offrun: of the machine\n":                                          errors.New("of the machine"),
	} {
		if got := errorText(err); got != want {
			t.Errorf("errorText(%v) = %q, want %q", err, got, want)
		}
	}
}

// What a bench says when it cannot start comes back from its log as it was.
func TestReadError(t *testing.T) {
	e := work.Errorf(work.Unavailable, "the data folder cannot be written").Do("Make it writable.")
	e.List = []string{"/data"}
	log := "time=… level=INFO msg=before\n" + errorText(work.Errorf(work.Busy, "an earlier one")) + "time=… msg=then\n" + errorText(e)
	if diff := cmp.Diff(e, readError(log, status[work.Unavailable])); diff != "" {
		t.Errorf("readError (-want +got):\n%s", diff)
	}
	if got := readError("panic: nothing of ours\n", 2); got != nil {
		t.Errorf("readError of a log without one = %v", got)
	}
}

// Every code has a status of its own, and help tells of each.
func TestExitCodes(t *testing.T) {
	help, seen := exitCodes().Long, map[int]work.Code{}
	for code, s := range status {
		if other, taken := seen[s]; taken {
			t.Errorf("%s and %s both end with %d", code, other, s)
		}
		seen[s] = code
		if !strings.Contains(help, fmt.Sprintf("\n%5d  ", s)) {
			t.Errorf("help exit-codes says nothing of %d (%s)", s, code)
		}
		if got := codeOf(s); got != code {
			t.Errorf("codeOf(%d) = %s, want %s", s, got, code)
		}
	}
}
