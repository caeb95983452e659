package memory

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"offrun/backend/agent"
)

const (
	maxAdded   = 64 << 10 // bytes that one turn may add to one file
	maxLine    = 8 << 10  // bytes of one line; the longest blocks of code are a line, too
	maxCompare = 20_000   // lines that are compared with their order; beyond, as a set
)

// additions returns the indices of what theirs has and base has not. A line that
// was only moved, indented or numbered anew is none, nor is one that is there
// twice or that a merge tool wrote.
func additions(base, theirs []line) []int {
	more := map[string]int{} // how many more there are of each
	for _, l := range theirs {
		more[l.key]++
	}
	for _, l := range base {
		more[l.key]--
	}
	type place struct {
		parent int
		key    string
	}
	seen := map[place]bool{}
	var added []int
	for _, i := range inserted(base, theirs) {
		l := theirs[i]
		if at := (place{l.parent, l.key}); !l.blank() && !l.mark && more[l.key] > 0 && !seen[at] {
			more[l.key]--
			seen[at] = true
			added = append(added, i)
		}
	}
	return added
}

// inserted returns the indices of the lines that a diff from base to theirs
// inserts: of several that are the same, it finds the new one.
func inserted(base, theirs []line) []int {
	if len(base)+len(theirs) > maxCompare {
		all := make([]int, len(theirs))
		for i := range all {
			all[i] = i
		}
		return all
	}
	ids := map[string]rune{}
	runes := func(ls []line) []rune {
		rs := make([]rune, len(ls))
		for i, l := range ls {
			if _, ok := ids[l.key]; !ok {
				ids[l.key] = rune(len(ids) + 1) // at most maxCompare: below the surrogates
			}
			rs[i] = ids[l.key]
		}
		return rs
	}
	before, after := runes(base), runes(theirs)
	var found []int
	at := 0
	for _, d := range diffmatchpatch.New().DiffMainRunes(before, after, false) {
		n := len([]rune(d.Text))
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			for i := range n {
				found = append(found, at+i)
			}
			at += n
		case diffmatchpatch.DiffEqual:
			at += n
		}
	}
	return found
}

// capped returns those of added that fit, in their order, and says what does not.
func capped(name string, theirs []line, added []int) ([]int, []string) {
	size := 0
	for n, i := range added {
		if size += len(theirs[i].raw) + 1; size > maxAdded {
			return added[:n], []string{fmt.Sprintf("%s: %d lines beyond %d KB of new notes were not kept", name, len(added)-n, maxAdded>>10)}
		}
	}
	return added, nil
}

// clean makes what an agent wrote fit to be kept: text in UTF-8, without control
// characters, in lines of bearable length. It says what it had to change.
func clean(name, text string) (string, []string) {
	var notices []string
	if fit := strings.ToValidUTF8(text, "\uFFFD"); fit != text {
		text = fit
		notices = append(notices, name+": what is no UTF-8 was replaced by \uFFFD")
	}
	var b strings.Builder
	long := 0
	for raw := range strings.Lines(text) {
		cut := agent.Cut(raw, maxLine)
		if cut != raw && strings.TrimRight(cut, "\r\n") != strings.TrimRight(raw, "\r\n") {
			long++
			cut += "\n"
		}
		b.WriteString(agent.Clean(cut))
	}
	if long > 0 {
		notices = append(notices, fmt.Sprintf("%s: %d lines of more than %d KB were cut", name, long, maxLine>>10))
	}
	return strings.ReplaceAll(b.String(), "\r", ""), notices
}
