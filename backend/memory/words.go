package memory

import (
	"strings"
	"unicode"
)

// words returns what a text is about, each once: words of three letters or more
// in lower case, and of scripts without spaces every two characters that stand
// together.
func words(text string) map[string]bool {
	found := map[string]bool{}
	var run []rune
	dense := false
	flush := func() {
		switch {
		case dense && len(run) == 1:
			found[string(run)] = true
		case dense:
			for i := range len(run) - 1 {
				found[string(run[i:i+2])] = true
			}
		case len(run) >= 3 && !stopped[string(run)]:
			found[string(run)] = true
		}
		run = run[:0]
	}
	for _, r := range strings.ToLower(text) {
		d := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		word := d || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if len(run) > 0 && (!word || d != dense) {
			flush()
		}
		if word {
			dense = d
			run = append(run, r)
		}
	}
	if len(run) > 0 {
		flush()
	}
	return found
}

// stopped are words that say nothing about a text.
var stopped = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("the and for that this with from are was were not but has have had its you your all any can will should when then than into does") {
		m[w] = true
	}
	return m
}()
