package modelstub

import (
	"fmt"
	"regexp"
	"strings"
)

// reminders are texts that agents put beside what the user wrote.
var reminders = regexp.MustCompile(`(?s)<(system-reminder|environment_context|session_context)>.*?</(system-reminder|environment_context|session_context)>`)

// choose returns the scenario's name and the turn that r gets, and its number.
func (s *Stub) choose(r *request) (name string, n int, t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, at := s.script.scenario(r)
	if c == nil {
		return "side", 0, Turn{Say: s.script.side(r)}
	}
	// An answer may come back as one assistant message (anthropic, gemini, chat)
	// or as several items (responses): a run of them counts as one.
	previous := ""
	for _, m := range r.messages[at+1:] {
		if m.Role == "assistant" && previous != "assistant" {
			n++
		}
		previous = m.Role
	}
	i := 0
	for k, t := range c.Turns {
		id := fmt.Sprintf("%s/%d/%s", c.Name, k, r.key)
		if t.Fault != "" && t.Times > 0 && s.served[id] >= t.Times {
			continue
		}
		if i == n {
			if t.Fault != "" {
				s.served[id]++
			}
			return c.Name, n, t
		}
		i++
	}
	return c.Name, n, Turn{Say: "(end of script)"}
}

// scenario finds the scenario of r and the message that called for it: the newest
// marked one, else the newest of the user for a scenario without a marker.
func (s *Script) scenario(r *request) (*Scenario, int) {
	for i := len(r.messages) - 1; i >= 0; i-- {
		if r.messages[i].Role != "user" {
			continue
		}
		for k := range s.Scenarios {
			if c := &s.Scenarios[k]; c.When.Prompt != "" && strings.Contains(r.messages[i].Text, c.When.Prompt) && c.fits(r) {
				return c, i
			}
		}
	}
	for i := len(r.messages) - 1; i >= 0; i-- {
		if r.messages[i].Role != "user" || strings.TrimSpace(reminders.ReplaceAllString(r.messages[i].Text, "")) == "" {
			continue
		}
		for k := range s.Scenarios {
			if c := &s.Scenarios[k]; c.When.Prompt == "" && c.fits(r) {
				return c, i
			}
		}
		break
	}
	return nil, 0
}

func (c *Scenario) fits(r *request) bool {
	w := c.When
	return strings.Contains(r.key, w.Key) && strings.Contains(r.api, w.API) && strings.Contains(r.model, w.Model) &&
		(len(r.tools) > 0 || c.AllowNoTools)
}

func (s *Script) side(r *request) string {
	switch {
	case r.schema != nil: // gemini's model router, makers of titles
		return compact(sample(r.schema))
	case s.Side == "":
		return "ok"
	}
	return s.Side
}
