package work

import "time"

// A Run is one go at a card: the same text, the same base commit, one attempt
// per chosen agent. It is stored as runs/<id>/run.json; settings and card are
// frozen there when the run starts.
type Run struct {
	ID        RunID     `json:"id"`
	Project   ProjectID `json:"project"`
	Card      Card      `json:"card"`
	Base      string    `json:"base"`  // commit id, resolved once
	Trunk     string    `json:"trunk"` // branch the base was taken from
	StartedAt time.Time `json:"started_at"`
	Settings  Settings  `json:"settings"`
	Commands  []string  `json:"commands,omitempty"` // acceptance commands: the project's, then the card's
	Baseline  *Tests    `json:"baseline,omitempty"` // what the commands say on the base commit; nil until known
	Warnings  []string  `json:"warnings,omitempty"` // trunk dirty or behind, at the start
	Attempts  []Attempt `json:"attempts"`           // stored beside run.json, one attempt.json each
}

// Attempt returns the attempt called name, or nil.
func (r *Run) Attempt(name AttemptName) *Attempt {
	for i := range r.Attempts {
		if r.Attempts[i].Name == name {
			return &r.Attempts[i]
		}
	}
	return nil
}

// Final reports whether every attempt has come to its end: one that waits for a
// usage limit to pass has not.
func (r *Run) Final() bool {
	for i := range r.Attempts {
		if a := &r.Attempts[i]; !a.State().Final() || a.WakeAt != nil {
			return false
		}
	}
	return true
}

// An Attempt is one agent in one worktree. Its fields are facts, each written
// once (per turn); State is derived. It is stored as
// runs/<run>/<name>/attempt.json, which is the truth that the database indexes.
type Attempt struct {
	Run       RunID       `json:"run"`
	Name      AttemptName `json:"attempt"`
	Agent     AgentID     `json:"agent"`
	Model     string      `json:"model,omitempty"`
	Simulated bool        `json:"simulated,omitempty"` // the agent is one of the demo's, no real program
	Dir       string      `json:"dir"`                 // its worktree, absolute
	Branch    string      `json:"branch"`              // run/<card>-<name>-<run>
	GitDir    string      `json:"git_dir,omitempty"`   // the worktree's admin directory, as git named it when it was made

	QueuedAt    time.Time  `json:"queued_at"`
	PreparingAt *time.Time `json:"preparing_at,omitempty"` // a slot was free, the worktree is being made
	WorkspaceAt *time.Time `json:"workspace_at,omitempty"` // worktree complete, files brought along
	Brought     []string   `json:"brought,omitempty"`      // how ignored files and dependency folders came along, a line each
	Setup       *Exit      `json:"setup,omitempty"`
	Failure     *Failure   `json:"failure,omitempty"` // Offrun itself could not go on
	CancelledAt *time.Time `json:"cancelled_at,omitempty"`
	Turns       []Turn     `json:"turns,omitempty"`   // oldest first
	Touched     []Touch    `json:"touched,omitempty"` // what changed outside the worktree while it ran
	Landing     *Landing   `json:"landing,omitempty"` // latest
	CleanedAt   *time.Time `json:"cleaned_at,omitempty"`
	Archive     string     `json:"archive,omitempty"` // ref that keeps the work after clean-up
	Queue       []string   `json:"queue,omitempty"`   // messages that wait for the turn to end
	WakeAt      *time.Time `json:"wake_at,omitempty"` // limited: when it goes on by itself
	Live        *Live      `json:"live,omitempty"`    // while it works; not stored
}

// Turn returns the newest turn, or nil before the first.
func (a *Attempt) Turn() *Turn {
	if len(a.Turns) == 0 {
		return nil
	}
	return &a.Turns[len(a.Turns)-1]
}

