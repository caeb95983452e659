// Package modelstub is a scripted model server on 127.0.0.1, so that real agent
// command lines can be driven offline. It speaks
//
//	Anthropic  /v1/messages (+ /count_tokens)        claude
//	OpenAI     /v1/responses                         codex
//	OpenAI     /v1/chat/completions                  opencode, qwen, copilot
//	Gemini     /v1beta/models/M:generateContent …    gemini with an API key
//	Gemini     /v1internal:…                         gemini with a Google login
//
// and answers what a Script says. Which scenario and which turn a request gets
// follows from the request: the newest user message that contains a marker picks
// the scenario, the number of assistant messages after it the turn. The server
// keeps no conversation, so sessions that are resumed, forked, moved or run side
// by side all work, and a repeated request gets the same answer.
package modelstub

import "encoding/json"

// A Script is what the server answers.
type Script struct {
	Scenarios []Scenario `json:"scenarios"`

	// Side answers requests that offer no tools: titles, summaries, probes. Where
	// such a request demands JSON of a schema, the smallest that fits is sent.
	Side string `json:"side"`
}

// A Scenario is a conversation after a marked prompt.
type Scenario struct {
	Name         string `json:"name"`
	When         When   `json:"when"`
	AllowNoTools bool   `json:"allow_no_tools"`
	Turns        []Turn `json:"turns"` // after the last: "(end of script)"
}

// When says which requests a scenario is for. The fields are substrings; all
// that are set must match. One without Prompt is for what no other matches.
type When struct {
	Prompt string `json:"prompt"`
	Key    string `json:"key"` // of the API key or bearer token: "account A is over its limit"
	API    string `json:"api"` // anthropic, responses, chat, gemini
	Model  string `json:"model"`
}

// A Turn is one answer of the model. It may think, speak and use tools at once.
type Turn struct {
	Think string `json:"think"`
	Say   string `json:"say"`
	Write *Write `json:"write"` // with whatever tool the request offers; a relative path is joined to its working directory
	Bash  string `json:"bash"`  // likewise
	Tool  *Tool  `json:"tool"`  // a call as it is

	// Fault is one of usage_limit, rate_limit, insufficient_quota, auth, forbidden,
	// overloaded, server_error, bad_request, hang, cut: each with the vendor's own
	// status, body and headers. "cut" drops the connection in mid-answer.
	Fault   string            `json:"fault"`
	Times   int               `json:"times"`    // serve the fault so often, then skip the turn; 0 is always
	ResetIn int               `json:"reset_in"` // seconds until the limit ends; default 3600
	Status  int               `json:"status"`   // in place of the fault's
	Body    json.RawMessage   `json:"body"`     // in place of the fault's: a text or an object
	Headers map[string]string `json:"headers"`  // added to the answer, faults and successes alike
	DelayMS int               `json:"delay_ms"` // wait before the answer
	In      int               `json:"in"`       // input tokens; default: bytes of the request / 4
	Out     int               `json:"out"`      // output tokens; default: bytes of the answer / 4
}

// Write is a file to write.
type Write struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Tool is a call of a tool by name.
type Tool struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}
