//go:build realagents && soak

package bench_test

import (
	"os"
	"testing"

	"offrun/backend/agent/agenttest/modelstub"
	"offrun/backend/agent/agenttest/real"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// How many runs in a row an agent does: the light ones many, the others few.
const (
	soakRuns     = 50
	soakRunsSlow = 5
)

// TestSoak lets the real agents do many runs on one bench, one after the other.
// Afterwards there are as many processes and open files as before.
func TestSoak(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[fix]]", stub.URL, key)
	check := gittest.Invariants(t, s.repo.Dir)
	var before int
	for n := range soakRuns {
		var agents []string
		for _, a := range real.Agents() {
			if light := a.ID == "claude" || a.ID == "codex"; light || n < soakRunsSlow {
				agents = append(agents, string(a.ID))
			}
		}
		run := s.end(s.start(agents...).ID)
		for _, a := range run.Attempts {
			if a.State() != work.Done || a.Turn().Result.Files != 1 {
				t.Errorf("%s %s: %s, why %q", run.ID, a.Name, a.State(), a.Why())
			}
		}
		if n == 0 {
			before = openFiles(t) // with what a bench opens once
		}
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d open files after the first run, %d after the last", before, after)
	}
	check()
	s.nothingLeft()
}

// openFiles counts what this process, which is the bench, has open.
func openFiles(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}
