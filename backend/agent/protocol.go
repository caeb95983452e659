package agent

// ACP says how a program is made to speak the Agent Client Protocol, and how the
// permissions of an Ask are told to it. The zero value is a program that speaks it
// by itself and asks before it does anything.
type ACP struct {
	Program string   // the adapter that speaks it for the program, by its name on PATH; "" where the program itself does
	Args    []string // that make it speak
	Env     []string // quiet settings, "K=V"

	// Variable tells the adapter where the program is; "" if it looks by itself.
	Variable string

	// Modes are the ids of the program's own modes by permissions, and by Reading:
	// the one that asks about whatever these permissions do not allow. Of a list
	// the first that the program offers is set; without any it stays in its own.
	Modes map[string][]string
}

// Reading stands among the permissions for an Ask that is ReadOnly.
const Reading = "read-only"
