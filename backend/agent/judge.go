package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"offrun/backend/work"
)

// A Verdict is what the end of an agent's program means.
type Verdict struct {
	Class    work.Class
	Why      string     // one sentence for people; "" if Class is ok
	Asked    string     // the question it stopped at, if Class is needs you
	ResetsAt *time.Time // if Class is limited, and it is known

	// SessionGone says that it does not know the session that it was to go on
	// with: a new one may be begun with the transcript.
	SessionGone bool
}

// Judge says what the end x of a program means, given what it had said. It looks
// at fields of all entries first, then at text, and at the exit status last. An
// agent that reports as it goes is never a success without its final word.
func Judge(f Facts, x work.Exit) Verdict {
	v := f.judge(x)
	if v.Class == work.ClassFailed && f.Acted == 0 {
		told := strings.ToLower(f.Stderr + v.Why)
		v.SessionGone = slices.ContainsFunc(sessionGone, func(words string) bool { return strings.Contains(told, words) })
	}
	return v
}

// sessionGone are the words of agents for a session that they do not find.
var sessionGone = []string{"no conversation found", "no rollout found", "session not found", "no session found", "no saved session found",
	"no previous sessions found", "invalid session identifier", "no session, task, or name matched"}

func (f *Facts) judge(x work.Exit) Verdict {
	if x.Reason == work.Stopped {
		return Verdict{Class: work.ClassCancelled, Why: "cancelled"}
	}
	if f.Ended != nil {
		return f.judgeWord(x)
	}
	if f.Wall != nil {
		return f.limited(f.Wall.Text, x)
	}
	switch x.Reason {
	case work.GaveUp:
		return f.judgeWait(x)
	case work.Lost:
		return Verdict{Class: work.ClassIncomplete, Why: "it and its supervisor were killed before it was done"}
	case work.Exited, work.Finished:
		return f.judgeExit(x)
	}
	return f.judgeLimit(x)
}

// judgeWord judges a program that said how its turn ended. Being stopped by us
// after a good word is a success all the same; a bad exit status of its own is not.
func (f *Facts) judgeWord(x work.Exit) Verdict {
	switch {
	case f.Ended.Failed && f.Ended.Class == work.ClassLimited:
		return f.limited(f.Ended.Text, x)
	case f.Ended.Failed && f.Ended.Class == "":
		return Verdict{Class: work.ClassFailed, Why: firstLine(f.Ended.Text, "it says that it failed")}
	case f.Ended.Failed:
		return Verdict{Class: f.Ended.Class, Why: firstLine(f.Ended.Text, string(f.Ended.Class))}
	case f.Wall != nil:
		return f.limited(f.Wall.Text, x) // done and limited at once: what comes last, the limit, counts
	case f.onlyExcuse():
		return f.limited(f.Said, x)
	case x.Reason == work.Exited && x.Code != 0:
		return Verdict{Class: work.ClassFailed, Why: "it said that it was done, then came " + f.ending(x)}
	case f.Asked != "":
		return Verdict{Class: work.ClassNeedsYou, Asked: f.Asked, Why: "asks: " + firstLine(f.Asked, "")}
	case f.refused != "":
		return Verdict{Class: work.ClassNeedsYou, Asked: f.refused, Why: "was not allowed to go on: " + firstLine(f.refused, "")}
	}
	return Verdict{Class: work.ClassOK}
}

// onlyExcuse reports whether all that was said is that a limit is reached, though it
// looks like a success: no tool was used, and no token spent to say it.
func (f *Facts) onlyExcuse() bool {
	return f.counted && f.Usage.Input+f.Usage.Output == 0 && !f.called && f.classOf(f.Said) == work.ClassLimited
}

func (f *Facts) limited(text string, x work.Exit) Verdict {
	v := Verdict{Class: work.ClassLimited, Why: firstLine(text, "its usage limit is reached")}
	for _, e := range []*work.Entry{f.Ended, f.Wall} {
		if e != nil && e.ResetsAt != nil {
			v.ResetsAt = e.ResetsAt
			return v
		}
	}
	zone := f.Zone
	if zone == nil {
		zone = time.Local
	}
	if t, ok := ResetTime(text, x.EndedAt.In(zone)); ok {
		v.ResetsAt = &t
	}
	return v
}

// judgeWait judges a program that was stopped because it waited in vain.
func (f *Facts) judgeWait(x work.Exit) Verdict {
	switch {
	case f.Asked != "":
		return Verdict{Class: work.ClassNeedsYou, Asked: f.Asked, Why: "asks: " + firstLine(f.Asked, "")}
	case f.retry == nil:
		return Verdict{Class: work.ClassIncomplete, Why: firstLine(x.Text, "it waited in vain")}
	case f.retry.Class == work.ClassLimited:
		return f.limited(f.retry.Text, x)
	case f.retry.Class == "":
		return Verdict{Class: work.ClassNetwork, Why: firstLine(f.retry.Text, "it got no answer")}
	}
	return Verdict{Class: f.retry.Class, Why: firstLine(f.retry.Text, "it got no answer")}
}

