package screen

import (
	"strings"
	"testing"
	"time"

	"offrun/backend/work"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func after(d time.Duration) *time.Time {
	at := began.Add(d)
	return &at
}

// watched is a run with attempts in several states.
func watched() work.Run {
	pass, fail := &work.Tests{Status: work.Pass}, &work.Tests{Status: work.Fail, Exit: 1}
	exit := func(d time.Duration) *work.Exit {
		return &work.Exit{StartedAt: began, EndedAt: *after(d), Reason: work.Exited}
	}
	return work.Run{
		ID: "20260102-030405", Card: work.Card{ID: "login", Title: "登录"}, Commands: []string{"sh test.sh"},
		Attempts: []work.Attempt{
			{Name: "claude", PreparingAt: after(0), Live: &work.Live{Action: "Edit src/登录接口/连接池配置文件读取与校验.ts and then a very long command line", Files: 3, Took: 61}, Turns: []work.Turn{{N: 1, StartedAt: after(0)}}},
			{Name: "codex", PreparingAt: after(0), Live: &work.Live{Action: "bringing files along", Took: 2}, Turns: []work.Turn{{N: 1}}},
			{Name: "mine", Turns: []work.Turn{{N: 1}}},
			{Name: "sim-careful", Simulated: true, Turns: []work.Turn{{N: 1, StartedAt: after(0), EndedAt: after(3 * time.Second), Agent: exit(3 * time.Second), Class: work.ClassOK, Tests: pass, Result: &work.Result{Files: 1, Added: 4, Deleted: 2}}}},
			{Name: "sim-broken", Simulated: true, Turns: []work.Turn{{N: 1, StartedAt: after(0), EndedAt: after(4 * time.Second), Agent: exit(3 * time.Second), Class: work.ClassOK, Tests: fail, Result: &work.Result{Files: 1, Added: 1, Deleted: 1}}}},
			{Name: "claude-2", Turns: []work.Turn{{N: 1, StartedAt: after(0), EndedAt: after(time.Minute), Agent: exit(time.Minute), Class: work.ClassLimited, Why: "5-hour limit reached \x1b[31m🚧🚧\x1b[0m, resets 14:00", Tests: &work.Tests{Status: work.DidNotRun}, Result: &work.Result{Empty: "nothing changed"}}}},
			{Name: "codex-2", Failure: &work.Failure{Step: "setup", Text: "the setup command \"npm ci\" ended with exit status 1"}, Turns: []work.Turn{{N: 1}}},
		},
	}
}

func TestLiveLines(t *testing.T) {
	for name, s := range map[string]Output{"wide": wide, "narrow": narrow, "no-color": noColor} {
		lines := Live(watched(), s)
		golden(t, "live-"+name, strings.Join(lines, "\n")+"\n")
		for _, line := range lines {
			if w := Width(line); w >= s.Width {
				t.Errorf("%s: %d columns on %d: %q", name, w, s.Width, line)
			}
		}
	}
}

// More attempts than lines: the last line says how many are not shown.
func TestLiveLinesFitTheHeight(t *testing.T) {
	s := noColor
	s.Height = 5
	lines := Live(watched(), s)
	if len(lines) != 4 || lines[3] != "… and 4 more" {
		t.Errorf("liveLines on 5 lines = %d lines, the last %q; want 4, … and 4 more", len(lines), lines[len(lines)-1])
	}
}

func TestRedraw(t *testing.T) {
	for _, tt := range []struct {
		old, lines []string
		width      int
		want       string
	}{
		{nil, []string{"a"}, 80, "\r\x1b[Ja\n"},
		{[]string{"a", "b"}, []string{"c"}, 80, "\x1b[2A\r\x1b[Jc\n"},
		{[]string{"12345678"}, []string{"c"}, 4, "\x1b[2A\r\x1b[Jc\n"}, // wrapped by a terminal that became narrower
		{[]string{"登录登录"}, []string{"c"}, 5, "\x1b[2A\r\x1b[Jc\n"},
	} {
		if got := Redraw(tt.old, tt.lines, tt.width); got != tt.want {
			t.Errorf("redraw(%q, %q, %d) = %q, want %q", tt.old, tt.lines, tt.width, got, tt.want)
		}
	}
}
