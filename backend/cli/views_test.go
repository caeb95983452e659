package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func after(d time.Duration) *time.Time {
	at := began.Add(d)
	return &at
}

// The attempts of a run that is watched: one at work, one that waits, one done.
var (
	working = work.Attempt{Name: "claude", PreparingAt: after(0), Turns: []work.Turn{{N: 1, StartedAt: after(0)}}}
	waiting = work.Attempt{Name: "mine", Turns: []work.Turn{{N: 1}}}
	done    = work.Attempt{Name: "sim-careful", Simulated: true, Turns: []work.Turn{{
		N: 1, StartedAt: after(0), EndedAt: after(3 * time.Second), Class: work.ClassOK,
		Agent: &work.Exit{StartedAt: began, EndedAt: *after(3 * time.Second), Reason: work.Exited},
		Tests: &work.Tests{Status: work.Pass}, Result: &work.Result{Files: 1, Added: 4, Deleted: 2},
	}}}
)

// Off a terminal every change of state is a line, once, also one that was over
// before anybody looked.
func TestPlainView(t *testing.T) {
	var out bytes.Buffer
	v := &plainView{app: &app{Env: Env{Stdout: &out}}, said: map[work.AttemptName]saying{}}
	run := work.Run{Attempts: []work.Attempt{waiting, {Name: done.Name, Turns: []work.Turn{{N: 1}}}}}
	v.update(run, nil)
	run.Attempts[1] = done
	v.update(run, []work.Event{
		{Kind: work.AttemptChanged, Attempt: "sim-careful", State: work.Preparing, Turn: 1},
		{Kind: work.AttemptChanged, Attempt: "sim-careful", State: work.Running},
		{Kind: work.AttemptProgress, Attempt: "sim-careful", State: work.Running},
		{Kind: work.AttemptSilent, Attempt: "sim-careful", State: work.Running, Text: "no output for 5m"},
		{Kind: work.AttemptChanged, Attempt: "sim-careful", State: work.Done},
		{Kind: work.AttemptChanged, Text: "baseline: fail"},
	})
	v.update(run, []work.Event{{Kind: work.AttemptChanged, Attempt: "sim-careful", State: work.Testing, Turn: 1}}) // is past
	v.update(run, []work.Event{{Kind: work.AttemptChanged, Attempt: "mine", State: work.Preparing, Turn: 1}})
	v.update(run, []work.Event{{Kind: work.AttemptChanged, Attempt: "sim-careful", State: work.Running, Turn: 2}}) // a message came
	want := `mine: waiting
sim-careful: waiting
sim-careful: preparing
sim-careful: running
sim-careful: no output for 5m
sim-careful: done, tests pass, +4 −2, 1 file, 3s
mine: preparing
sim-careful: running
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("plainView (-want +got):\n%s", diff)
	}
}

func TestEnding(t *testing.T) {
	for _, tt := range []struct {
		name     string
		attempts []work.Attempt
		commands []string
		baseline *work.Tests
		want     bool
	}{
		{"an attempt works", []work.Attempt{working, done}, nil, nil, false},
		{"all have ended", []work.Attempt{done}, nil, nil, true},
		{"no word of the baseline", []work.Attempt{done}, []string{"true"}, nil, false},
		{"with the baseline", []work.Attempt{done}, []string{"true"}, &work.Tests{Status: work.Fail}, true},
	} {
		run := work.Run{Attempts: tt.attempts, Commands: tt.commands, Baseline: tt.baseline}
		if got := endOf(run).over(run); got != tt.want {
			t.Errorf("%s: over = %v, want %v", tt.name, got, tt.want)
		}
	}
}
