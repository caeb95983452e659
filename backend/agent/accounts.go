package agent

// Accounts says how several logins of one program are kept apart: each has a
// folder of its own, that is never copied (F79).
type Accounts struct {
	Home string // where the program keeps login and conversations when nobody tells it: "~/.claude"

	// Env returns the variables that make the program keep everything in dir.
	Env func(dir string) []string

	Login []string // arguments that let a person log in at a terminal

	// Settings are files and folders, relative to the folder of a login, that make
	// the program start other programs: settings, hooks, servers. What lies in them
	// is watched for change from run to run (S22).
	Settings []string

	// Transcript returns the files that hold the conversation session of a
	// program that ran in cwd, relative to home, the folder of its login. Copied
	// to the same places in the folder of another login, the conversation can be
	// gone on with there. Nil where conversations do not move, or need not as all
	// logins share them.
	Transcript func(home, session, cwd string) ([]string, error)

	// Shares says that all logins share their conversations: nothing is to move.
	Shares bool
}
