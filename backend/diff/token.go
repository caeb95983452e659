package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nextToken returns the first token of s, which must not be empty: a word, a
// stretch of white space, or one character as a person sees it. Ideographs and
// kana are words by themselves, since no space parts them. A byte that is not
// UTF-8 is a token of its own, so that joined tokens are always the line again.
func nextToken(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case first == utf8.RuneError && size == 1:
		return s[:1]
	case unicode.IsSpace(first):
		return s[:prefix(s, unicode.IsSpace)]
	case isWord(first):
		return s[:prefix(s, isWord)]
	}
	return s[:grapheme(s, first, size)]
}

// prefix returns how many bytes at the start of s are runes that keep accepts.
func prefix(s string, keep func(rune) bool) int {
	for i, r := range s {
		if !keep(r) || r == utf8.RuneError {
			return i
		}
	}
	return len(s)
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsLetter(r) && !isIdeograph(r)
}

func isIdeograph(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// grapheme returns the size of the character that begins with first: marks,
// skin tones and joined emoji belong to it, and flags are made of two letters.
func grapheme(s string, first rune, size int) int {
	joined := false
	for i, r := range s[size:] {
		belongs := joined || unicode.IsMark(r) || r == zeroWidthJoiner || r >= 0x1f3fb && r <= 0x1f3ff ||
			i == 0 && isFlagLetter(first) && isFlagLetter(r)
		if !belongs || r == utf8.RuneError {
			return size + i
		}
		joined = r == zeroWidthJoiner
	}
	return len(s)
}

const zeroWidthJoiner = '\u200d'

func isFlagLetter(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// tokens cuts s into its tokens.
func tokens(s string) []string {
	var all []string
	for s != "" {
		t := nextToken(s)
		all = append(all, t)
		s = s[len(t):]
	}
	return all
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
