package agent

import (
	"os"
	"path/filepath"
)

// LoginState is whether an agent is logged in, as far as it tells.
type LoginState string

// The login states.
const (
	LoggedIn     LoginState = "logged in"
	NotLoggedIn  LoginState = "not logged in"
	LoginUnknown LoginState = "unknown"
)

// A Login says how the state of a login is learnt. No credential is read: the
// program itself answers, or the mere presence of a file does.
type Login struct {
	Args []string // arguments that print the state and need no network; nil means that there are none

	// Read makes sense of what they printed; code is the exit status. Detail is
	// who is logged in or how, for people, or "". It is there if Args are.
	Read func(stdout, stderr string, code int) (state LoginState, detail string)

	// Marker is a file, relative to the folder of the login, that is there once
	// somebody has logged in. It counts where there are no Args, and is never
	// opened. Without it nothing follows: a key may be in the environment.
	Marker string

	Next string // what to type to log in: "claude auth login"
}

// marked looks for the marker in the folder of the login.
func (l *Login) marked(folder string) (LoginState, string) {
	if l.Marker == "" || folder == "" {
		return LoginUnknown, ""
	}
	if info, err := os.Lstat(filepath.Join(folder, l.Marker)); err != nil || info.Size() == 0 {
		return LoginUnknown, ""
	}
	return LoggedIn, l.Marker + " is there"
}
