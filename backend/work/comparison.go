package work

// A Comparison puts the attempts of a run side by side, best first.
type Comparison struct {
	Run      RunID     `json:"run"`
	Base     string    `json:"base"`
	Card     string    `json:"card"`
	Attempts []Verdict `json:"attempts"`
}

// A Verdict is what can be said about one attempt without reading it.
type Verdict struct {
	Attempt    AttemptName             `json:"attempt"`
	Agent      AgentID                 `json:"agent"`
	Model      string                  `json:"model,omitempty"`
	Simulated  bool                    `json:"simulated,omitempty"`
	State      State                   `json:"state"`
	Why        string                  `json:"why,omitempty"` // if it is not done, or empty
	Failing    bool                    `json:"failing"`       // struck out: not done, empty, or its tests fail; unless they fail on the base too and pass nowhere
	Tests      VerdictTests            `json:"tests"`
	Files      int                     `json:"files"`
	Added      int                     `json:"added"`
	Deleted    int                     `json:"deleted"`
	OutOfScope []string                `json:"out_of_scope"`
	Protected  []string                `json:"protected"`
	Forbidden  []string                `json:"forbidden"`
	Noise      float64                 `json:"noise"`   // share of changed lines that nobody needs to read, 0..1
	Overlap    map[AttemptName]float64 `json:"overlap"` // share of its changed files that the other attempt changed too, 0..1
	Notes      string                  `json:"notes"`   // first uncertain points of NOTES.md, or its first lines; at most 500 bytes
	Touched    []Touch                 `json:"touched"`
	Notices    []string                `json:"notices"`
	Seconds    Seconds                 `json:"seconds"`
	Tokens     int64                   `json:"tokens"`
	CostUSD    float64                 `json:"cost_usd"`
	Landed     string                  `json:"landed,omitempty"` // commit
}

// VerdictTests are an attempt's tests beside those of the base commit.
type VerdictTests struct {
	Status   TestStatus `json:"status"`
	Exit     int        `json:"exit"`
	Text     string     `json:"text,omitempty"`
	Baseline TestStatus `json:"baseline"`
}
