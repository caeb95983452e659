package memory

import (
	"strings"
)

// merge returns ours with the lines of theirs that added names, each near what it
// stood near in theirs. What is in ours already is not added again, so merging
// twice is the same as once. No line of ours is lost or changed, but for a box
// that theirs has ticked. base is what theirs was made from.
//
// Two lines are the same if they say the same below the same line; see line.key.
func merge(base []line, ours string, theirs []line, added []int) string {
	m := &merging{theirs: theirs, at: make([]*node, len(theirs)), isNew: make([]bool, len(theirs)), base: map[string]bool{}, done: map[string]bool{}}
	for _, l := range base {
		m.base[l.key] = true
		m.done[l.key] = m.done[l.key] || l.ticked
	}
	for _, i := range added {
		m.isNew[i] = true
	}
	m.load(ours)
	for i := range theirs {
		if l := theirs[i]; l.ticked && !m.done[l.key] {
			m.tick(i)
		}
	}
	for _, i := range added {
		if m.find(i) == nil {
			m.insert(i)
			m.changed = true
		}
	}
	if !m.changed {
		return ours
	}
	return m.text()
}

// A merging is a merge on its way: ours as a chain that grows.
type merging struct {
	theirs  []line
	at      []*node // where lines of theirs are in ours, as far as is known
	isNew   []bool
	base    map[string]bool // keys that theirs had from the start
	done    map[string]bool // those of them with a tick
	top     *node           // stands above and before everything
	last    *node
	index   map[string]*node // the first line of ours with a key
	below   map[spot]*node   // the first with a key below a line
	broken  bool             // ours has conflict markers: nothing must get in between
	ending  string           // "\r" if ours has such line ends
	changed bool
}

// A spot is what a line says, and below which.
type spot struct {
	parent *node
	key    string
}

type node struct {
	line
	parent     *node
	prev, next *node
}

func (m *merging) load(ours string) {
	m.top = &node{line: line{depth: -7}}
	m.last, m.index, m.below = m.top, map[string]*node{}, map[spot]*node{}
	if ours == "" {
		return
	}
	ls := parse(ours)
	if strings.HasSuffix(ls[0].raw, "\r") {
		m.ending = "\r"
	}
	nodes := make([]*node, len(ls))
	for i, l := range ls {
		parent := m.top
		if l.parent >= 0 {
			parent = nodes[l.parent]
		}
		m.broken = m.broken || l.mark
		nodes[i] = m.add(l, m.last, parent)
	}
}

// add puts a line behind prev.
func (m *merging) add(l line, prev, parent *node) *node {
	n := &node{line: l, parent: parent, prev: prev, next: prev.next}
	if prev.next != nil {
		prev.next.prev = n
	} else {
		m.last = n
	}
	prev.next = n
	if at := (spot{parent, l.key}); !l.blank() && m.below[at] == nil {
		m.below[at] = n
		if m.index[l.key] == nil {
			m.index[l.key] = n
		}
	}
	return n
}

// find returns the line of ours that line i of theirs is, or nil.
func (m *merging) find(i int) *node {
	if i < 0 {
		return m.top
	}
	if m.at[i] == nil {
		m.at[i] = m.look(i)
	}
	return m.at[i]
}

func (m *merging) look(i int) *node {
	l := m.theirs[i]
	parent := m.find(l.parent)
	if n := m.below[spot{parent, l.key}]; n != nil {
		return n
	}
	if l.parent >= 0 && parent == nil && m.isNew[l.parent] {
		return nil // what it stands below is still to come
	}
	// Below another line it says something else, unless its own place is not there
	// any more, or it was there before and has been moved.
	if l.parent < 0 || parent == nil || !m.isNew[i] {
		return m.index[l.key]
	}
	return nil
}

// tick ticks the box of ours that line i of theirs is.
func (m *merging) tick(i int) {
	n := m.find(i)
	if n == nil || n.ticked {
		return
	}
	n.raw = strings.Replace(n.raw, "[ ]", "[x]", 1)
	n.ticked, m.changed = true, true
}

