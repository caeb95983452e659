package diff

import (
	"slices"
	"strings"
)

// A Syntax says what a formatter may change in a kind of file without changing
// what it means. The zero value is right for files nobody knows: only how much
// white space stands between two words, at either end of a line, and how many
// lines are blank, means nothing.
type Syntax struct {
	Indent     bool     // white space at the start of a line has meaning: Python, YAML
	Tokens     bool     // white space between two tokens has none at all: a=1 is a = 1
	Free       bool     // with Tokens: a line may be broken wherever white space may stand: C, CSS
	Comments   []string // with Tokens: what begins a comment that lasts until the end of the line
	Quotes     bool     // with Tokens: 'a' is "a"
	Semicolons bool     // with Tokens: one at the end of a line may be left out
	Commas     bool     // with Tokens: one before a closing bracket may be left out
}

// Formatting returns how many of the changed lines of h only change formatting.
// It judges by a run of changed lines as a whole, and if that is more than
// formatting, by the lines in it that have a counterpart on the other side. In
// doubt a line is a real change: what stands in quotes is compared as it is, a
// comment keeps its end of line, and a line that has moved is not formatting.
func (h *Hunk) Formatting(syn Syntax) int {
	count := 0
	h.runs(func(deleted, added []Line) {
		before, after := texts(deleted), texts(added)
		if sameMeaning(before, after, syn) {
			count += len(before) + len(after)
		} else if min(len(before), len(after)) > 0 && len(before)+len(after) > 2 {
			count += formattingWithin(before, after, syn)
		}
	})
	return count
}

func texts(lines []Line) []string {
	all := make([]string, len(lines))
	for i := range lines {
		all[i] = lines[i].Text
	}
	return all
}

func sameMeaning(before, after []string, syn Syntax) bool {
	return slices.Equal(meaning(before, syn), meaning(after, syn))
}

// formattingWithin aligns two runs by the lines that mean the same, and counts
// those and the stretches between them that mean the same as a whole.
func formattingWithin(before, after []string, syn Syntax) int {
	count, i, j := 0, 0, 0
	stretch := func(toI, toJ int) {
		if sameMeaning(before[i:toI], after[j:toJ], syn) {
			count += toI - i + toJ - j
		}
	}
	for _, p := range align(keys(before, syn), keys(after, syn)) {
		stretch(p.before, p.after)
		count += 2
		i, j = p.before+1, p.after+1
	}
	stretch(len(before), len(after))
	return count
}

func keys(lines []string, syn Syntax) []string {
	all := make([]string, len(lines))
	for i := range lines {
		all[i] = strings.Join(meaning(lines[i:i+1], syn), "\x00")
	}
	return all
}

// meaning returns lines as a list of what counts in them.
func meaning(lines []string, syn Syntax) []string {
	m := reading{syn: syn}
	for _, line := range lines {
		text := strings.TrimRight(line, " \t\r\f\v")
		if isBlank(text) {
			continue
		}
		m.line(text)
	}
	return m.trimmed()
}

// A reading collects what counts in some lines.
type reading struct {
	syn   Syntax
	found []string
	open  []byte // brackets that are open
	hard  bool   // the line before ends where it ends: by a comment, a directive, a semicolon that went
}

// line reads one line that is not blank and has no white space at its end.
func (m *reading) line(text string) {
	rest := strings.TrimLeft(text, " \t\f\v")
	indent := text[:len(text)-len(rest)]
	if !m.syn.Tokens {
		if !m.syn.Indent {
			indent = ""
		}
		m.found = append(m.found, indent+collapse(rest))
		return
	}
	switch {
	case m.syn.Indent && !m.bracketed():
		m.found = append(m.found, "\n"+indent)
	case m.hard || !m.syn.Free && !m.bracketed() && m.ended() && begins(rest):
		m.found = append(m.found, "\n")
	}
	m.hard = false
	if m.syn.Free && rest[0] == '#' { // a directive of C: white space and the end of line count
		m.found = append(m.found, collapse(rest))
		m.hard = true
		return
	}
	for rest != "" {
		rest = strings.TrimLeft(rest[m.token(rest):], " \t\f\v")
	}
	if n := len(m.found); m.syn.Semicolons && n > 0 && m.found[n-1] == ";" {
		m.found = m.found[:n-1]
		m.hard = true
	}
}

// trimmed returns what was found, without an end of line at the end.
func (m *reading) trimmed() []string {
	if n := len(m.found); n > 0 && m.found[n-1] == "\n" {
		return m.found[:n-1]
	}
	return m.found
}

// token takes one token from the start of rest and returns its size.
func (m *reading) token(rest string) int {
	for _, c := range m.syn.Comments {
		if strings.HasPrefix(rest, c) {
			m.found = append(m.found, collapse(rest))
			m.hard = true
			return len(rest)
		}
	}
	switch c := rest[0]; {
	case c == '\'' || c == '"' || c == '`':
		return m.quoted(rest)
	case strings.IndexByte("([{", c) >= 0:
		m.open = append(m.open, c)
	case strings.IndexByte(")]}", c) >= 0:
		m.close()
	case strings.IndexByte(operators, c) >= 0:
		size := len(rest) - len(strings.TrimLeft(rest, rest[:1])) // a ++b is not a + +b
		m.found = append(m.found, rest[:size])
		return size
	}
	t := nextToken(rest)
	m.found = append(m.found, t)
	return len(t)
}

const operators = "+-*/<>=&|!?:.%^~@$\\"

// quoted takes a string, up to its end on the same line. Without an end the rest
// of the line belongs to it, and so does the end of the line.
func (m *reading) quoted(rest string) int {
	quote, escaped := rest[0], false
	for i := 1; i < len(rest); i++ {
		switch {
		case escaped:
			escaped = false
		case rest[i] == '\\':
			escaped = true
		case rest[i] == quote:
			text := rest[:i+1]
			if m.syn.Quotes && quote == '\'' && !strings.ContainsAny(text[1:i], `"\`) {
				text = `"` + text[1:i] + `"`
			}
			m.found = append(m.found, text)
			return i + 1
		}
	}
	m.found = append(m.found, rest)
	m.hard = true
	return len(rest)
}

// close takes back the bracket that was opened last, and a comma that may stand
// before the end of a list.
func (m *reading) close() {
	if n := len(m.open); n > 0 {
		m.open = m.open[:n-1]
	}
	n := len(m.found)
	if m.syn.Commas && n > 1 && m.found[n-1] == "," && m.found[n-2] != "," && !strings.Contains("([{", m.found[n-2]) {
		m.found = m.found[:n-1]
	}
}

// bracketed reports whether a line may be broken here because a bracket is open.
func (m *reading) bracketed() bool {
	n := len(m.open)
	return n > 0 && (m.open[n-1] != '{' || m.syn.Indent)
}

// ended reports whether a statement can end with what was found last.
func (m *reading) ended() bool {
	n := len(m.found)
	if n == 0 {
		return false
	}
	last := m.found[n-1]
	return last == "++" || last == "--" || !strings.Contains("([{,"+operators, last[:1])
}

// begins reports whether a statement can begin with rest.
func begins(rest string) bool { return strings.IndexByte(")]},.?:=&|*/%<>", rest[0]) < 0 }

// collapse returns s with every stretch of white space as one space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
