package work

import "time"

// A RunSummary is what a list shows of a run.
type RunSummary struct {
	ID        RunID            `json:"id"`
	Project   ProjectID        `json:"project"`
	Card      CardID           `json:"card"`
	Title     string           `json:"title"`
	StartedAt time.Time        `json:"started_at"`
	Final     bool             `json:"final"`
	Baseline  bool             `json:"baseline"` // it is known what the tests say on the base commit
	Attempts  []AttemptSummary `json:"attempts"`
}

// An AttemptSummary is what a list shows of an attempt.
type AttemptSummary struct {
	Name   AttemptName `json:"attempt"`
	State  State       `json:"state"`
	Tests  TestStatus  `json:"tests,omitempty"`
	Files  int         `json:"files"`
	Landed bool        `json:"landed,omitempty"`
}

// Summary returns what a list shows of r.
func (r *Run) Summary() RunSummary {
	s := RunSummary{ID: r.ID, Project: r.Project, Card: r.Card.ID, Title: r.Card.Title, StartedAt: r.StartedAt, Final: r.Final(), Baseline: r.Baseline != nil}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		as := AttemptSummary{Name: a.Name, State: a.State(), Landed: a.Landing != nil && a.Landing.UndoneAt == nil}
		if t := a.Turn(); t != nil && t.Tests != nil {
			as.Tests = t.Tests.Status
		}
		if t := a.Turn(); t != nil && t.Result != nil {
			as.Files = t.Result.Files
		}
		s.Attempts = append(s.Attempts, as)
	}
	return s
}

// Live is what can be said of an attempt while it works. It is never stored.
type Live struct {
	Action string  `json:"action,omitempty"` // the last thing it said or did, one line
	Files  int     `json:"files"`            // changed so far
	Took   Seconds `json:"seconds"`          // since the turn, or the preparation, began
}

// A ProjectState is a project with what its repository says now.
type ProjectState struct {
	Project   Project    `json:"project"`
	Settings  Settings   `json:"settings"`
	Runnables []Runnable `json:"runnables,omitempty"` // what may run there
	Trusted   bool       `json:"trusted"`             // the user has trusted exactly these
	Created   []string   `json:"created,omitempty"`   // files that init wrote
}

// A CardState is a card with the doubts about it.
type CardState struct {
	Card     Card          `json:"card"`
	Warnings []CardWarning `json:"warnings,omitempty"`
}

// A LogPage is a piece of an attempt's raw output.
type LogPage struct {
	Data  []byte `json:"data" redact:"-"` // bytes without their secrets, base64 in JSON; whoever reads them has looked around them
	From  int64  `json:"from"`            // offset of Data's first byte
	To    int64  `json:"to"`              // offset behind its last byte: where to ask on
	Turn  int    `json:"turn"`
	Ended bool   `json:"ended"` // nothing will follow To
}

// An EventPage is the part of the feed behind a number.
type EventPage struct {
	Epoch  string  `json:"epoch"` // changes when the feed was begun anew; numbers of another epoch mean nothing
	Last   int64   `json:"last"`  // number of the newest event there is
	Events []Event `json:"events"`
}

// A Reindexed says what rebuilding the database found.
type Reindexed struct {
	Projects int       `json:"projects"`
	Runs     int       `json:"runs"`
	Attempts int       `json:"attempts"`
	Findings []Finding `json:"findings,omitempty"` // files that could not be read
}

// A BenchState describes a running bench.
type BenchState struct {
	Version string   `json:"version"`
	PID     int      `json:"pid"`
	Home    string   `json:"home"`              // its data folder
	Working int      `json:"working"`           // attempts that are not final
	Notices []string `json:"notices,omitempty"` // what happened when it opened, such as a damaged database moved aside
}
