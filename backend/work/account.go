package work

import "time"

// An AccountName names a login of one agent. It matches ^[a-z0-9][a-z0-9-]{0,31}$.
type AccountName string

// DefaultAccount is the login that the agent has on the machine already. It is
// always there and has no folder of ours.
const DefaultAccount AccountName = "default"

// An Account is a login of an agent: a configuration folder and a name. Offrun
// tells the agent's program which folder to use and never reads, copies or
// refreshes what lies in it (F79, F81).
type Account struct {
	Agent    AgentID     `json:"agent"`
	Name     AccountName `json:"account"`
	Dir      string      `json:"dir,omitempty"`      // absolute; "" is where the program keeps things when nobody tells it
	Sessions int         `json:"sessions,omitempty"` // at most so many at once; 0 is as many as wanted

	// What the agents' output told, stored in the database.
	RestsSince *time.Time `json:"rests_since,omitempty"` // its usage limit was reached
	RestsUntil *time.Time `json:"rests_until,omitempty"` // nobody knows better before then
	Why        string     `json:"why,omitempty"`         // in the agent's words
	LoggedOut  *time.Time `json:"logged_out,omitempty"`  // its agent said that it needs a login
	Walls      int        `json:"walls,omitempty"`       // limits in a row that told no reset time: the pause grows with them
	UsedAt     *time.Time `json:"used_at,omitempty"`     // latest turn
	Usage      Usage      `json:"usage"`                 // of all turns
	Windows    []Window   `json:"windows,omitempty"`     // as last reported

	Working int `json:"working,omitempty"` // turns that use it now; not stored
}

// A Window is a stretch of time for which a vendor counts usage.
type Window struct {
	Name     string     `json:"name"` // the vendor's: "five_hour", "weekly"
	Used     float64    `json:"used"` // 0..1
	ResetsAt *time.Time `json:"resets_at,omitempty"`
	At       time.Time  `json:"at"` // when it was reported
}

// Resting reports whether a has reached a limit that still holds at now. A rest
// that begins in the future is none: the clock was set back since it was noted.
func (a Account) Resting(now time.Time) bool {
	return a.RestsUntil != nil && now.Before(*a.RestsUntil) && (a.RestsSince == nil || !now.Before(*a.RestsSince))
}

// Ref names a among the accounts of all agents: "claude/work"; or the agent alone,
// if no account was lent yet.
func (a Account) Ref() string {
	if a.Name == "" {
		return string(a.Agent)
	}
	return string(a.Agent) + "/" + string(a.Name)
}

// A Move tells why a turn takes up the message of the turn before it: another
// login, or another agent, goes on.
type Move struct {
	From string    `json:"from"` // "claude/default"
	To   string    `json:"to"`   // "claude/work"; the agent alone where it has one login only
	Why  string    `json:"why"`
	At   time.Time `json:"at"`
}

// String says in a line what happened.
func (m Move) String() string {
	if m.From == m.To {
		return m.From + " goes on because: " + m.Why
	}
	return "moved from " + m.From + " to " + m.To + " because: " + m.Why
}

// A NewAccount is an account and how a person logs in to it at a terminal.
type NewAccount struct {
	Account
	Login   []string `json:"login"`             // argument list
	Env     []string `json:"env,omitempty"`     // "K=V" that the program needs beside the usual
	Path    string   `json:"path,omitempty"`    // PATH that its program was found on
	Missing string   `json:"missing,omitempty"` // why the program cannot be started
}
