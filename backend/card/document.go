package card

import "strings"

// A document is a card's text cut into lines and parts. Every offset is one into
// text. Front matter and parts, one after the other, are the whole text, so that
// an edit is a splice and leaves every other byte alone.
type document struct {
	text     string
	front    string // the YAML between the --- lines; "" if there is none
	lines    []line // those behind the front matter
	parts    []part
	unclosed []int // numbers of the lines with a fence that is never closed
	repeated []int // numbers of the lines with a second heading of one section
}

// A line is one line of the text.
type line struct {
	number     int // from 1, in the file
	start, end int // end is behind the newline
	text       string
	kind       lineKind
}

type lineKind int

const (
	prose   lineKind = iota
	rail             // opens or closes a fence
	code             // inside a fence
	comment          // of HTML
)

// A part reaches from its heading to the next one. The first part has no heading
// if the text begins without one.
type part struct {
	section     Section // "" if it is none of ours
	level       int     // of the heading; 0 for a bare one
	head, end   int     // its lines: the heading's, and the one behind the last
	first       int     // line where its text begins; head if inline
	start, stop int     // bytes of its text, blank lines around it included
	inline      bool    // the text begins on the heading's line
}

const bom = "\ufeff"

func read(text string) *document {
	d := &document{text: text}
	at, number := d.readFront()
	d.split(at, number)
	d.classify()
	d.divide()
	return d
}

// readFront finds the front matter and returns offset and number of the line
// behind it.
func (d *document) readFront() (at, number int) {
	at = len(d.text) - len(strings.TrimPrefix(d.text, bom))
	first, _, more := strings.Cut(d.text[at:], "\n")
	if !more || strings.TrimRight(first, "\r \t") != "---" {
		return at, 1
	}
	begin := at + len(first) + 1
	next := begin
	for number = 2; next < len(d.text); number++ {
		text, _, _ := strings.Cut(d.text[next:], "\n")
		end := min(next+len(text)+1, len(d.text))
		if fence := strings.TrimRight(text, "\r \t"); fence == "---" || fence == "..." {
			d.front = d.text[begin:next]
			return end, number + 1
		}
		next = end
	}
	return at, 1 // never closed: text like any other
}

func (d *document) split(at, number int) {
	for at < len(d.text) {
		text, _, _ := strings.Cut(d.text[at:], "\n")
		end := min(at+len(text)+1, len(d.text))
		d.lines = append(d.lines, line{number: number, start: at, end: end, text: strings.TrimSuffix(text, "\r")})
		at = end
		number++
	}
}

// classify finds code and comments. What is opened and never closed is taken for
// text: it would swallow every section behind it.
func (d *document) classify() {
	lastComment := strings.LastIndex(d.text, "-->")
	hopeless := map[byte]bool{} // fence characters, so that time stays linear
	for i := 0; i < len(d.lines); i++ {
		l := d.lines[i]
		if f, ok := openFence(l.text); ok {
			last := 0
			if !hopeless[f.char] {
				last = d.closeFence(i, f)
			}
			if last == 0 {
				hopeless[f.char] = true
				d.unclosed = append(d.unclosed, l.number)
				continue
			}
			i = last
		} else if strings.HasPrefix(strings.TrimLeft(l.text, " \t"), "<!--") && l.start < lastComment {
			for !strings.Contains(d.lines[i].text, "-->") {
				d.lines[i].kind = comment
				i++
			}
			d.lines[i].kind = comment
		}
	}
}

// closeFence marks the lines of the fence f that opens at line i and returns its
// last one. It returns 0 and marks nothing if there is none.
func (d *document) closeFence(i int, f fence) (last int) {
	for last = i + 1; last < len(d.lines) && !f.closedBy(d.lines[last].text); last++ {
	}
	if last == len(d.lines) {
		return 0
	}
	for k := i + 1; k < last; k++ {
		d.lines[k].kind = code
	}
	d.lines[i].kind, d.lines[last].kind = rail, rail
	return last
}

// A fence is the line that opens a block of code.
type fence struct {
	char byte
	size int
	info string // "sh" of ```sh
}

// openFence reads text as the opening of a fence, which may be the first thing
// in a list item.
func openFence(text string) (fence, bool) {
	s := strings.TrimLeft(text[marker(text):], " \t")
	if s == "" || s[0] != '`' && s[0] != '~' {
		return fence{}, false
	}
	info := strings.TrimLeft(s, s[:1])
	f := fence{char: s[0], size: len(s) - len(info), info: strings.TrimSpace(info)}
	return f, f.size >= 3 && (f.char == '~' || !strings.Contains(info, "`"))
}

func (f fence) closedBy(text string) bool {
	s := strings.TrimSpace(text)
	return len(s) >= f.size && strings.Trim(s, string(f.char)) == ""
}

// divide finds the headings and with them the parts.
func (d *document) divide() {
	current := part{}
	if len(d.lines) > 0 {
		current.start = d.lines[0].start
	}
	seen := map[Section]bool{}
	for i := 0; i < len(d.lines); {
		h, size := d.headingAt(i)
		if size == 0 || !d.begins(&h, current, seen, i) {
			i++
			continue
		}
		d.finish(current, i)
		current = d.begin(h, i, size)
		i += size
	}
	d.finish(current, len(d.lines))
}

