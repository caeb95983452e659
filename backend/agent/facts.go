package agent

import (
	"cmp"
	"fmt"
	"time"

	"offrun/backend/work"
)

// Facts are what the entries of one turn add up to. Add each entry in order,
// also those read back from conversation.jsonl; the zero value is a turn that
// has not said anything.
type Facts struct {
	Structured bool           // of the agent; set it before Judge
	Stdout     string         // the end of standard output, a few KB; set it before Judge
	Stderr     string         // the end of standard error, likewise
	Words      *Words         // of the user, looked at before ours; set it before Add
	Zone       *time.Location // of times that the agent prints without one; nil means the machine's

	Session string
	Model   string
	Usage   work.Usage
	Windows []work.Window // what the vendor counts, as last reported
	Said    string        // its latest text
	Asked   string        // the question that waits for an answer

	Question *work.Question // how Asked can be answered; nil where it cannot

	Acted   int         // tool calls that succeeded
	Wall    *work.Entry // the usage limit it ran into
	Warning *work.Entry // the latest warning before one
	Ended   *work.Entry // its word that the turn is over

	called  bool        // it used a tool, in vain or not
	counted bool        // it told how much it has used
	refused string      // first action refused for want of a permission, nothing done since
	retry   *work.Entry // latest try again, nothing done since
	since   time.Time   // of the first of them
}

// Add takes e into account.
func (f *Facts) Add(e work.Entry) {
	if len(e.Windows) > 0 {
		f.Windows = e.Windows
	}
	switch e.Kind {
	case work.Began:
		f.Session, f.Model = e.Session, e.Model
	case work.Said:
		f.Said = e.Text
		f.moved()
	case work.Did:
		f.did(e)
	case work.Asked:
		f.asked(e)
	case work.Told:
		f.Asked, f.Question = "", nil
	case work.Spent:
		f.spent(e)
	case work.Hit:
		f.hit(e)
	case work.Retried:
		if f.retry == nil {
			f.since = e.At
		}
		f.retry = f.reworded(e)
	case work.Ended:
		f.Ended = f.reworded(e)
	}
}

// reworded returns e with the class that the user's words give it, if any: those
// who add words know better than the agent's own fields.
func (f *Facts) reworded(e work.Entry) *work.Entry {
	if e.Kind == work.Retried || e.Failed {
		e.Class = cmp.Or(f.Words.ClassOf(e.Text), e.Class)
	}
	return &e
}

// classOf tells the class of what was printed outside of any field.
func (f *Facts) classOf(text string) work.Class {
	return cmp.Or(f.Words.ClassOf(text), ClassOf(text))
}

func (f *Facts) spent(e work.Entry) {
	f.counted = f.counted || e.Usage != nil
	switch {
	case e.Usage == nil:
	case e.Step:
		f.Usage.Input += e.Usage.Input
		f.Usage.Output += e.Usage.Output
		f.Usage.CostUSD += e.Usage.CostUSD
	default:
		f.Usage = *e.Usage
	}
}

// did counts a tool's result; a call alone has a Tool and proves nothing.
func (f *Facts) did(e work.Entry) {
	f.moved()
	f.called = true
	if e.Tool == "" && !e.Failed {
		f.Acted++
		f.refused = ""
		if f.Question == nil { // one that can be answered waits, whatever else is done meanwhile
			f.Asked = ""
		}
	}
}

// asked keeps a question until it is answered, or withdrawn by a refusal of the
// same id.
func (f *Facts) asked(e work.Entry) {
	if !e.Failed {
		f.Asked, f.Question = e.Text, e.Question
		return
	}
	f.refuse(e)
	if f.Question != nil && f.Question.ID == e.ID {
		f.Asked, f.Question = "", nil
	}
}

// hit keeps the reset time of an earlier entry about the same wall: agents tell
// it once, and then the text that people read.
func (f *Facts) hit(e work.Entry) {
	if e.Class != work.ClassLimited {
		f.Warning = &e
		return
	}
	if f.Wall != nil && e.ResetsAt == nil {
		e.ResetsAt = f.Wall.ResetsAt
	}
	f.Wall = &e
}

func (f *Facts) refuse(e work.Entry) {
	if f.refused == "" {
		f.refused = e.Text
	}
}

// moved forgets retries: the vendor answered.
func (f *Facts) moved() {
	f.retry, f.Wall = nil, nil
}

// How long a program may try again in vain. A usage limit lasts for hours; a
// network is often back in minutes.
const (
	limitPatience   = time.Minute
	networkPatience = 5 * time.Minute
)

// Impatient returns why it is no use to let the program go on, or "": it waits
// for something that comes in hours or never. The caller stops it with reason
// GaveUp, and Judge then says what it waited for.
func (f *Facts) Impatient() string {
	switch {
	case f.Ended != nil:
		return ""
	case f.Wall != nil && f.Wall.Wait.Duration() >= limitPatience:
		return fmt.Sprintf("it would wait %v for its usage limit", f.Wall.Wait.Duration().Round(time.Second))
	case f.retry == nil:
		return ""
	}
	patience := networkPatience
	if f.retry.Class == work.ClassLimited || f.retry.Class == work.ClassNeedsLogin {
		patience = limitPatience
	}
	if wait := f.retry.Wait.Duration(); wait >= patience {
		return fmt.Sprintf("it would wait %v before it tries again", wait.Round(time.Second))
	}
	if waited := f.retry.At.Sub(f.since); waited > patience {
		return fmt.Sprintf("it has tried again for %v in vain: %s", waited.Round(time.Second), f.retry.Text)
	}
	return ""
}
