package cli

import (
	"bufio"
	"io"
	"strings"
	"time"

	"offrun/backend/cli/screen"
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

func (quietView) pause()              {}
func (quietView) pace() time.Duration { return seldom }

// seldom is enough for a view that shows nothing but what events tell.
const seldom = time.Minute

// An eventView prints the events, for programs.
type eventView struct{ app *app }

func (v *eventView) update(_ work.Run, events []work.Event) {
	for _, e := range events {
		if err := v.app.answerLine(e); err != nil {
			return // nobody reads
		}
	}
}

func (v *eventView) pause()              {}
func (v *eventView) pace() time.Duration { return seldom }

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
			v.app.print(string(e.Attempt) + ": " + screen.Line(e.Text) + "\n")
		case e.Kind == work.AttemptChanged && e.Attempt != "" && milestone(e.State) < last:
			v.say(e.Attempt, saying{max(e.Turn, 1), milestone(e.State), string(e.State)})
		}
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		now := saying{1, milestone(a.State()), screen.Standing(a)}
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

func (v *plainView) pause()              {}
func (v *plainView) pace() time.Duration { return seldom }

// A liveView keeps one line for each attempt, redrawn in place.
type liveView struct {
	app   *app
	drawn []string // as they stand on the screen, above the cursor
}

func (v *liveView) update(run work.Run, _ []work.Event) {
	out := screen.Of(v.app.Stdout, v.app.Getenv) // it may have another size by now
	lines := screen.Live(run, out)
	v.app.print(screen.Redraw(v.drawn, lines, out.Width))
	v.drawn = lines
}

// pause leaves what is drawn and goes on below it.
func (v *liveView) pause() { v.drawn = nil }

func (v *liveView) pace() time.Duration { return time.Second }
