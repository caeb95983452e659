package diff

import (
	"github.com/sergi/go-diff/diffmatchpatch"
)

const (
	maxMarked = 2000 // bytes; in a longer line marks cost time and help nobody
	minCommon = 0.4  // share of two lines that must be equal for the rest to be worth marking
	reach     = 4    // how many lines up and down a partner is looked for
)

// Mark finds the partner of each changed line in h and sets both lines' Marks
// to what differs between them. Lines that have too little in common, or are
// over 2,000 bytes, get none: they are different as a whole.
func (h *Hunk) Mark() {
	h.runs(func(deleted, added []Line) {
		if len(deleted) <= len(added) {
			pair(deleted, added)
		} else {
			pair(added, deleted)
		}
	})
}

// pair marks lines in order. Each line of the short side takes the most similar
// one of the few on the long side that lie about where it does, leaving enough
// of them for the lines that follow.
func pair(short, long []Line) {
	shortInk, longInk := inks(short), inks(long)
	next, spare := 0, len(long)-len(short)
	for i := range short {
		best, bestAt := 0.0, -1
		next = max(next, i-reach)
		for at := next; at <= min(i+spare, max(next, i)+reach); at++ {
			if s := similarity(shortInk[i], longInk[at]); s > best {
				best, bestAt = s, at
			}
		}
		if best >= minCommon {
			short[i].Marks, long[bestAt].Marks = marks(short[i].Text, long[bestAt].Text)
			next = bestAt + 1
		}
	}
}

// ink is what is not white space in a line.
type ink struct {
	tokens map[string]int // how often each comes
	size   int            // bytes
}

func inks(lines []Line) []ink {
	all := make([]ink, len(lines))
	for i := range lines {
		if len(lines[i].Text) <= maxMarked {
			all[i] = inkOf(lines[i].Text)
		}
	}
	return all
}

func inkOf(text string) ink {
	of := ink{tokens: map[string]int{}}
	for _, t := range tokens(text) {
		if !isBlank(t) {
			of.tokens[t]++
			of.size += len(t)
		}
	}
	return of
}

// similarity returns the share of the bytes of a and b that are tokens which
// both have, in whatever order: an upper bound of what marks can leave
// unmarked, and cheap.
func similarity(a, b ink) float64 {
	common := 0
	for t, n := range a.tokens {
		common += min(n, b.tokens[t]) * len(t)
	}
	return float64(2*common) / float64(max(1, a.size+b.size))
}

// marks returns what differs between two lines, or nothing if they have too
// little in common.
//
// diffmatchpatch compares runes, and on the characters of a line its answers are
// ugly, slow, and wrong for bytes that are not UTF-8. So every distinct token
// stands for a rune of a private plane, which holds more of them than two lines
// can have tokens.
func marks(before, after string) (inBefore, inAfter []Span) {
	runes := map[string]rune{}
	a, b := tokens(before), tokens(after)
	differ := diffmatchpatch.New()
	differ.DiffTimeout = 0 // by the clock the answer would depend on how busy the machine is
	common, i, j := 0, 0, 0
	var posA, posB int
	for _, d := range differ.DiffMainRunes(encode(a, runes), encode(b, runes), false) {
		for range d.Text {
			switch d.Type {
			case diffmatchpatch.DiffEqual:
				if !isBlank(a[i]) {
					common += 2 * len(a[i])
				}
				posA, posB = posA+len(a[i]), posB+len(b[j])
				i, j = i+1, j+1
			case diffmatchpatch.DiffDelete:
				inBefore = extend(inBefore, before, posA, len(a[i]))
				posA, i = posA+len(a[i]), i+1
			case diffmatchpatch.DiffInsert:
				inAfter = extend(inAfter, after, posB, len(b[j]))
				posB, j = posB+len(b[j]), j+1
			}
		}
	}
	if float64(common) < minCommon*float64(inkOf(before).size+inkOf(after).size) {
		return nil, nil
	}
	return inBefore, inAfter
}

const privatePlane = 0xf0000

func encode(tokens []string, runes map[string]rune) []rune {
	coded := make([]rune, len(tokens))
	for i, t := range tokens {
		r, known := runes[t]
		if !known {
			r = privatePlane + rune(len(runes))
			runes[t] = r
		}
		coded[i] = r
	}
	return coded
}

// extend adds size bytes at pos to the spans of text, joining them with the span
// before if only white space lies between.
func extend(spans []Span, text string, pos, size int) []Span {
	if n := len(spans); n > 0 && isBlank(text[spans[n-1].End:pos]) {
		spans[n-1].End = pos + size
		return spans
	}
	return append(spans, Span{pos, pos + size})
}
