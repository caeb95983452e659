package agent

// LoginState is whether an agent is logged in, as far as it tells.
type LoginState string

// The login states.
const (
	LoggedIn     LoginState = "logged in"
	NotLoggedIn  LoginState = "not logged in"
	LoginUnknown LoginState = "unknown"
)

// A Login asks a program for the state of its login. No credential is read: the
// program itself answers.
type Login struct {
	Args []string // arguments that print the state and need no network

	// Read makes sense of what they printed; code is the exit status. Detail is
	// who is logged in or how, for people, or "".
	Read func(stdout, stderr string, code int) (state LoginState, detail string)

	Next string // what to type to log in: "claude auth login"
}
