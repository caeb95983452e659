package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"offrun/backend/work"
)

// readAnswer reads a line and returns its first letter, or 'd' if there is none.
func readAnswer(from io.Reader) byte {
	line, _ := bufio.NewReader(from).ReadString('\n') // an end of input is no answer, as an empty line is
	line = strings.ToLower(strings.TrimSpace(line))
	if line == "" {
		return 'd'
	}
	return line[0]
}

// A quietView shows nothing: the answer is all that is asked for.
type quietView struct{}

func (quietView) update(work.Run, []work.Event) {}
func (quietView) pause()                        {}

// An eventView prints the events, for programs.
type eventView struct{ app *app }

func (v *eventView) update(_ work.Run, events []work.Event) {
	for _, e := range events {
		if err := v.app.answerLine(e); err != nil {
			return // nobody reads
		}
	}
}

func (v *eventView) pause() {}

// A plainView prints a line for each change of state. A run is looked at later
// than its events happened, so an event may tell of what is past already.
type plainView struct {
	app  *app
	said map[work.AttemptName]saying
}

// A saying is what was said last of an attempt.
type saying struct {
	turn, milestone int
	text            string
}

// milestone orders the states that an attempt comes through in a turn. A question
// may be answered; only what is looked at now tells whether it is the end.
func milestone(s work.State) int {
	switch s {
	case work.Waiting:
		return 1
	case work.Preparing:
		return 2
	case work.Running, work.NeedsYou:
		return 3
	case work.Testing:
		return 4
	}
	return last
}

// last is the milestone behind which nothing comes in a turn.
const last = 5

func (v *plainView) update(run work.Run, events []work.Event) {
	for _, e := range events {
		switch {
		case e.Kind == work.AttemptSilent:
			v.app.print(string(e.Attempt) + ": " + oneLine(e.Text) + "\n")
		case e.Kind == work.AttemptChanged && e.Attempt != "" && milestone(e.State) < last:
			v.say(e.Attempt, saying{max(e.Turn, 1), milestone(e.State), string(e.State)})
		}
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		now := saying{1, milestone(a.State()), standing(a)}
		if t := a.Turn(); t != nil {
			now.turn = t.N
		}
		if a.State().Final() && !a.Unfinished() {
			now.milestone = last
		}
		v.say(a.Name, now)
	}
}

// say prints what is new.
func (v *plainView) say(name work.AttemptName, s saying) {
	before := v.said[name]
	if s.turn < before.turn || s.turn == before.turn && s.milestone < before.milestone || s == before {
		return
	}
	v.said[name] = s
	v.app.print(string(name) + ": " + s.text + "\n")
}

func (v *plainView) pause() {}

// A liveView keeps one line for each attempt, redrawn in place.
type liveView struct {
	app   *app
	drawn []string // as they stand on the screen, above the cursor
}

func (v *liveView) update(run work.Run, _ []work.Event) {
	out := v.app.out
	if f, ok := v.app.Stdout.(*os.File); ok {
		out.width, out.height = size(f)
	}
	lines := liveLines(run, out)
	v.app.print(redraw(v.drawn, lines, out.width))
	v.drawn = lines
}

// pause leaves what is drawn and goes on below it.
func (v *liveView) pause() { v.drawn = nil }

// redraw returns what turns old, drawn just above the cursor, into lines. The
// terminal may have become narrower meanwhile and have wrapped what was drawn.
func redraw(old, lines []string, width int) string {
	var b strings.Builder
	rows := 0
	for _, line := range old {
		rows++
		if width > 0 {
			rows += max(0, columnsOf(line)-1) / width
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

// liveLines are the lines of a run at work: state, time, files changed and the
// last action of each attempt. They fit the width and the height.
func liveLines(run work.Run, s screen) []string {
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
		lines = append(lines, fit(strings.TrimRight(strings.Join(cells, "  "), " "), s.width-1))
	}
	if !unfinished(run) && run.Baseline == nil && len(run.Commands) > 0 {
		lines = append(lines, fit(s.paint(faint, "waiting for what the tests say on the base commit"), s.width-1))
	}
	if most := s.height - 1; most > 1 && len(lines) > most {
		more := len(lines) - most + 1
		lines = append(lines[:most-1], fmt.Sprintf("… and %d more", more))
	}
	return lines
}

// widest returns the columns that cell j needs in any lane.
func widest(lanes [][]string, j int) int {
	w := 0
	for _, cells := range lanes {
		w = max(w, columnsOf(cells[j]))
	}
	return w
}

// lane is the line of one attempt: name, state, time, files, action.
func lane(a *work.Attempt) []string {
	files, action := 0, ""
	if a.Live != nil {
		files, action = a.Live.Files, oneLine(a.Live.Action)
	}
	if t := a.Turn(); t != nil && t.Result != nil {
		files = t.Result.Files
	}
	if a.State().Final() {
		action = outcome(a)
	}
	changed := ""
	if files > 0 {
		changed = count(files, "file")
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
	if why := firstLine(a.Why()); why != "" {
		parts = append(parts, why)
	}
	return strings.Join(parts, ", ")
}

// testsText says how the acceptance commands ended.
func testsText(s work.TestStatus) string {
	return map[work.TestStatus]string{work.Pass: "tests pass", work.Fail: "tests fail", work.DidNotRun: "tests did not run"}[s]
}

// standing is where an attempt stands, in a line.
func standing(a *work.Attempt) string {
	parts := []string{string(a.State())}
	if a.State().Final() {
		if text := outcome(a); text != "" {
			parts = append(parts, text)
		}
		if t := a.Turn(); t != nil && t.Result != nil && t.Result.Files > 0 {
			parts = append(parts, count(t.Result.Files, "file"))
		}
		if took := timeOf(a); took != "" {
			parts = append(parts, took)
		}
	}
	return strings.Join(parts, ", ")
}
