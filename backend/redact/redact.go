// Package redact takes secrets out of text: what looks like a token, a key or a
// password, and values that the settings say are secret. Text goes through it
// wherever it leaves Offrun: to a terminal, over the API, into an export, into
// the prompt of another agent, into our own log.
//
// It is never for patches, trees and what lands, which would no longer be what
// the agent made; and what programs printed stays on disk as it was printed.
//
// In place of a secret stands its kind, so that a reader still understands:
//
//	GITHUB_TOKEN=[redacted: github token]
//
// There is no list of rules from elsewhere behind it. Those of secret scanners
// are made for files of source code: they want a quote or a blank behind a token,
// which in a log is a comma, an escape of JSON or of a terminal.
package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A Redactor knows the shapes of secrets, and some values besides. It may be
// used by several goroutines. A nil one knows the shapes alone.
type Redactor struct{ index *index }

// New returns a Redactor that knows values, too, also where they are escaped or
// base64-encoded. Those of fewer than MinSecret bytes are passed over.
func New(values ...string) *Redactor {
	x := shapes()
	if rules := exact(values); len(rules) > 0 {
		x = x.with(rules)
	}
	return &Redactor{x}
}

// Text returns s without its secrets. Doing it twice is the same as once. What is
// valid UTF-8 stays so, and JSON remains JSON.
func (r *Redactor) Text(s string) string {
	spans := r.find(s)
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.start])
		b.WriteString(sp.mark())
		at = sp.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// Marked reports whether something was taken out of s.
func Marked(s string) bool { return strings.Contains(s, markStart) }

// Reach is how far Part must see on both sides of what it returns.
const Reach = 16 << 10

// Part returns text[from:to] without its secrets, of which some may begin before
// from or end behind to: so a long text can be shown piece by piece, and none is
// cut in two and shows its halves. A secret stands where it begins; nothing
// stands for its rest in the next part.
func (r *Redactor) Part(text []byte, from, to int) []byte {
	s := string(text)
	out := make([]byte, 0, to-from)
	at := from
	for _, sp := range r.find(s) {
		if sp.end <= from || sp.start >= to {
			continue
		}
		if sp.start >= from {
			out = append(out, s[at:sp.start]...)
			out = append(out, sp.mark()...)
		}
		at = min(sp.end, to)
	}
	return append(out, s[at:to]...)
}

// A span is a piece of a text that is not shown.
type span struct {
	start, end int
	kind       string
	rank       rank
}

func (s span) mark() string { return markStart + s.kind + "]" }

const markStart = "[redacted: "

// A rank says whose word counts where two rules find the same piece.
type rank int

const (
	guessed rank = iota // by its surroundings
	known               // by its value
	shaped              // by its shape, which tells what it is
	marked              // it is a mark of ours
)

// find returns the secrets of s in order, none of them touching another.
func (r *Redactor) find(s string) []span {
	x := shapes()
	if r != nil {
		x = r.index
	}
	spans := append(x.find(s), keysOverEntries(s)...)
	if len(spans) == 0 {
		return nil
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	merged := spans[:1]
	for _, sp := range spans[1:] {
		last := &merged[len(merged)-1]
		if sp.start >= last.end {
			merged = append(merged, sp)
			continue
		}
		last.end = max(last.end, sp.end)
		if sp.rank > last.rank {
			last.kind, last.rank = sp.kind, sp.rank
		}
	}
	return merged
}
