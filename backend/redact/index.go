package redact

// A rule finds one kind of secret. Each has a literal in or before it, so that
// only where one of them stands anything needs to be looked at.
type rule struct {
	kind     string // what stands in its place
	rank     rank
	literals []string // of at least 3 bytes; in lower case if fold
	fold     bool     // upper and lower case are the same in the literals
	cut      bool     // the literals are whole secrets, of which the end of a shortened text may have the beginning

	// match says whether there is a secret in or around the literal lit, which
	// stands at s[at:], and where. Its kind is empty if the rule's own will do.
	match func(s string, at int, lit string) (start, end int, kind string)
}

// An index finds the literals of all rules in one go: three bytes, each reduced
// to one of 32 classes, lead to the few literals that may stand there. It does not
// change once it is made.
type index struct {
	table   [1 << 15]uint16 // → buckets; 0 is none
	buckets [][]entry
}

type entry struct {
	literal string
	rule    *rule
}

// class reduces a byte to 5 bits. Letters are the same in both cases.
var class = func() (c [256]uint16) {
	for i := range c {
		b := byte(i)
		switch {
		case b >= 'a' && b <= 'z':
			c[i] = uint16(b-'a') + 1
		case b >= 'A' && b <= 'Z':
			c[i] = uint16(b-'A') + 1
		case b >= '0' && b <= '9':
			c[i] = 27
		case b == '-' || b == '_':
			c[i] = 28
		case b == '/' || b == ':':
			c[i] = 29
		case b > ' ' && b < 0x80:
			c[i] = 30
		case b >= 0x80:
			c[i] = 31
		}
	}
	return c
}()

const threeClasses = 1<<15 - 1

func newIndex(rules []rule) *index {
	return (&index{buckets: [][]entry{nil}}).with(rules)
}

// with returns an index of rules besides those of x.
func (x *index) with(rules []rule) *index {
	y := &index{table: x.table, buckets: make([][]entry, len(x.buckets))}
	for i, b := range x.buckets {
		y.buckets[i] = b[:len(b):len(b)] // what is added is not added to x
	}
	for i := range rules {
		for _, lit := range rules[i].literals {
			h := class[lit[0]]<<10 | class[lit[1]]<<5 | class[lit[2]]
			if y.table[h] == 0 {
				y.table[h] = uint16(len(y.buckets))
				y.buckets = append(y.buckets, nil)
			}
			y.buckets[y.table[h]] = append(y.buckets[y.table[h]], entry{lit, &rules[i]})
		}
	}
	return y
}

// find returns what the rules find in s, in no order.
func (x *index) find(s string) []span {
	if len(s) < 3 {
		return nil
	}
	var spans []span
	past := 0 // the end of the last mark: there is nothing to be found in one
	h := class[s[0]]<<5 | class[s[1]]
	for i := 2; i < len(s); i++ {
		h = (h<<5 | class[s[i]]) & threeClasses
		if n := x.table[h]; n != 0 {
			for _, e := range x.buckets[n] {
				if i-2 < past {
					break
				}
				if sp, ok := e.at(s, i-2); ok {
					spans = append(spans, sp)
					if sp.rank == marked {
						past = sp.end
					}
				}
			}
		}
	}
	return spans
}

// at returns the secret that e finds at s[at:], if there is one.
func (e entry) at(s string, at int) (span, bool) {
	lit := e.literal
	if !hasPrefix(s[at:], lit, e.rule.fold) {
		if lit = lit[:common(s[at:], lit)]; !e.rule.cut || len(lit) < MinSecret || !isCut(s, at+len(lit)) {
			return span{}, false
		}
	}
	start, end, kind := e.rule.match(s, at, lit)
	if end <= start {
		return span{}, false
	}
	if kind == "" {
		kind = e.rule.kind
	}
	return span{escapeAt(s, start), end, kind, e.rule.rank}, true
}

// isCut reports whether s was shortened at at: nothing follows, or an ellipsis.
func isCut(s string, at int) bool { return at == len(s) || hasPrefix(s[at:], "…", false) }

// common returns how many bytes s and t have in common at their beginning.
func common(s, t string) int {
	n := 0
	for n < len(s) && n < len(t) && s[n] == t[n] {
		n++
	}
	return n
}

// hasPrefix reports whether s begins with prefix, which is in lower case if fold.
func hasPrefix(s, prefix string, fold bool) bool {
	if !fold {
		return len(s) >= len(prefix) && s[:len(prefix)] == prefix
	}
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
