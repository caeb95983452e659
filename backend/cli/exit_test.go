package cli

import (
	"fmt"
	"strings"
	"testing"

	"offrun/backend/work"
)

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
