package work

// State is where an attempt stands, in the words people see.
type State string

const (
	Waiting     State = "waiting"
	Preparing   State = "preparing"
	Running     State = "running"
	NeedsYou    State = "needs you"
	Limited     State = "limited"
	Testing     State = "testing"
	Done        State = "done"
	Failed      State = "failed"
	SetupFailed State = "setup failed"
	DidNotStart State = "did not start"
	TimedOutNow State = "timed out"
	Cancelled   State = "cancelled"
)

// Class is what the end of an agent's program means.
type Class string

const (
	ClassOK         Class = "ok"
	ClassFailed     Class = "failed"
	ClassLimited    Class = "limited"     // usage limit of the login
	ClassNeedsLogin Class = "needs login" // login missing or expired
	ClassNeedsYou   Class = "needs you"   // asked and stopped
	ClassNetwork    Class = "network"     // the vendor could not be reached
	ClassIncomplete Class = "incomplete"  // ended without saying that it was done
	ClassNoStart    Class = "did not start"
	ClassTimedOut   Class = "timed out"
	ClassCancelled  Class = "cancelled"
)

// states is the one table from class to state.
var states = map[Class]State{
	ClassOK:         Done,
	ClassFailed:     Failed,
	ClassLimited:    Limited,
	ClassNeedsLogin: NeedsYou,
	ClassNeedsYou:   NeedsYou,
	ClassNetwork:    Failed,
	ClassIncomplete: Failed,
	ClassNoStart:    DidNotStart,
	ClassTimedOut:   TimedOutNow,
	ClassCancelled:  Cancelled,
}

// Final reports whether nothing more happens in s unless a person acts.
func (s State) Final() bool {
	switch s {
	case Waiting, Preparing, Running, Testing:
		return false
	}
	return true
}

// State derives where a stands from the facts.
func (a *Attempt) State() State {
	t := a.Turn()
	switch {
	case a.Failure != nil && a.Failure.Step == "setup":
		return SetupFailed
	case a.Failure != nil:
		return Failed
	case a.CancelledAt != nil && t != nil && t.EndedAt != nil && t.Class == ClassLimited:
		return Cancelled // while it waited for the limit to pass
	case t != nil && t.EndedAt != nil:
		return states[t.Class]
	case t != nil && t.Blocked != "":
		return NeedsYou
	case a.CancelledAt != nil && (t == nil || t.StartedAt == nil):
		return Cancelled
	case t != nil && t.Agent != nil:
		return Testing
	case t != nil && t.Asked != "":
		return NeedsYou
	case t != nil && t.StartedAt != nil:
		return Running
	case t != nil && t.N > 1:
		return Waiting
	case a.PreparingAt != nil:
		return Preparing
	}
	return Waiting
}

// Why says in one sentence why a is not done, or "".
func (a *Attempt) Why() string {
	switch t := a.Turn(); {
	case a.Failure != nil:
		return a.Failure.Text
	case t == nil:
		return ""
	case t.Blocked != "" && t.EndedAt == nil:
		return t.Blocked
	case t.Why != "":
		return t.Why
	case t.Asked != "":
		return "asks: " + t.Asked
	case t.Result != nil:
		return t.Result.Empty
	}
	return ""
}

// Unfinished reports whether Offrun has work to do on a: it is not final, it
// runs on behind a question that a person could answer, a message waits for its
// turn, or it goes on by itself when a usage limit has passed. An attempt that waits for a person to repair something is not.
func (a *Attempt) Unfinished() bool {
	if !a.State().Final() || a.WakeAt != nil {
		return true
	}
	t := a.Turn()
	if t == nil || a.Failure != nil {
		return false
	}
	if t.EndedAt != nil {
		return len(a.Queue) > 0
	}
	return t.StartedAt != nil && t.Blocked == ""
}
