package work

import "time"

// An Entry is one line of a conversation: something the agent said or did, read
// from its output, or something that the user or Offrun added. Entries lie in
// conversation.jsonl; the bytes they came from in agent.log.
type Entry struct {
	At       time.Time  `json:"at"`
	Kind     EntryKind  `json:"kind"`
	Text     string     `json:"text,omitempty"`      // cut to MaxEntryText
	Tool     string     `json:"tool,omitempty"`      // did: the tool's name, in the agent's own words
	ID       string     `json:"id,omitempty"`        // did, asked: links a call with its result
	Path     string     `json:"path,omitempty"`      // did: the file it touched, if one
	Failed   bool       `json:"failed,omitempty"`    // did: the tool said no; asked: refused already; ended: not a success
	Session  string     `json:"session,omitempty"`   // began
	Model    string     `json:"model,omitempty"`     // began
	Usage    *Usage     `json:"usage,omitempty"`     // spent: totals so far, or of one step
	Step     bool       `json:"step,omitempty"`      // spent: Usage is that of one step, to be added up
	ResetsAt *time.Time `json:"resets_at,omitempty"` // limited
	Class    Class      `json:"class,omitempty"`     // limited, ended, retried: what the agent says about it
	Wait     Seconds    `json:"wait,omitempty"`      // limited, retried: until it tries again by itself
	Question *Question  `json:"question,omitempty"`  // asked: how to answer; nil where nobody can
	Windows  []Window   `json:"windows,omitempty"`   // spent, limited: what the vendor counts
	Log      int64      `json:"log,omitempty"`       // byte offset in agent.log of the line it came from
}

// MaxEntryText is the most text, in bytes, that an entry carries; the rest is in
// agent.log.
const MaxEntryText = 64 << 10

// EntryKind is what an entry is.
type EntryKind string

const (
	Began   EntryKind = "began"   // the agent's session is open
	Said    EntryKind = "said"    // text of the agent
	Did     EntryKind = "did"     // a tool call, or its result
	Asked   EntryKind = "asked"   // waits for an answer
	Spent   EntryKind = "spent"   // tokens, money
	Hit     EntryKind = "limited" // a usage limit: Class limited is the wall, "" a warning before it
	Ended   EntryKind = "ended"   // the agent says that its turn is over
	Told    EntryKind = "told"    // a message of the user
	Noted   EntryKind = "noted"   // Offrun: a line too long to show, a session that could not go on
	Retried EntryKind = "retried" // the agent waits and tries again: network, overload
)

// An Event is a numbered fact of the feed: small, with ids only. Who wants
// content reads it by those ids.
type Event struct {
	Seq     int64       `json:"seq"` // gapless from 1 within Epoch
	At      time.Time   `json:"at"`
	Kind    EventKind   `json:"kind"`
	Project ProjectID   `json:"project,omitempty"`
	Run     RunID       `json:"run,omitempty"`
	Attempt AttemptName `json:"attempt,omitempty"`
	Turn    int         `json:"turn,omitempty"`
	State   State       `json:"state,omitempty"` // of the attempt, after the event
	To      int64       `json:"to,omitempty"`    // progress: bytes of agent.log that have been read
	Text    string      `json:"text,omitempty"`  // at most 500 bytes
}

// EventKind is what an event tells.
type EventKind string

const (
	ProjectChanged  EventKind = "project.changed"
	RunStarted      EventKind = "run.started"
	RunEnded        EventKind = "run.ended"        // every attempt is final
	AttemptChanged  EventKind = "attempt.changed"  // a fact was added
	AttemptProgress EventKind = "attempt.progress" // throttled: at most 4/s an attempt
	AttemptSilent   EventKind = "attempt.silent"
	AttemptLanded   EventKind = "attempt.landed"
	AttemptUndone   EventKind = "attempt.undone"
	AttemptCleaned  EventKind = "attempt.cleaned"
)