// insert puts line i of theirs where it belongs in ours.
func (m *merging) insert(i int) {
	l := m.theirs[i]
	l.raw = strings.TrimSuffix(l.raw, "\r")
	prev, beside, parent := m.place(i)
	switch {
	case beside != nil:
		l = indented(l, beside.depth)
	case parent == m.top:
		l = indented(l, 0)
	case l.depth <= parent.depth:
		l = indented(l, parent.depth+2)
	}
	if m.broken {
		prev, parent = m.last, m.top
	}
	if apart := l.heading() || i > 0 && m.theirs[i-1].blank(); apart && prev != m.top && !prev.blank() {
		prev = m.add(line{raw: m.ending}, prev, nil)
	}
	l.raw = strings.ReplaceAll(l.raw, "\n", m.ending+"\n") + m.ending
	m.at[i] = m.add(l, prev, parent)
}

// indented returns l at the depth of the lines that it will stand beside.
func indented(l line, depth int) line {
	if l.heading() || depth < 0 || l.depth == depth {
		return l
	}
	own, _, _ := strings.Cut(l.raw, strings.TrimLeft(l.raw, " \t"))
	raws := strings.Split(l.raw, "\n")
	for i := range raws { // a block of code is moved as a whole
		raws[i] = strings.Repeat(" ", depth) + strings.TrimPrefix(raws[i], own)
	}
	l.raw, l.depth = strings.Join(raws, "\n"), depth
	return l
}

// place returns the line of ours that line i of theirs goes behind, one that it
// stands beside, or nil if there is none, and the one that it stands below.
func (m *merging) place(i int) (prev, beside, parent *node) {
	parent = m.find(m.theirs[i].parent)
	for p := m.theirs[i].parent; parent == nil; parent = m.find(p) { // what it stood below is gone: what that stood below
		p = m.theirs[p].parent
	}
	if s := m.sibling(i, -1, parent); s != nil {
		return m.behind(s), s, s.parent
	}
	if m.theirs[i].heading() {
		prev = parent
		for n := next(parent); n != nil && n.depth >= m.theirs[i].depth; n = next(lastIn(n)) {
			prev = lastIn(n) // it would take what stands higher for its own
		}
		return prev, nil, parent
	}
	if s := m.sibling(i, 1, parent); s != nil {
		return s.prev, s, s.parent
	}
	if parent == m.top {
		return lastIn(parent), nil, parent
	}
	for n := next(parent); n != nil && n.depth > parent.depth && !n.heading(); n = next(lastIn(n)) {
		beside = n
	}
	if beside == nil {
		return parent, nil, parent
	}
	return lastIn(beside), beside, parent
}

// sibling returns the line of ours that is the nearest of theirs before (-1) or
// after (1) line i that stands below the same line.
func (m *merging) sibling(i, step int, parent *node) *node {
	l := m.theirs[i]
	for j := i + step; j >= 0 && j < len(m.theirs); j += step {
		s := m.theirs[j]
		if s.blank() || s.parent != l.parent || s.heading() != l.heading() || l.heading() && s.depth != l.depth || m.isNew[j] && step > 0 {
			continue
		}
		if n := m.find(j); n != nil && (n.parent == parent || l.parent < 0) && n.heading() == l.heading() {
			return n
		}
	}
	return nil
}

// behind returns the end of s and of what others have added after it since: who
// comes later stands later.
func (m *merging) behind(s *node) *node {
	end := lastIn(s)
	for n := next(end); n != nil && n.parent == s.parent && n.depth == s.depth && !m.base[n.key] && !n.mark; n = next(end) {
		end = lastIn(n)
	}
	return end
}

// lastIn returns the last line that stands below n, or n itself.
func lastIn(n *node) *node {
	last := n
	for k := next(n); k != nil && k.depth > n.depth; k = next(k) {
		last = k
	}
	return last
}

// next returns the next line that is not blank, or nil.
func next(n *node) *node {
	for n = n.next; n != nil && n.blank(); n = n.next {
	}
	return n
}

func (m *merging) text() string {
	var b strings.Builder
	for n := m.top.next; n != nil; n = n.next {
		b.WriteString(n.raw + "\n")
	}
	return b.String()
}
