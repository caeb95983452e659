// Package work holds the nouns that every other package speaks: a project, its
// cards, the runs of a card, the attempts of a run, their turns and what they
// left behind. It has no behaviour but what follows from the facts themselves,
// and imports the standard library only.
//
// The same types are the rows of the database, the JSON of every door and the
// files under runs/. Facts are stored, each written once; what a person sees,
// such as an attempt's State, is derived from them.
package work

import "time"

// A ProjectID names a project: the slug of its folder's name, with -2, -3 … where
// two folders are called the same.
type ProjectID string

// A CardID is the slug of a card's file name; it is what folders and branches of
// its runs are named after.
type CardID string

// An AgentID names an agent command line: "claude", "codex", or an id from the
// project's settings. It matches ^[a-z0-9][a-z0-9-]{0,31}$.
type AgentID string

// A RunID is the local time at which the run started, YYYYMMDD-HHMMSS, with -2,
// -3 … where two runs started in one second.
type RunID string

// An AttemptName names an attempt within its run: the agent's id, with -2, -3 …
// where the same agent tries more than once.
type AttemptName string

// A Project is a git repository that the user has opened.
type Project struct {
	ID      ProjectID `json:"id"`
	Path    string    `json:"path"`    // real path of the main checkout's top folder
	GitDir  string    `json:"git_dir"` // real path of the common git directory
	AddedAt time.Time `json:"added_at"`
	Trust   string    `json:"trust,omitempty"` // hash of what may run, as the user last trusted it; "" is nothing
}

// A Runnable is something of a repository that starts programs: a command in its
// settings, or a file that agents take configuration from. The user trusts the
// list of them as a whole, by hash.
type Runnable struct {
	What string `json:"what"` // "acceptance", "setup", "agent mine", "file .claude/settings.json"
	Text string `json:"text"` // the command, or the hash of the file
}

// A Finding is something that preflight or doctor noticed.
type Finding struct {
	Check string  `json:"check"` // "git", "trunk", "agent claude", "acceptance", "disk", "run 2026…"
	Level Level   `json:"level"`
	Text  string  `json:"text"`           // what was found, one sentence
	Next  string  `json:"next,omitempty"` // the one thing to do about it; "" if OK
	File  string  `json:"file,omitempty"` // where, as file or file:line:column
	Took  Seconds `json:"seconds,omitempty"`
}

// Level says how much a finding matters.
type Level string

const (
	OK      Level = "ok"
	Warning Level = "warning" // work goes on
	Problem Level = "problem" // work cannot start, or a stored result is damaged
)

// Seconds is a duration in JSON; fractions are kept to the millisecond.
type Seconds float64

// SecondsOf returns d in seconds, rounded to the millisecond.
func SecondsOf(d time.Duration) Seconds {
	return Seconds(float64(d.Round(time.Millisecond)) / float64(time.Second))
}

// Duration returns s as a time.Duration.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }
