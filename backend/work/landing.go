package work

import "time"

// A Landing is one result squashed onto trunk, or the preview of it.
type Landing struct {
	At       *time.Time  `json:"at,omitempty"` // nil in a preview
	Trunk    string      `json:"trunk"`
	Parent   string      `json:"parent"` // trunk's tip before
	Tree     string      `json:"tree"`
	Commit   string      `json:"commit,omitempty"`
	Message  string      `json:"message"`
	Files    int         `json:"files"`
	Added    int         `json:"added"`
	Deleted  int         `json:"deleted"`
	Behind   int         `json:"behind"`             // commits that trunk has moved since the run's base
	Checkout string      `json:"checkout,omitempty"` // where trunk is checked out and was moved forward
	Gates    []Gate      `json:"gates,omitempty"`
	UndoneAt *time.Time  `json:"undone_at,omitempty"`
	UndoneBy string      `json:"undone_by,omitempty"` // commit that reverts it; "" if trunk was set back
	Run      RunID       `json:"run"`
	Attempt  AttemptName `json:"attempt"`
}

// A Gate is a command that had to pass on the merged tree.
type Gate struct {
	Command string     `json:"command"`
	Status  TestStatus `json:"status"`
	Exit    int        `json:"exit"`
}

// A Cleaning is what clean-up did, or would do, with one attempt.
type Cleaning struct {
	Run     RunID       `json:"run"`
	Attempt AttemptName `json:"attempt"`
	Dir     string      `json:"dir"`
	Branch  string      `json:"branch"`
	Archive string      `json:"archive,omitempty"` // ref that keeps the work
	Freed   int64       `json:"freed_bytes"`       // of the worktree
	Refused string      `json:"refused,omitempty"` // why it was left alone
	Ignored []string    `json:"ignored,omitempty"` // ignored files that go with it, first 20
	DryRun  bool        `json:"dry_run,omitempty"`
}
