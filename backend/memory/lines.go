package memory

import (
	"regexp"
	"strings"
)

// A line is one line of notes, or a whole fenced block of code: what is inside
// of it makes no sense alone.
type line struct {
	raw    string // without the last line break
	key    string // what makes two lines the same: no indentation, number or tick; "" for a blank one
	depth  int    // columns of indentation; negative for headings, the higher ones less
	parent int    // index of the line it stands below, -1 for none
	ticked bool   // "- [x] …"
	mark   bool   // "<<<<<<<" and the like, that a merge has left
}

func (l line) blank() bool   { return l.key == "" }
func (l line) heading() bool { return l.depth < 0 }

var (
	headingMark = regexp.MustCompile(`^ {0,3}(#{1,6})(?:\s|$)`)
	fenceMark   = regexp.MustCompile("^\\s*(```+|~~~+)([^`]*)$")
	ordinal     = regexp.MustCompile(`^\d{1,9}([.)])\s`)
	box         = regexp.MustCompile(`^([-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s`)
	conflict    = regexp.MustCompile(`^(<{7}|\|{7}|>{7})( .*)?$|^={7}$`)
)

// parse takes notes apart. Joined with line breaks, the raw lines are text again,
// but for a line break at its end.
func parse(text string) []line {
	raws := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var ls []line
	inConflict, fences := false, true
	for i := 0; i < len(raws); {
		n := 1
		if fences {
			if n = fenced(raws[i:]); n == 0 {
				n, fences = 1, false // never closed: text like any other, and so is the rest
			}
		}
		raw := strings.Join(raws[i:i+n], "\n")
		i += n
		l := newLine(raw)
		if n > 1 {
			l.key = dedented(raws[i-n : i])
		}
		if n == 1 && l.key != "" && strings.IndexByte("<|=>", l.key[0]) >= 0 && conflict.MatchString(l.key) {
			start := strings.HasPrefix(l.key, "<")
			l.mark = start || inConflict
			inConflict = start || inConflict && !strings.HasPrefix(l.key, ">")
		}
		ls = append(ls, l)
	}
	adopt(ls)
	return ls
}

// fenced returns how many lines the first block takes: 1 if it is no fence, 0 if
// it is one that is never closed.
func fenced(raws []string) int {
	if s := strings.TrimLeft(raws[0], " \t"); !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return 1
	}
	open := fenceMark.FindStringSubmatch(strings.TrimRight(raws[0], "\r"))
	if open == nil {
		return 1
	}
	for i, raw := range raws[1:] {
		end := strings.TrimSpace(raw)
		if len(end) >= len(open[1]) && strings.Trim(end, open[1][:1]) == "" {
			return i + 2
		}
	}
	return 0
}

func newLine(raw string) line {
	l := line{raw: raw, parent: -1, depth: indentation(raw), key: strings.TrimSpace(raw)}
	if l.blank() {
		return l
	}
	switch first := l.key[0]; { // spares most lines the expressions
	case first == '#':
		if m := headingMark.FindStringSubmatch(raw); m != nil {
			l.depth = len(m[1]) - 7
		}
	case strings.IndexByte("-*+", first) >= 0, '0' <= first && first <= '9':
		if m := box.FindStringSubmatchIndex(l.key); m != nil {
			l.ticked = l.key[m[4]:m[5]] != " "
			l.key = l.key[:m[4]] + " " + l.key[m[5]:]
		}
		l.key = ordinal.ReplaceAllString(l.key, "1$1 ")
	}
	return l
}

// dedented is the key of a block of code: wherever it stands, it is the same.
func dedented(raws []string) string {
	lines := make([]string, len(raws))
	for i, raw := range raws {
		lines[i] = strings.TrimSpace(raw)
	}
	return strings.Join(lines, "\n")
}

// indentation counts columns; a tab goes to the next multiple of four.
func indentation(s string) (columns int) {
	for _, r := range s {
		switch r {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// adopt finds what each line stands below: the nearest line before it that is
// indented less, where headings are indented less than everything.
func adopt(ls []line) {
	var above []int
	for i := range ls {
		if ls[i].blank() {
			continue
		}
		for len(above) > 0 && ls[above[len(above)-1]].depth >= ls[i].depth {
			above = above[:len(above)-1]
		}
		if len(above) > 0 {
			ls[i].parent = above[len(above)-1]
		}
		above = append(above, i)
	}
}
