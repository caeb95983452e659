package work

import "testing"

func TestChoose(t *testing.T) {
	q := Question{Options: []Option{
		{"proceed_always", "Always Allow", "allow_always"}, {"proceed", "Allow", "allow_once"}, {"cancel", "Reject", "reject_once"},
	}}
	for _, tt := range []struct {
		q      Question
		answer string
		want   string
		ok     bool
	}{
		{q, Allow, "proceed", true},
		{q, Deny, "cancel", true},
		{q, "proceed_always", "proceed_always", true},
		{q, "allow_always", "proceed_always", true},
		{q, "always allow", "proceed_always", true},
		{q, "maybe", "", false},
		{q, "", "", false},
		{Question{Options: q.Options[:1]}, Allow, "proceed_always", true}, // the agent offers nothing less
		{Question{Options: q.Options[:2]}, Deny, "", true},
		{Question{Options: q.Options[2:]}, Allow, "", false},
		{Question{Options: []Option{{"deny", "Never mind", "allow_once"}}}, Deny, "deny", true}, // an id says best what is meant
	} {
		if got, ok := tt.q.Choose(tt.answer); got != tt.want || ok != tt.ok {
			t.Errorf("Choose(%q) of %v = %q, %v; want %q, %v", tt.answer, tt.q.Options, got, ok, tt.want, tt.ok)
		}
	}
}