// headingAt reads the heading that begins at line i, and says how many lines it
// takes: one, two if it is underlined, none if there is no heading.
func (d *document) headingAt(i int) (heading, int) {
	l := d.lines[i]
	if l.kind != prose {
		return heading{}, 0
	}
	h, ok := readHeading(l.text)
	ruler := ""
	if i+1 < len(d.lines) && d.lines[i+1].kind == prose {
		ruler = strings.TrimSpace(d.lines[i+1].text)
	}
	double := len(ruler) >= 3 && strings.Trim(ruler, "=") == ""
	single := len(ruler) >= 3 && strings.Trim(ruler, "-") == ""
	switch {
	case ok && h.level == 0 && h.rest < 0 && (double || single):
		return h, 2
	case ok:
		return h, 1
	case double && marker(l.text) == 0 && strings.TrimSpace(l.text) != "":
		return heading{level: 1, rest: len(l.text) - len(strings.TrimLeft(l.text, " \t"))}, 2
	}
	return heading{}, 0
}

// begins decides whether h, at line i, begins a part after the current one. It
// makes a first heading that is none of ours the title, and a repeated one
// nobody's.
func (d *document) begins(h *heading, current part, seen map[Section]bool, i int) bool {
	started := len(seen) > 0
	if h.section == Title && started || seen[h.section] {
		if h.section != Title {
			d.repeated = append(d.repeated, d.lines[i].number)
		}
		if h.level == 0 {
			return false // "Task: …" in a later line is text; so is a second bare "Goal"
		}
		h.section = ""
	}
	if h.section == "" && h.level == 1 && !started {
		h.section = Title
	}
	if h.section != "" {
		seen[h.section] = true
		return true
	}
	switch {
	case current.section == "" || current.section == Title:
		return true
	case current.level == 0:
		return h.level <= 2 // a bare heading ranks like the template's
	}
	return h.level <= current.level
}

// begin returns the part whose heading h takes size lines from line i on.
func (d *document) begin(h heading, i, size int) part {
	p := part{section: h.section, level: h.level, head: i, first: i + size, start: d.lines[i+size-1].end}
	if h.rest >= 0 {
		p.first, p.start, p.inline = i, d.lines[i].start+h.rest, true
	}
	return p
}

// finish adds p, which ends before line end.
func (d *document) finish(p part, end int) {
	if end == p.head {
		return // nothing before the first heading
	}
	p.end, p.stop = end, d.lines[end-1].end
	d.parts = append(d.parts, p)
}

// part returns the part of section s, or nil.
func (d *document) part(s Section) *part {
	for i := range d.parts {
		if d.parts[i].section == s {
			return &d.parts[i]
		}
	}
	return nil
}

// span returns where the text of p lies without the blank lines around it, and
// without a rule that parts it from the next section.
func (d *document) span(p *part) (start, stop int) {
	start = p.start
	if p.section == Title {
		return d.titleSpan(p)
	}
	text := strings.TrimRight(d.text[p.start:p.stop], blank)
	if cut := strings.LastIndexByte(text, '\n'); cut > 0 && isRule(text[cut+1:]) {
		if before := strings.TrimRight(text[:cut], " \t\r"); strings.HasSuffix(before, "\n") {
			text = strings.TrimRight(before, blank)
		}
	}
	for {
		before, after, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(before) != "" {
			return start, start + len(text)
		}
		start, text = start+len(before)+1, after
	}
}

const blank = " \t\r\n"

func isRule(s string) bool {
	s = strings.Join(strings.Fields(s), "")
	return len(s) >= 3 && (strings.Trim(s, "-") == "" || strings.Trim(s, "*") == "" || strings.Trim(s, "_") == "")
}

// titleSpan returns where the title lies: in the heading, or in the first line
// of text below it.
func (d *document) titleSpan(p *part) (start, stop int) {
	for i := p.first; i < p.end; i++ {
		l := d.lines[i]
		from := max(l.start, p.start)
		text := strings.TrimRight(l.text[min(from-l.start, len(l.text)):], blank)
		if l.kind != prose || text == "" {
			continue
		}
		if closing := strings.TrimRight(text, "#"); p.level > 0 && i == p.head && strings.HasSuffix(closing, " ") {
			text = strings.TrimRight(closing, blank) // "# Title #"
		}
		from += len(text) - len(strings.TrimLeft(text, blank))
		return from, from + len(strings.TrimLeft(text, blank))
	}
	return p.start, p.start
}

// of returns the text of section s with \n as newline, or "".
func (d *document) of(s Section) string {
	p := d.part(s)
	if p == nil {
		return ""
	}
	start, stop := d.span(p)
	return strings.ReplaceAll(d.text[start:stop], "\r\n", "\n")
}

// body returns the text behind the front matter.
func (d *document) body() string {
	if len(d.lines) == 0 {
		return ""
	}
	return d.text[d.lines[0].start:]
}
