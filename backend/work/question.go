package work

import (
	"slices"
	"strings"
	"time"
)

// A Question is what an agent waits for and a person can answer: whether it may
// do what it is about to do.
type Question struct {
	ID      string    `json:"id"` // within its turn; fit to be a file's name
	Options []Option  `json:"options"`
	Until   time.Time `json:"until"` // then it counts as denied
}

// An Option is one of the answers that the agent offers.
type Option struct {
	ID   string `json:"id"`
	Name string `json:"name"` // for people, in the agent's words
	Kind string `json:"kind"` // "allow_once", "allow_always", "reject_once", "reject_always"
}

// The answers that every question takes, whatever its options are called.
const (
	Allow = "allow" // this time
	Deny  = "deny"
)

// An Answer is what a person chose. It is stored in the inbox of the turn, where
// the agent's client finds it.
type Answer struct {
	Option string    `json:"option"` // its ID; "" denies where no option does
	At     time.Time `json:"at"`
}

// Choose returns the id of the option that answer stands for: Allow, Deny, or the
// id, kind or name of an option. Deny is "" where no option denies.
func (q Question) Choose(answer string) (id string, ok bool) {
	kinds := []string{answer}
	switch answer {
	case Allow:
		kinds = []string{"allow_once", "allow_always"}
	case Deny:
		kinds = []string{"reject_once", "reject_always"}
	}
	for _, o := range q.Options {
		if answer == o.ID {
			return o.ID, true
		}
	}
	for _, kind := range kinds {
		at := slices.IndexFunc(q.Options, func(o Option) bool { return o.Kind == kind || strings.EqualFold(o.Name, kind) })
		if at >= 0 {
			return q.Options[at].ID, true
		}
	}
	return "", answer == Deny
}
