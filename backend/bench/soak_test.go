//go:build realagents && soak

package bench_test

import (
	"testing"

	"offrun/backend/agent/agenttest/modelstub"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// TestSoak lets the real agents do fifty runs on one bench, one after the other.
func TestSoak(t *testing.T) {
	stub := modelstub.Start(t, script)
	s := realShop(t, "[[fix]]", stub.URL, key)
	check := gittest.Invariants(t, s.repo.Dir)
	for range 50 {
		run := s.end(s.start("claude", "codex").ID)
		for _, a := range run.Attempts {
			if a.State() != work.Done || a.Turn().Result.Files != 1 {
				t.Errorf("%s %s: %s, why %q", run.ID, a.Name, a.State(), a.Why())
			}
		}
	}
	check()
	s.nothingLeft()
}
