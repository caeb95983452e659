package agent

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"offrun/backend/work"
)

// escapes are the control sequences of terminals: CSI, OSC and two-byte ones.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")

// Clean makes text of an agent fit to show and to store: valid UTF-8 without
// terminal escapes or control characters other than newline and tab, and at
// most work.MaxEntryText bytes.
func Clean(text string) string {
	text = Cut(text, work.MaxEntryText)
	if strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError || isControl(r) }) < 0 {
		return text
	}
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, text)
	return Cut(text, work.MaxEntryText)
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }

// Cut returns at most max bytes of text, without half a character at its end.
func Cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}

// Text decodes output that has no structure: each line of standard output is
// something the agent said.
func Text(line []byte, stderr bool) []work.Entry {
	if stderr {
		return nil
	}
	text := strings.TrimRight(Clean(string(line)), " \t\n")
	if text == "" {
		return nil
	}
	return []work.Entry{{Kind: work.Said, Text: text}}
}
