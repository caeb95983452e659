package proc

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"offrun/backend/work"
)

func TestF62MarkedFindsWhatWasLeftBehind(t *testing.T) {
	mark := newMark(t)
	leader, output := startFake(t, marked(mark+"/1", "leave"))
	<-leader.Done()
	ready(t, output)
	same, _ := startFake(t, marked(mark+"/10", "sleep")) // same program, other mark

	found, err := Marked(mark + "/1")
	if err != nil || len(found) != 1 || len(found[0].Argv) == 0 {
		t.Fatalf("Marked = %v, %v; want the one left behind", found, err)
	}
	if all, err := Marked(mark); len(all) != 2 || err != nil {
		t.Errorf("Marked(beginning) = %v, %v; want both", all, err)
	}

	ended, err := KillMarked(t.Context(), mark+"/1", time.Second)
	if err != nil || len(ended) != 1 || ended[0].Pid != found[0].Pid {
		t.Errorf("KillMarked = %v, %v; want %v", ended, err, found)
	}
	if Alive(found[0].Pid, found[0].Started) {
		t.Error("it lives")
	}
	if !same.GroupAlive() {
		t.Error("another process was ended")
	}
}

func TestF62KillMarked(t *testing.T) {
	for _, play := range []string{"sleep", "stubborn", "hydra"} {
		t.Run(play, func(t *testing.T) {
			mark := newMark(t)
			p, output := startFake(t, marked(mark, play))
			if play != "sleep" {
				ready(t, output)
			}
			ended, err := KillMarked(t.Context(), mark, 100*time.Millisecond)
			if err != nil || !slices.ContainsFunc(ended, func(f Found) bool { return f.Pid == p.Pid() }) {
				t.Errorf("KillMarked = %v, %v", ended, err)
			}
			if left, err := Marked(mark); len(left) > 0 || err != nil {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

func TestKillMarkedRefuses(t *testing.T) {
	if _, err := KillMarked(t.Context(), "", 0); work.CodeOf(err) != work.Invalid {
		t.Errorf("no mark: %v", err)
	}
	mark := newMark(t)
	startFake(t, marked(mark, "stubborn"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := KillMarked(ctx, mark, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBears(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want bool
	}{
		{[]string{"A=b", MarkVar + "=x/1"}, true},
		{[]string{MarkVar + "=x/1/2"}, true},
		{[]string{MarkVar + "=x/10"}, false},
		{[]string{MarkVar + "=x"}, false},
		{[]string{"NOT_" + MarkVar + "=x/1"}, false},
		{nil, false},
	} {
		if got := bears(tt.env, "x/1"); got != tt.want {
			t.Errorf("bears(%q, x/1) = %v", tt.env, got)
		}
	}
}
