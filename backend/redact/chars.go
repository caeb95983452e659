package redact

import "math"

// A charset is a set of bytes.
type charset [256]bool

// set returns the charset of ranges such as "azAZ09", and of single bytes.
func set(ranges, single string) *charset {
	var c charset
	for i := 0; i+1 < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			c[b] = true
		}
	}
	for i := range len(single) {
		c[single[i]] = true
	}
	return &c
}

// except returns the charset of all bytes but those.
func except(bytes string) *charset {
	c := set("", bytes)
	for i := range c {
		c[i] = !c[i]
	}
	return c
}

var (
	alnum  = set("azAZ09", "")
	upper  = set("AZ09", "")
	hexa   = set("afAF09", "")
	word   = set("azAZ09", "_")
	dashed = set("azAZ09", "_-")
	dotted = set("azAZ09", "_-.")
	base64 = set("azAZ09", "+/=_-")
	blank  = set("", " \t")
)

// run returns how many bytes of s from at on are in c, at most limit.
func run(s string, at int, c *charset, limit int) int {
	n := 0
	for n < limit && at+n < len(s) && c[s[at+n]] {
		n++
	}
	return n
}

// runBack returns how many bytes of s before at are in c, at most limit.
func runBack(s string, at int, c *charset, limit int) int {
	n := 0
	for n < limit && n < at && c[s[at-n-1]] {
		n++
	}
	return n
}

// begins reports whether a word can begin at s[at:]: behind what is no part of
// one, or behind an escape that ends in a letter or digit: of JSON (\n, \u003d),
// of a URL (%3D), of a terminal's colour (ESC[31m).
func begins(s string, at int) bool {
	return at == 0 || !word[s[at-1]] || escaped(s, at)
}

// escaped reports whether an escape that looks like a word ends right before s[at:].
func escaped(s string, at int) bool {
	switch b := s[at-1]; {
	case at >= 2 && s[at-2] == '\\' && (b == 'n' || b == 'r' || b == 't' || b == 'b' || b == 'f'):
		return true
	case at >= 3 && s[at-3] == '%' && hexa[b] && hexa[s[at-2]]:
		return true
	case at >= 6 && s[at-6] == '\\' && s[at-5] == 'u' && runBack(s, at, hexa, 4) == 4:
		return true
	case b == 'm':
		bracket := at - 2 - runBack(s, at-1, colourCode, 16)
		return bracket >= 0 && s[bracket] == '['
	}
	return false
}

// escapeAt returns where the escape of JSON begins that s[at] is the letter or a
// digit of, or at: without its backslash alone, a text would be no JSON any more.
func escapeAt(s string, at int) int {
	for n := 1; n <= 5 && n <= at; n++ {
		if s[at-n] != '\\' {
			continue
		}
		whole := n == 1 || s[at-n+1] == 'u' && runBack(s, at, hexa, 4) >= n-2
		if whole && runBack(s, at-n+1, backslash, len(s))%2 == 1 {
			return at - n
		}
		break
	}
	return at
}

var colourCode = set("09", ";")

// bits is the entropy of s in bits per byte: about 4 and more for what a machine
// drew at random, below 3.5 for most words.
func bits(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	var sum float64
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// mixed reports whether s has both letters and digits.
func mixed(s string) bool {
	var letter, digit bool
	for i := range len(s) {
		b := lower(s[i])
		letter = letter || b >= 'a' && b <= 'z'
		digit = digit || b >= '0' && b <= '9'
	}
	return letter && digit
}

// random reports whether s looks drawn at random rather than written.
func random(s string, least float64) bool { return mixed(s) && bits(s) >= least }

// solid reports whether s has a piece without dashes that looks drawn at random,
// of at least n bytes: words-that-are-joined have none.
func solid(s string, n int) bool {
	for at := 0; at < len(s); at++ {
		m := run(s, at, alnum, len(s))
		if m >= n && random(s[at:at+m], 3) {
			return true
		}
		at += m
	}
	return false
}
