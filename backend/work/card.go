package work

// A Card is a task card: a Markdown file in tasks/. Text is the file; the other
// fields are what was understood of it. A card may lack every one of them.
type Card struct {
	ID           CardID   `json:"id"`
	File         string   `json:"file"` // relative to the project, with slashes
	Title        string   `json:"title"`
	Kind         string   `json:"kind,omitempty"` // bug, tests, docs, refactor, feature: from the front matter
	DependsOn    []CardID `json:"depends_on,omitempty"`
	External     bool     `json:"external,omitempty"` // its text was written by somebody else: an issue, a pull request
	Background   string   `json:"background,omitempty"`
	Goal         string   `json:"goal,omitempty"`
	Acceptance   string   `json:"acceptance,omitempty"`
	Scope        string   `json:"scope,omitempty"`
	DoNot        string   `json:"do_not,omitempty"`
	Deliverables string   `json:"deliverables,omitempty"`

	Commands  []string `json:"commands,omitempty"`  // acceptance commands, for sh -c
	Allowed   []string `json:"allowed,omitempty"`   // globs of paths that may change; none means everything
	Forbidden []string `json:"forbidden,omitempty"` // globs of paths that the Do not section names
	Donts     []string `json:"donts,omitempty"`     // the items of the Do not section
	Files     []string `json:"files,omitempty"`     // files the Deliverables section asks for, NOTES.md among them

	Text string `json:"text,omitempty"` // the whole file, byte for byte
}

// A CardWarning is a doubt about a card. Warnings never stop a run.
type CardWarning struct {
	Line int    `json:"line"` // from 1; 0 means the whole card
	Text string `json:"text"`
	Next string `json:"next,omitempty"`
}
