package work

import "time"

// Absorbed says what of a turn's notes went into the project's memory.
type Absorbed struct {
	Lines   int      `json:"lines"`             // that the agent added
	Files   []string `json:"files,omitempty"`   // of the project, with slashes
	Notices []string `json:"notices,omitempty"` // what was not kept, or is odd, and why
}

// A Memory is what a project knows: conventions for every agent, and what each
// agent noted for those that come after it.
type Memory struct {
	Project ProjectID    `json:"project"`
	Folder  string       `json:"folder"` // absolute; the files lie in it
	Files   []MemoryFile `json:"files"`  // the conventions first, then by agent
	Agents  []AgentID    `json:"agents"` // that notes can be kept for
	Brief   *Brief       `json:"brief,omitempty"`
}

// A MemoryFile is one file of a memory.
type MemoryFile struct {
	File    string    `json:"file"`            // relative to the project, with slashes
	Agent   AgentID   `json:"agent,omitempty"` // whose notes they are; "" for the conventions
	Text    string    `json:"text"`
	Written []Written `json:"written,omitempty"` // where it is known who wrote a line
	Notice  string    `json:"notice,omitempty"`  // why it is not shown, or what is odd about it
}

// Written tells where lines of a memory's file come from.
type Written struct {
	Run     RunID       `json:"run"`
	Attempt AttemptName `json:"attempt"`
	Turn    int         `json:"turn"`
	At      time.Time   `json:"at"`
	Lines   []int       `json:"lines"` // from 1
}

// A Brief is what an agent is told of a memory when its session begins.
type Brief struct {
	Text string   `json:"text"`
	Left []string `json:"left,omitempty"` // what did not fit or could not be read, a sentence each
}

// A MemoryHit is a line of a memory that a search has found.
type MemoryHit struct {
	File  string  `json:"file"`
	Agent AgentID `json:"agent,omitempty"`
	Line  int     `json:"line"` // from 1
	Text  string  `json:"text"`
}
