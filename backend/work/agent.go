package work

// An AgentInfo is an agent and what can be told about it without a model call.
type AgentInfo struct {
	ID        AgentID `json:"id"`
	Name      string  `json:"name"`
	Custom    bool    `json:"custom"`    // settings describe it
	Simulated bool    `json:"simulated"` // plays a part in the demo
	Verified  bool    `json:"verified"`  // the real program of a pinned version passes our tests

	Program string `json:"program"`           // what is looked for: a name, or an absolute path
	Path    string `json:"path,omitempty"`    // where it was found
	Missing string `json:"missing,omitempty"` // why it was not
	Version string `json:"version,omitempty"` // as it tells
	Login   string `json:"login"`             // logged in, not logged in, unknown
	Detail  string `json:"detail,omitempty"`  // who is logged in or how
	LogIn   string `json:"log_in,omitempty"`  // what to type to log in

	Model      string `json:"model,omitempty"`   // that the settings choose; "" is its own choice
	Gap        string `json:"gap,omitempty"`     // what it does not enforce of the permissions
	Accounts   bool   `json:"accounts"`          // it can have several logins
	Moves      bool   `json:"moves"`             // its conversations go on under another login
	Resumes    bool   `json:"resumes"`           // a follow-up goes on in its own session
	ReadsOnly  bool   `json:"reads_only"`        // it can be held to reading, as a reviewer
	Structured bool   `json:"structured"`        // it tells what it does while it works
	Command    string `json:"command,omitempty"` // what a run would start, its prompt left out
}
