package work

// A Result is what a turn left in its worktree: base commit → tree.
type Result struct {
	FullTree string   `json:"full_tree"` // all that was left
	Tree     string   `json:"tree"`      // without NOTES.md, .offrun/ and our scratch: what is compared and lands
	Commit   string   `json:"commit"`    // of FullTree, kept by Ref
	Ref      string   `json:"ref"`       // refs/offrun/keep/<run>/<attempt>/<turn>
	Head     string   `json:"head"`      // commit the worktree's HEAD was at
	Branch   string   `json:"branch"`    // branch its HEAD named; "" if detached
	Files    int      `json:"files"`
	Added    int      `json:"added"` // lines
	Deleted  int      `json:"deleted"`
	Changes  []Change `json:"changes,omitempty"`
	Empty    string   `json:"empty,omitempty"`   // why nothing changed, if nothing did
	Ignored  []string `json:"ignored,omitempty"` // ignored files that are there and were not brought along, first 50
	Notices  []string `json:"notices,omitempty"` // "switched branch to x", "made a nested repository in y", "left a merge unfinished"
	Patch    string   `json:"patch_sha256"`      // of diff.patch
	Log      string   `json:"log_sha256"`        // of agent.log
	Notes    string   `json:"notes_sha256,omitempty"`
	HasNotes bool     `json:"has_notes,omitempty"`
	Seal     string   `json:"seal,omitempty"` // of the worktree right before it was collected: while it holds, the result is all there is
}

// A Change is one file that differs between two trees.
type Change struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // path before a rename or copy
	Status  string `json:"status"`         // added, changed, deleted, renamed, copied, type
	OldMode string `json:"old_mode,omitempty"`
	NewMode string `json:"new_mode,omitempty"`
	Old     string `json:"old,omitempty"` // blob ids
	New     string `json:"new,omitempty"`
	Added   int    `json:"added"`   // lines; -1 for a binary file
	Deleted int    `json:"deleted"` // lines; -1 for a binary file
}

// Tests are what the acceptance commands said.
type Tests struct {
	Status TestStatus `json:"status"`
	Exit   int        `json:"exit"`           // of the first command that failed; -1 if it was killed or never ran
	Text   string     `json:"text,omitempty"` // which command failed, and how
	Took   Seconds    `json:"seconds,omitempty"`
}

// TestStatus is the outcome of the acceptance commands.
type TestStatus string

const (
	Pass      TestStatus = "pass"
	Fail      TestStatus = "fail"
	DidNotRun TestStatus = "did not run" // no command, or it could not be started: never counts as a pass
)

// An Artifact is a file that an attempt handed in.
type Artifact struct {
	Name string `json:"name"` // "diff.patch"
	Path string `json:"path"` // absolute
	Size int64  `json:"size_bytes"`
}