// A Turn is one message to an agent and all that came of it.
type Turn struct {
	N         int         `json:"turn"` // from 1
	Message   string      `json:"message,omitempty"`
	Restores  int         `json:"restores,omitempty"`  // no agent runs: the files are set back to those of this turn
	Session   string      `json:"session,omitempty"`   // the agent's own id of the conversation
	Resumed   bool        `json:"resumed,omitempty"`   // the agent's own session goes on; else a new one with the transcript
	By        AgentID     `json:"by,omitempty"`        // the agent that takes it, if not the attempt's
	Account   AccountName `json:"account,omitempty"`   // the login it uses; "" before one was lent
	Moved     *Move       `json:"moved,omitempty"`     // it takes up the message of the turn before
	Forgotten bool        `json:"forgotten,omitempty"` // the agent no longer knew the session it was to go on with
	QueuedAt  time.Time   `json:"queued_at"`
	StartedAt *time.Time  `json:"started_at,omitempty"`
	Program   string      `json:"program,omitempty"`   // argument list as started, the prompt left out
	SilentAt  *time.Time  `json:"silent_at,omitempty"` // latest silence warning
	Agent     *Exit       `json:"agent,omitempty"`     // how the program ended
	Class     Class       `json:"class,omitempty"`     // what that means; set together with Agent
	Why       string      `json:"why,omitempty"`       // for people, if Class is not ok
	Asked     string      `json:"asked,omitempty"`     // the question that waits for an answer
	Question  *Question   `json:"question,omitempty"`  // how Asked can be answered; nil where it cannot
	Usage     Usage       `json:"usage"`
	ResetsAt  *time.Time  `json:"resets_at,omitempty"` // when Class is limited, if known
	Result    *Result     `json:"result,omitempty"`
	Blocked   string      `json:"blocked,omitempty"`  // why collection stopped: the shared git directory is not safe to use
	Absorbed  *Absorbed   `json:"absorbed,omitempty"` // the agent's notes are in the project's memory
	Tests     *Tests      `json:"tests,omitempty"`
	EndedAt   *time.Time  `json:"ended_at,omitempty"`
}

// Usage is what a turn spent, as far as the agent says.
type Usage struct {
	Input   int64   `json:"input_tokens"`
	Output  int64   `json:"output_tokens"`
	CostUSD float64 `json:"cost_usd"`
}

// An Exit is the record a supervisor leaves of one command.
type Exit struct {
	StartedAt time.Time  `json:"started_at"`
	EndedAt   time.Time  `json:"ended_at"`
	Code      int        `json:"code"`             // exit status; -1 if a signal ended it or it never ran
	Signal    string     `json:"signal,omitempty"` // "killed", "terminated" …
	Reason    ExitReason `json:"reason"`
	Text      string     `json:"text,omitempty"` // why it could not be started, or what went wrong around it
	CPU       Seconds    `json:"cpu_seconds"`
	Stdout    int64      `json:"stdout_bytes"`
	Stderr    int64      `json:"stderr_bytes"`
	Leftovers []string   `json:"leftovers,omitempty"` // processes that outlived it and were ended, "pid command"
}

// ExitReason says who ended a command.
type ExitReason string

const (
	Exited     ExitReason = "exited"        // by itself
	NotStarted ExitReason = "not started"   // the program could not be started at all
	NoStart    ExitReason = "did not start" // no output within the start limit
	TimedOut   ExitReason = "timed out"     // total limit
	Stopped    ExitReason = "cancelled"     // the user
	Finished   ExitReason = "finished"      // it had said that it was done, and stayed; a success all the same
	GaveUp     ExitReason = "gave up"       // it waited for something that nobody will give: an answer, a reset, a network
	Lost       ExitReason = "lost"          // its supervisor was killed
)

// OK reports whether the command ended as a success does.
func (e *Exit) OK() bool {
	return e.Reason == Finished || e.Reason == Exited && e.Code == 0
}

// A Failure is why Offrun could not go on with an attempt.
type Failure struct {
	At   time.Time `json:"at"`
	Step string    `json:"step"` // "worktree", "files", "setup", "agent", "collect", "memory", "tests"
	Text string    `json:"text"`
	Next string    `json:"next,omitempty"`
}

// A Touch is a change outside an attempt's worktree, found by comparing
// fingerprints. It cannot be told who made it: an agent, or the user.
type Touch struct {
	What   string `json:"what"`             // "config", "hooks", "refs", "stash", "HEAD", "index", "attributes", "exclude", "file", "pointer"
	Name   string `json:"name,omitempty"`   // the ref, key or path
	Change string `json:"change"`           // "added", "changed", "removed"
	Danger bool   `json:"danger,omitempty"` // git could run a program because of it
}
