// Package compare puts the attempts of a run side by side: one verdict for each,
// best first. Its functions are pure: they look at what is given to them, and at
// no file, clock or repository, so that the same run always compares the same.
package compare

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"offrun/backend/work"
)

// In is all that Compare looks at. The lists go with Run.Attempts, attempt by
// attempt; they may be shorter, and hold a zero value where there is nothing.
type In struct {
	Run     work.Run
	Now     time.Time           // until when attempts at work have taken time
	Patches [][]byte            // diff.patch
	Heads   []map[string]string // first lines of changed files as they were before, by path; they tell generated ones
	Notes   []string            // NOTES.md as it may be shown, with secrets taken out
}

// Compare returns a verdict for every attempt of the run, best first: what
// passed its tests, then what has none, then what fails them as the base does,
// then what is still at work, and what failed last. Among equals, the one comes
// first that broke fewer rules, then the one that is less to read, then the
// faster one.
func Compare(in In) work.Comparison {
	run := &in.Run
	c := work.Comparison{Run: run.ID, Base: run.Base, Card: cmp.Or(run.Card.Title, string(run.Card.ID)), Attempts: []work.Verdict{}}
	r := rulesOf(run)
	changed := make([]map[string]bool, len(run.Attempts))
	for i := range run.Attempts {
		changed[i] = paths(changes(&run.Attempts[i]))
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		v := verdict(a, run.Baseline, r, in.Now)
		v.Notes = Uncertain(at(in.Notes, i))
		noise, err := Count(bytes.NewReader(at(in.Patches, i)), at(in.Heads, i))
		if err != nil {
			v.Notices = append(v.Notices, "diff.patch is damaged, so its noise is unknown: "+err.Error())
		}
		v.Noise = noise.Share()
		for j := range run.Attempts {
			if i != j && len(changed[j]) > 0 {
				v.Overlap[run.Attempts[j].Name] = overlap(changes(a), changed[j])
			}
		}
		c.Attempts = append(c.Attempts, v)
	}
	// Tests that fail on the base too say nothing against an attempt, unless
	// another one has shown that they can pass.
	possible := slices.ContainsFunc(c.Attempts, func(v work.Verdict) bool { return v.Tests.Status == work.Pass })
	for i := range c.Attempts {
		v := &c.Attempts[i]
		v.Failing = failing(v, possible)
		if !v.Failing && v.State.Final() && v.Tests.Status != work.Pass && v.Tests.Text != "" {
			v.Notices = append(v.Notices, "tests: "+v.Tests.Text) // what is struck out says so anyway
		}
	}
	slices.SortStableFunc(c.Attempts, better)
	return c
}

// at returns list[i], or the zero value if the list is shorter.
func at[T any](list []T, i int) (v T) {
	if i < len(list) {
		v = list[i]
	}
	return v
}

// verdict is what can be said about a without its patch and the other attempts.
func verdict(a *work.Attempt, baseline *work.Tests, r rules, now time.Time) work.Verdict {
	v := work.Verdict{
		Attempt: a.Name, Agent: a.Agent, Model: a.Model, Simulated: a.Simulated,
		State: a.State(), Why: a.Why(),
		Tests:      work.VerdictTests{Status: work.DidNotRun, Exit: -1, Baseline: work.DidNotRun},
		OutOfScope: []string{}, Protected: []string{}, Forbidden: []string{},
		Overlap: map[work.AttemptName]float64{},
		Touched: append([]work.Touch{}, a.Touched...), Notices: []string{},
	}
	if baseline != nil {
		v.Tests.Baseline = baseline.Status
	}
	if a.Landing != nil && a.Landing.UndoneAt == nil {
		v.Landed = a.Landing.Commit
	}
	for i := range a.Turns {
		spent(&v, &a.Turns[i], now)
	}
	if t := a.Turn(); t != nil {
		if t.Tests != nil {
			v.Tests.Status, v.Tests.Exit, v.Tests.Text = t.Tests.Status, t.Tests.Exit, t.Tests.Text
		}
		if t.Result != nil {
			v.Files, v.Added, v.Deleted = t.Result.Files, t.Result.Added, t.Result.Deleted
			v.Notices = append(v.Notices, t.Result.Notices...)
			r.judge(&v, t.Result.Changes)
		}
	}
	return v
}