// judgeLimit judges a program that was ended by a time limit, or never ran. Text
// on standard error often tells why: a login that nobody completes, for one.
func (f *Facts) judgeLimit(x work.Exit) Verdict {
	v := Verdict{Class: work.ClassNoStart, Why: firstLine(x.Text, "it could not be started")}
	switch x.Reason {
	case work.NoStart:
		v.Why = "it printed nothing within its start limit"
	case work.TimedOut:
		v = Verdict{Class: work.ClassTimedOut, Why: fmt.Sprintf("it was stopped at its time limit, after %v", x.EndedAt.Sub(x.StartedAt).Round(time.Second))}
	}
	if f.retry != nil && (f.retry.Class == work.ClassLimited || f.retry.Class == work.ClassNetwork || f.retry.Class == work.ClassNeedsLogin) {
		return f.judgeWait(x)
	}
	if class := f.classOf(f.Stderr); x.Reason != work.NotStarted && class == work.ClassNeedsLogin {
		return Verdict{Class: class, Why: f.lineOf(f.Stderr, class)}
	}
	return v
}

// quick is how soon a program ends that was turned away.
const quick = 15 * time.Second

// small is the most output, in bytes, of a program that only said why it stops.
const small = 4 << 10

// judgeExit judges a program that ended by itself without a final word.
func (f *Facts) judgeExit(x work.Exit) Verdict {
	output := f.Stderr
	if !f.Structured || f.Said == "" && !f.called { // what a structured agent says and reads is about the task
		output = f.Stdout + "\n" + f.Stderr
	}
	class := f.classOf(output)
	turnedAway := class != work.ClassFailed && (x.Code != 0 || f.Acted == 0 && x.Stdout+x.Stderr < small)
	switch {
	case turnedAway && class == work.ClassLimited:
		return f.limited(f.lineOf(output, class), x)
	case turnedAway:
		return Verdict{Class: class, Why: f.lineOf(output, class)}
	case x.Code != 0 && f.Acted == 0 && x.EndedAt.Sub(x.StartedAt) < quick:
		return Verdict{Class: work.ClassFailed, Why: f.ending(x) + " before it did anything: perhaps a usage limit, or a login, in words that are not known yet"}
	case x.Code != 0:
		return Verdict{Class: work.ClassFailed, Why: f.ending(x)}
	case f.Structured:
		return Verdict{Class: work.ClassIncomplete, Why: "it ended without saying that it was done"}
	case f.Asked != "":
		return Verdict{Class: work.ClassNeedsYou, Asked: f.Asked, Why: "asks: " + firstLine(f.Asked, "")}
	}
	return Verdict{Class: work.ClassOK}
}

// ending tells an exit for people, with the last line of both streams (F88).
func (f *Facts) ending(x work.Exit) string {
	how := fmt.Sprintf("exit status %d", x.Code)
	if x.Signal != "" {
		how = "signal: " + x.Signal
	}
	var last []string
	for _, text := range []string{f.Stderr, f.Stdout} {
		if line := lastLine(text); line != "" && !slices.Contains(last, line) {
			last = append(last, line)
		}
	}
	if last == nil && f.Said != "" {
		last = append(last, firstLine(f.Said, ""))
	}
	if last == nil {
		return how
	}
	return how + ": " + strings.Join(last, "; ")
}

// title is that of a web page.
var title = regexp.MustCompile(`(?is)<title[^>]*>\s*(.*?)\s*</title>`)

// lastLine returns the last line of text that is meant for people, cut to whyText,
// or "". Of a web page, which a proxy may send in place of an answer, it is the title.
func lastLine(text string) string {
	text = strings.TrimSpace(Clean(text))
	if head := strings.ToLower(Cut(text, 20)); strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") {
		if m := title.FindStringSubmatch(text); m != nil {
			return firstLine("a web page: "+m[1], "")
		}
		return "a web page"
	}
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if strings.HasPrefix(line, "{") {
		return ""
	}
	return Cut(line, whyText)
}

// whyText is the most text of an agent, in bytes, in a Why.
const whyText = 300

func firstLine(text, otherwise string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(Clean(text)), "\n")
	if line == "" {
		return otherwise
	}
	return Cut(line, whyText)
}

// lineOf returns the first line of text that tells of class.
func (f *Facts) lineOf(text string, class work.Class) string {
	for line := range strings.Lines(text) {
		if f.classOf(line) == class {
			return firstLine(line, string(class))
		}
	}
	return string(class)
}
