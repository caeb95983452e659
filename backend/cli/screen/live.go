package screen

import (
	"fmt"
	"strings"
	"time"

	"offrun/backend/work"
)

// Redraw returns what turns old, drawn just above the cursor, into lines. The
// terminal may have become narrower meanwhile and have wrapped what was drawn.
func Redraw(old, lines []string, width int) string {
	var b strings.Builder
	rows := 0
	for _, line := range old {
		rows++
		if width > 0 {
			rows += max(0, Width(line)-1) / width
		}
	}
	if rows > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", rows)
	}
	b.WriteString("\r\x1b[J")
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Live are the lines of a run at work: state, time, files changed and the
// last action of each attempt. They fit the width and the height.
func Live(run work.Run, s Output) []string {
	var lanes [][]string
	for i := range run.Attempts {
		lanes = append(lanes, lane(&run.Attempts[i]))
	}
	lines := make([]string, 0, len(lanes)+1)
	for i, cells := range lanes {
		for j := range cells[:len(cells)-1] {
			cells[j] = pad(cells[j], widest(lanes, j))
		}
		cells[1] = s.paint(stateColour(&run.Attempts[i]), cells[1])
		lines = append(lines, fit(strings.TrimRight(strings.Join(cells, "  "), " "), s.Width-1))
	}
	if run.Final() && run.Baseline == nil && len(run.Commands) > 0 {
		lines = append(lines, fit(s.paint(faint, "waiting for what the tests say on the base commit"), s.Width-1))
	}
	if most := s.Height - 1; most > 1 && len(lines) > most {
		more := len(lines) - most + 1
		lines = append(lines[:most-1], fmt.Sprintf("… and %d more", more))
	}
	return lines
}

// widest returns the columns that cell j needs in any lane.
func widest(lanes [][]string, j int) int {
	w := 0
	for _, cells := range lanes {
		w = max(w, Width(cells[j]))
	}
	return w
}

// lane is the line of one attempt: name, state, time, files, action.
func lane(a *work.Attempt) []string {
	files, action := 0, ""
	if a.Live != nil {
		files, action = a.Live.Files, Line(a.Live.Action)
	}
	if t := a.Turn(); t != nil && t.Result != nil {
		files = t.Result.Files
	}
	if a.State().Final() {
		action = outcome(a)
	}
	changed := ""
	if files > 0 {
		changed = Count(files, "file")
	}
	// The longest state that an attempt comes through, so that columns stay.
	return []string{label(a), pad(string(a.State()), len(work.Preparing)), timeOf(a), changed, action}
}

// label is an attempt's name, with the mark of a simulated one.
func label(a *work.Attempt) string {
	if a.Simulated {
		return string(a.Name) + " (simulated)"
	}
	return string(a.Name)
}

func stateColour(a *work.Attempt) string {
	t := a.Turn()
	switch st := a.State(); {
	case st == work.Done && t.Tests != nil && t.Tests.Status == work.Fail:
		return red
	case st == work.Done:
		return green
	case st == work.NeedsYou, st == work.Limited:
		return yellow
	case st.Final():
		return red
	case st == work.Waiting:
		return faint
	}
	return blue
}

// timeOf is how long the newest turn took, or has taken; "" before it began.
func timeOf(a *work.Attempt) string {
	t := a.Turn()
	switch {
	case a.Live != nil && a.Live.Took > 0:
		return clock(a.Live.Took.Duration().Round(time.Second))
	case t == nil || t.StartedAt == nil:
		return ""
	case t.EndedAt != nil:
		return clock(t.EndedAt.Sub(*t.StartedAt))
	case t.Agent != nil:
		return clock(t.Agent.EndedAt.Sub(*t.StartedAt))
	}
	return ""
}

// outcome says what came of an attempt that has ended.
func outcome(a *work.Attempt) string {
	var parts []string
	t := a.Turn()
	if t != nil && t.Tests != nil && (a.State() == work.Done || t.Tests.Status != work.DidNotRun) {
		parts = append(parts, testsText(t.Tests.Status))
	}
	if t != nil && t.Result != nil && t.Result.Files > 0 {
		parts = append(parts, lines(t.Result.Added, t.Result.Deleted))
	}
	if why := reason(a.State(), a.Why()); why != "" {
		parts = append(parts, why)
	}
	if question(a) != nil {
		parts = append(parts, fmt.Sprintf("offrun answer %s %s allow|deny", a.Run, a.Name))
	}
	return strings.Join(parts, ", ")
}

// question is what a person could answer now, or nil.
func question(a *work.Attempt) *work.Question {
	if t := a.Turn(); t != nil && t.Agent == nil && a.CancelledAt == nil {
		return t.Question
	}
	return nil
}

// reason is the first line of why, or "" where that only repeats the state.
func reason(s work.State, why string) string {
	if why = firstLine(why); why == string(s) {
		return ""
	}
	return why
}

// testsText says how the acceptance commands ended.
func testsText(s work.TestStatus) string {
	return map[work.TestStatus]string{work.Pass: "tests pass", work.Fail: "tests fail", work.DidNotRun: "tests did not run"}[s]
}

// Standing is where an attempt stands, in a line.
func Standing(a *work.Attempt) string {
	parts := []string{string(a.State())}
	if a.State().Final() {
		if text := outcome(a); text != "" {
			parts = append(parts, text)
		}
		if t := a.Turn(); t != nil && t.Result != nil && t.Result.Files > 0 {
			parts = append(parts, Count(t.Result.Files, "file"))
		}
		if took := timeOf(a); took != "" {
			parts = append(parts, took)
		}
	}
	return strings.Join(parts, ", ")
}
