package screen

import (
	"strings"
	"testing"

	"offrun/backend/work"
)

// comparison has an attempt of every sort.
func comparison() work.Comparison {
	return work.Comparison{
		Run: "20260102-030405", Base: "0123456789abcdef0123", Card: "修复登录接口偶发超时",
		Attempts: []work.Verdict{
			{
				Attempt: "claude", Agent: "claude", Model: "opus", State: work.Done, Files: 2, Added: 31, Deleted: 4,
				Tests: work.VerdictTests{Status: work.Pass, Baseline: work.Fail}, Noise: 0.04,
				Overlap: map[work.AttemptName]float64{"codex": 1, "sim-sprawl": 0.5},
				Notes:   "- pool size is a guess\n- 50 并发 only on my machine", Seconds: 187, Tokens: 18_412, CostUSD: 0.0733,
			},
			{
				Attempt: "sim-sprawl", Agent: "sim-sprawl", Simulated: true, State: work.Done, Files: 12, Added: 210, Deleted: 190,
				Tests: work.VerdictTests{Status: work.Pass, Baseline: work.Fail}, Noise: 0.93,
				OutOfScope: []string{"README.md", "src/a|b.ts"}, Protected: []string{"package-lock.json"}, Forbidden: []string{"release.conf"},
				Overlap: map[work.AttemptName]float64{"claude": 0.16},
				Touched: []work.Touch{{What: "config", Name: "core.fsmonitor", Change: "added", Danger: true}, {What: "stash", Change: "changed"}},
				Notices: []string{"switched branch to \x1b]0;owned\x07other"},
				Seconds: 4012,
			},
			{
				Attempt: "codex", Agent: "codex", State: work.Done, Failing: true, Files: 1, Added: 3,
				Tests:   work.VerdictTests{Status: work.Fail, Exit: 1, Text: "`sh test.sh` ended with exit status 1", Baseline: work.Fail},
				Seconds: 12.3, Tokens: 1_200_000,
			},
			{Attempt: "mine", Agent: "mine", State: work.TimedOutNow, Failing: true, Why: "did not end within 30m0s\nlast words", Tests: work.VerdictTests{Status: work.DidNotRun}},
		},
	}
}

func TestComparisonText(t *testing.T) {
	for name, s := range map[string]Output{"pipe": pipe, "wide": wide, "narrow": narrow, "no-color": noColor} {
		text := Comparison(comparison(), s)
		golden(t, "compare-"+name, text)
		if s.Width == 0 {
			continue
		}
		table, _, _ := strings.Cut(text, "\n\n")
		for line := range strings.Lines(table) {
			if w := Width(strings.TrimSuffix(line, "\n")); w > s.Width {
				t.Errorf("%s: a line of %d columns on %d: %q", name, w, s.Width, line)
			}
		}
	}
}

func TestComparisonMarkdown(t *testing.T) {
	golden(t, "compare-markdown", Markdown(comparison()))
}

func TestNextText(t *testing.T) {
	c := comparison()
	if got := Next(c); !strings.Contains(got, "offrun land 20260102-030405 claude") {
		t.Errorf("nextText = %q, want how to land the best", got)
	}
	c.Attempts = c.Attempts[2:]
	if got := Next(c); got != "" {
		t.Errorf("nextText of failing attempts = %q, want nothing", got)
	}
}

func TestNoAttempts(t *testing.T) {
	if got := Comparison(work.Comparison{}, pipe); got != "the run has no attempts\n" {
		t.Errorf("comparisonText of nothing = %q", got)
	}
}
