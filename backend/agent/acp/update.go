package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// A teller turns the updates of a session into entries. A message comes in many
// pieces and is told whole; a tool call is told when something is known of it.
type teller struct {
	out *printer

	mu      sync.Mutex
	deaf    bool // what comes is the past of a session that is being loaded
	later   bool // the session had turns before this one
	message string
	said    strings.Builder
	calls   map[string]*telling
	held    string // id of a call that was announced and is not told yet
	plan    string
	usage   work.Usage
}

// A telling is a tool call and whether it has been told.
type telling struct {
	toolCall
	told bool
}

func newTeller(out *printer) *teller {
	return &teller{out: out, calls: map[string]*telling{}}
}

// load calls open, which goes on with a session, and passes over the past that
// comes meanwhile.
func (t *teller) load(open func() error) error {
	t.listen(false)
	defer t.listen(true)
	return open()
}

func (t *teller) listen(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaf, t.later = !on, true
}

// tell prints an entry of ours behind whatever the agent said before.
func (t *teller) tell(e work.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.out.print(e)
}

// update takes one session/update. Kinds that are not known, and those that tell
// nothing of the work, are passed over.
func (t *teller) update(raw json.RawMessage) {
	var kind struct {
		Name string `json:"sessionUpdate"`
	}
	if read(raw, &kind) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.alive()
	if t.deaf {
		return
	}
	switch kind.Name {
	case "agent_message_chunk":
		t.piece(raw)
	case "agent_thought_chunk":
		t.flush()
	case "tool_call":
		t.flush()
		t.call(raw)
	case "tool_call_update":
		t.call(raw)
	case "plan":
		t.flush()
		t.planned(raw)
	case "usage_update":
		t.billed(raw)
	}
}

// piece adds to the message that is being said.
func (t *teller) piece(raw json.RawMessage) {
	var c chunk
	if read(raw, &c) != nil {
		return
	}
	if c.Message != t.message || t.held != "" || t.said.Len()+len(c.Content.Text) > work.MaxEntryText {
		t.flush()
	}
	t.message = c.Message
	t.said.WriteString(c.Content.Text)
}

// flush tells what was kept back.
func (t *teller) flush() {
	if text := strings.TrimSpace(agent.Clean(t.said.String())); text != "" {
		t.out.print(work.Entry{Kind: work.Said, Text: text})
	}
	t.said.Reset()
	if t.held != "" {
		t.begun(t.calls[t.held])
	}
}

// call takes what is new of a tool call.
func (t *teller) call(raw json.RawMessage) {
	var part toolCall
	if read(raw, &part) != nil || part.ID == "" {
		return
	}
	c, before := t.merge(part)
	if t.held != c.ID && (!c.told || t.said.Len() > 0) {
		t.flush()
	}
	done := c.Status == "completed" || c.Status == "failed"
	switch {
	case !c.told && (done || c.Status == "in_progress"):
		t.begun(c)
	case !c.told:
		t.held = c.ID
	}
	if done && before != c.Status {
		t.out.print(work.Entry{Kind: work.Did, ID: c.ID, Failed: c.Status == "failed", Text: agent.Clean(c.result())})
		c.Content, c.Input, c.Output = nil, nil, nil // which may be large
	}
}

// merge adds part to what is known of its call, and returns that and the status
// of before.
func (t *teller) merge(part toolCall) (c *telling, before string) {
	c = t.calls[part.ID]
	if c == nil {
		c = &telling{}
		t.calls[part.ID] = c
	}
	before = c.Status
	c.toolCall = c.with(part)
	return c, before
}

// known returns the tool call of a request, with what was told of it before.
func (t *teller) known(part toolCall) toolCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, _ := t.merge(part)
	return c.toolCall
}

// begun tells that a tool call is being made.
func (t *teller) begun(c *telling) {
	t.held, c.told = "", true
	t.out.print(work.Entry{Kind: work.Did, Tool: agent.Clean(c.tool()), ID: c.ID, Path: agent.Clean(c.path()), Text: agent.Clean(c.text())})
}

// planned tells a plan that has changed.
func (t *teller) planned(raw json.RawMessage) {
	var p plan
	if read(raw, &p) != nil || len(p.Entries) == 0 {
		return
	}
	done := 0
	var lines strings.Builder
	for _, e := range p.Entries {
		mark := "[ ]"
		switch e.Status {
		case "completed":
			mark = "[x]"
			done++
		case "in_progress":
			mark = "[>]"
		}
		fmt.Fprintf(&lines, "\n%s %s", mark, e.Content)
	}
	text := agent.Clean(fmt.Sprintf("%d of %d done", done, len(p.Entries)) + lines.String())
	if text != t.plan {
		t.plan = text
		t.out.print(work.Entry{Kind: work.Did, Tool: "plan", Text: text})
	}
}

// billed takes what the session has cost. Agents count all of its turns, so of a
// session that is gone on with nothing tells what this turn costs.
func (t *teller) billed(raw json.RawMessage) {
	var b bill
	if t.later || read(raw, &b) != nil || b.Cost == nil || b.Cost.Currency != "USD" || b.Cost.Amount == t.usage.CostUSD {
		return
	}
	t.usage.CostUSD = b.Cost.Amount
	t.spent()
}

func (t *teller) spent() {
	usage := t.usage
	t.out.print(work.Entry{Kind: work.Spent, Usage: &usage})
}

// counted takes the tokens that the answer to a prompt tells.
func (t *teller) counted(o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	u := t.usage
	u.Input = o.Usage.Input + o.Usage.CacheRead + o.Usage.CacheWrite + o.Meta.Quota.Tokens.Input
	u.Output = o.Usage.Output + o.Meta.Quota.Tokens.Output
	if u != t.usage {
		t.usage = u
		t.spent()
	}
}

// tool is the name of the tool: the agent's own where it tells it.
func (c toolCall) tool() string {
	switch {
	case c.Meta.ClaudeCode.Tool != "":
		return c.Meta.ClaudeCode.Tool
	case c.Kind == "" || c.Kind == "other":
		return "tool"
	}
	return c.Kind
}

// text says in a line what the call does: the command if it is one, else its title.
func (c toolCall) text() string {
	if c.Kind == "execute" {
		if command := text(c.Input, "command"); len(command) > 0 {
			return strings.Join(command, " ")
		}
	}
	return strings.Trim(c.Title, "`")
}

// path is the file that the call touches, if it is about one.
func (c toolCall) path() string {
	switch c.Kind {
	case "read", "edit", "delete", "move":
		if paths := c.paths(); len(paths) > 0 {
			return paths[0]
		}
	}
	return ""
}

// result is what came of the call, for people.
func (c toolCall) result() string {
	var parts []string
	for _, part := range c.Content {
		if part.Type == "content" && part.Content.Text != "" {
			parts = append(parts, part.Content.Text)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, "\n")
	}
	var plain string
	if json.Unmarshal(c.Output, &plain) == nil {
		return plain
	}
	return strings.Join(text(c.Output, "formatted_output", "output", "stdout", "stderr", "error"), "\n")
}
