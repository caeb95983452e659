package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"offrun/backend/agent"
)

// A piece is a list item or paragraph with all that stands below it.
type piece struct {
	file     int   // of those that are chosen from
	headings []int // lines that it stands below
	from, to int   // its lines
	text     string
	words    map[string]bool
	age      float64 // 1 is the end of the file, nearly 0 its beginning
	chosen   bool
}

// piecework is a file cut into pieces.
type piecework struct {
	name, prefix string
	lines        []line
	pieces       []*piece
}

// cut takes a file apart and drops what a merge tool has written into it.
func (b *briefing) cut(n note, prefix string) *piecework {
	w := &piecework{name: n.name, prefix: prefix}
	all := parse(n.text)
	for _, l := range all {
		if !l.mark {
			w.lines = append(w.lines, l)
			w.lines[len(w.lines)-1].parent = -1
		}
	}
	if len(w.lines) < len(all) {
		b.notice(note{notice: fmt.Sprintf(b.say.conflict, n.name)})
	}
	adopt(w.lines)
	for i := 0; i < len(w.lines); {
		if l := w.lines[i]; l.blank() || l.heading() {
			i++
			continue
		}
		p := &piece{from: i, to: w.end(i), headings: w.headings(i)}
		i = p.to
		var text strings.Builder
		for _, l := range w.lines[p.from:p.to] {
			text.WriteString(l.raw + "\n")
		}
		p.text = text.String()
		p.age = float64(p.to) / float64(len(w.lines))
		p.words = words(p.text)
		for _, h := range p.headings {
			for word := range words(w.lines[h].raw) {
				p.words[word] = true
			}
		}
		w.pieces = append(w.pieces, p)
	}
	return w
}

// end returns the line behind the piece that begins at line i.
func (w *piecework) end(i int) int {
	first := w.lines[i]
	end := i + 1
	for k := end; k < len(w.lines); k++ {
		l := w.lines[k]
		switch {
		case l.blank():
			continue // what is indented below may follow
		case l.heading():
			return end
		case l.depth > first.depth, k == end && !listed(l) && !listed(first) && l.depth == first.depth: // or the same paragraph
			end = k + 1
		default:
			return end
		}
	}
	return end
}

// listed reports whether a line is a list item.
func listed(l line) bool {
	return strings.HasPrefix(l.key, "- ") || strings.HasPrefix(l.key, "* ") || strings.HasPrefix(l.key, "+ ") || strings.HasPrefix(l.key, "1. ") || strings.HasPrefix(l.key, "1) ")
}

// headings returns the headings above line i, the highest first.
func (w *piecework) headings(i int) []int {
	var above []int
	for p := w.lines[i].parent; p >= 0; p = w.lines[p].parent {
		if w.lines[p].heading() {
			above = append(above, p)
		}
	}
	slices.Reverse(above)
	return above
}

// choose takes from files what the room holds, and returns it quoted. What was
// left out is said below each.
func (b *briefing) choose(files []*piecework) []string {
	var all []*piece
	for i, w := range files {
		for _, p := range w.pieces {
			p.file = i
			all = append(all, p)
		}
	}
	worth := b.worth(all)
	slices.SortStableFunc(all, func(x, y *piece) int { return cmp.Compare(worth[y], worth[x]) })
	// What is said of notes that are left out must fit, too.
	room := b.room
	for _, w := range files {
		room -= len(fmt.Sprintf(b.say.left, b.say.older(len(w.pieces)), w.name)) + 2*len("- \n")
	}
	seen := map[[2]int]bool{}
	for _, p := range all {
		w := files[p.file]
		if most := b.room / 4; len(p.text) > most {
			p.text = agent.Cut(p.text, max(0, most)) + b.say.cut
		}
		size := len(quoted(w.prefix, p.text)) + len(w.prefix)
		for _, h := range p.headings {
			if !seen[[2]int{p.file, h}] {
				size += len(quoted(w.prefix, w.lines[h].raw)) + 2*len(w.prefix)
			}
		}
		if p.chosen = size <= room; p.chosen {
			room -= size
			for _, h := range p.headings {
				seen[[2]int{p.file, h}] = true
			}
		}
	}
	texts := make([]string, len(files))
	for i, w := range files {
		var left int
		if texts[i], left = w.chosen(); left > 0 {
			text := fmt.Sprintf(b.say.left, b.say.older(left), w.name)
			b.left = append(b.left, text)
			room -= len(text) + len("- \n")
		}
	}
	b.room = room
	return texts
}

// chosen returns the chosen pieces below their headings, in the order of the
// file, and how many are left out.
func (w *piecework) chosen() (text string, left int) {
	var b strings.Builder
	shown := map[int]bool{}
	last := 0
	for _, p := range w.pieces {
		if !p.chosen {
			left++
			continue
		}
		for _, h := range p.headings {
			if !shown[h] {
				shown[h] = true
				if b.Len() > 0 {
					b.WriteString(quoted(w.prefix, ""))
				}
				b.WriteString(quoted(w.prefix, w.lines[h].raw))
			}
		}
		if p.from > 0 && w.lines[p.from-1].blank() && b.Len() > 0 && last == p.from-1 {
			b.WriteString(quoted(w.prefix, "")) // paragraphs stay apart
		}
		b.WriteString(quoted(w.prefix, p.text))
		last = p.to
	}
	return b.String(), left
}

// worth says how much each piece is worth to whoever works on the card: at most 2
// for words in common, where rare ones count more, and at most 1 for being new.
func (b *briefing) worth(all []*piece) map[*piece]float64 {
	in := map[string]int{} // how many pieces have a word
	for _, p := range all {
		for word := range p.words {
			in[word]++
		}
	}
	common := map[*piece]float64{}
	most := 0.0
	for _, p := range all {
		for word := range p.words {
			if b.topic[word] {
				common[p] += math.Log(1 + float64(len(all))/float64(in[word]))
			}
		}
		most = max(most, common[p])
	}
	worth := map[*piece]float64{}
	for _, p := range all {
		worth[p] = p.age
		if most > 0 {
			worth[p] += 2 * common[p] / most
		}
	}
	return worth
}
