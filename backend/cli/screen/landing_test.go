package screen

import (
	"testing"

	"offrun/backend/work"
)

func TestLanding(t *testing.T) {
	l := work.Landing{
		Trunk: "main", Parent: "0123456789abcdef", Message: "Say hello\n\n\x1b[31mred\n", Files: 2, Added: 7, Deleted: 1, Behind: 3,
		Run: "20260102-030405", Attempt: "claude",
	}
	text := Landing(l)
	l.Gates = []work.Gate{{Command: "npm test", Status: work.DidNotRun, Exit: -1}}
	v := work.Verdict{OutOfScope: []string{"src/b.ts"}, Protected: []string{"go.sum", "yarn.lock"}, Forbidden: []string{"LI\x1b[2JCENSE"}}
	text += Landing(l, Warnings(v, []work.Change{{Path: "logo.png", Added: -1, Deleted: -1}, {Path: "src/b.ts", Added: 1}})...)
	l.At, l.Commit, l.Checkout, l.Gates = &began, "fedcba9876543210", "/shop", []work.Gate{{Command: "npm test", Status: work.Pass}}
	text += Landing(l) + Undo(l)
	l.UndoneBy = "00ff00ff00ff00ff"
	golden(t, "landing", text+Undo(l))
}

func TestCleaning(t *testing.T) {
	cs := []work.Cleaning{
		{Run: "1", Attempt: "a", Dir: "/w/a", Archive: "refs/offrun/archive/1/a", Freed: 5_000_000, Ignored: []string{"node_modules", ".env"}},
		{Run: "1", Attempt: "b", Dir: "/w/b", Refused: "it is running"},
	}
	text := Cleaning(cs) + Cleaning(cs[1:]) + Cleaning(nil)
	cs[0].DryRun = true
	golden(t, "cleaning", text+Cleaning(cs[:1]))
}
