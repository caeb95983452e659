package compare

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNotes is how many bytes of NOTES.md a verdict shows.
const maxNotes = 500

// Uncertain returns the uncertain points of notes: the first section whose
// heading speaks of doubts, else the lines that do, else the first lines. It is
// at most 500 bytes long, cut where a character ends.
func Uncertain(notes string) string {
	lines := strings.Split(strings.ToValidUTF8(notes, "\ufffd"), "\n")
	for i, line := range lines {
		if level := heading(line); level > 0 && doubtful(line) {
			if text := joined(section(lines[i+1:], level)); text != "" {
				return cut(text)
			}
		}
	}
	var doubting, first []string
	for _, line := range lines {
		if heading(line) > 0 {
			continue
		}
		first = append(first, line)
		if doubtful(line) {
			doubting = append(doubting, line)
		}
	}
	if len(doubting) > 0 {
		return cut(joined(doubting))
	}
	return cut(joined(first))
}

// section returns lines up to the next heading of this level or a higher one.
func section(lines []string, level int) []string {
	for i, line := range lines {
		if l := heading(line); l > 0 && l <= level {
			return lines[:i]
		}
	}
	return lines
}

// heading returns the level of a heading, or 0 for text. A bold line, and a line
// that is no item and ends with a colon, are headings below all others: agents
// write them so.
func heading(line string) int {
	line = strings.TrimSpace(line)
	hashes := len(line) - len(strings.TrimLeft(line, "#"))
	switch {
	case hashes > 0 && hashes <= 6 && strings.HasPrefix(line[hashes:], " "):
		return hashes
	case len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":："), "**"):
		return 7
	case strings.HasPrefix(line, "-") || strings.HasPrefix(line, "*"):
		return 0
	case strings.HasSuffix(line, ":") || strings.HasSuffix(line, "："):
		return 7
	}
	return 0
}

func doubtful(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(doubts, func(d string) bool { return strings.Contains(line, d) })
}

// joined returns lines without the blank ones.
func joined(lines []string) string {
	var kept []string
	for _, line := range lines {
		if line = strings.TrimRight(line, " \t\r"); strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func cut(text string) string {
	const mark = "…"
	if len(text) <= maxNotes {
		return text
	}
	end := maxNotes - len(mark)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