// spent adds what one turn took to v.
func spent(v *work.Verdict, t *work.Turn, now time.Time) {
	v.Tokens += t.Usage.Input + t.Usage.Output
	v.CostUSD += t.Usage.CostUSD
	switch {
	case t.Agent != nil:
		v.Seconds += work.SecondsOf(t.Agent.EndedAt.Sub(t.Agent.StartedAt))
	case t.StartedAt != nil && now.After(*t.StartedAt):
		v.Seconds += work.SecondsOf(now.Sub(*t.StartedAt))
	}
}

// failing reports whether v is struck out; possible says that the tests pass
// somewhere. What is still at work is not struck out.
func failing(v *work.Verdict, possible bool) bool {
	if !v.State.Final() {
		return false
	}
	return v.State != work.Done || v.Files == 0 ||
		v.Tests.Status == work.Fail && (possible || v.Tests.Baseline != work.Fail)
}

// better orders verdicts, best first.
func better(a, b work.Verdict) int {
	return cmp.Or(
		cmp.Compare(class(&a), class(&b)),
		cmp.Compare(dangers(&a), dangers(&b)),
		cmp.Compare(len(a.Forbidden), len(b.Forbidden)),
		cmp.Compare(len(a.Protected)+len(a.OutOfScope), len(b.Protected)+len(b.OutOfScope)),
		cmp.Compare(tenths(a.Noise), tenths(b.Noise)),
		cmp.Compare(a.Added+a.Deleted, b.Added+b.Deleted),
		cmp.Compare(a.Seconds, b.Seconds),
		cmp.Compare(a.Attempt, b.Attempt),
	)
}

// class is the coarse order: the smaller, the better.
func class(v *work.Verdict) int {
	tests := map[work.TestStatus]int{work.Pass: 0, work.DidNotRun: 1, work.Fail: 2}[v.Tests.Status]
	switch {
	case v.Failing && v.State == work.Done && v.Files > 0:
		return 4
	case v.Failing:
		return 5
	case !v.State.Final():
		return 3
	}
	return tests
}

// dangers counts touches outside the worktree that could make git run programs,
// and a worktree that was made to point elsewhere.
func dangers(v *work.Verdict) int {
	n := 0
	for _, t := range v.Touched {
		if t.Danger || t.What == "pointer" {
			n++
		}
	}
	return n
}

// tenths makes a small difference in noise weigh nothing beside the size of a
// change.
func tenths(share float64) int { return int(share * 10) }

// changes returns what the newest turn of a changed.
func changes(a *work.Attempt) []work.Change {
	if t := a.Turn(); t != nil && t.Result != nil {
		return t.Result.Changes
	}
	return nil
}

// paths returns every path that cs touch: of a moved file both.
func paths(cs []work.Change) map[string]bool {
	all := make(map[string]bool, len(cs))
	for i := range cs {
		for _, p := range touched(&cs[i]) {
			all[p] = true
		}
	}
	return all
}

// touched returns the paths that c changes. The file that was copied stays as it
// was.
func touched(c *work.Change) []string {
	if c.From != "" && c.Status != "copied" {
		return []string{c.From, c.Path}
	}
	return []string{c.Path}
}

// overlap returns the share of cs that touch one of other's paths.
func overlap(cs []work.Change, other map[string]bool) float64 {
	if len(cs) == 0 {
		return 0
	}
	n := 0
	for i := range cs {
		if slices.ContainsFunc(touched(&cs[i]), func(p string) bool { return other[p] }) {
			n++
		}
	}
	return float64(n) / float64(len(cs))
}
