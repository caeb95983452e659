package diff

import "sort"

// A match is a line of one list that is the same in another.
type match struct{ before, after int }

// align returns lines that are equal in both lists, in the order that both have
// them. Anchors are the lines that each list has once; from there it goes on to
// both sides as long as lines are equal. It takes n·log n steps whatever the
// lists are, where a shortest edit script may take n².
func align(before, after []string) []match {
	var all []match
	i, j := 0, 0 // first lines that have no match yet
	for _, a := range append(anchors(before, after), match{len(before), len(after)}) {
		if a.before < i || a.after < j {
			continue // reached already from the anchor before
		}
		for i < a.before && j < a.after && before[i] == after[j] {
			all = append(all, match{i, j})
			i, j = i+1, j+1
		}
		back := 0
		for a.before-back > i && a.after-back > j && before[a.before-back-1] == after[a.after-back-1] {
			back++
		}
		for k := back; k > 0; k-- {
			all = append(all, match{a.before - k, a.after - k})
		}
		if a.before < len(before) {
			all = append(all, a)
		}
		i, j = a.before+1, a.after+1
	}
	return all
}

// anchors returns the longest list of lines that are unique on both sides and
// come in the same order there.
func anchors(before, after []string) []match {
	where := map[string]match{} // line numbers from 1; 0 is not seen, -1 seen twice
	for i, line := range before {
		w := where[line]
		w.before = once(w.before, i)
		where[line] = w
	}
	for j, line := range after {
		if w, seen := where[line]; seen {
			w.after = once(w.after, j)
			where[line] = w
		}
	}
	var unique []match
	for i, line := range before {
		if w := where[line]; w.before > 0 && w.after > 0 {
			unique = append(unique, match{i, w.after - 1})
		}
	}
	return increasing(unique)
}

func once(seen, i int) int {
	if seen != 0 {
		return -1
	}
	return i + 1
}

// increasing returns the longest part of ms in which after grows, by patience
// sorting; before grows already.
func increasing(ms []match) []match {
	var piles []int // index of the top card of each pile
	below := make([]int, len(ms))
	for i, m := range ms {
		at := sort.Search(len(piles), func(p int) bool { return ms[piles[p]].after > m.after })
		below[i] = -1
		if at > 0 {
			below[i] = piles[at-1]
		}
		if at == len(piles) {
			piles = append(piles, i)
		} else {
			piles[at] = i
		}
	}
	longest := make([]match, len(piles))
	if len(piles) > 0 {
		for p, i := len(piles)-1, piles[len(piles)-1]; p >= 0; p, i = p-1, below[i] {
			longest[p] = ms[i]
		}
	}
	return longest
}
