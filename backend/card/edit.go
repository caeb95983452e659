package card

import (
	"strings"
	"unicode"

	"offrun/backend/work"
)

// Replace returns text with body in place of what section s says. Every byte
// outside of that stays, and newlines are written as the file has them. A
// section that is missing is added where the template has it, with a heading in
// the style of its neighbours.
//
// A body that would not be read back as it is, because it holds the heading of a
// section, is refused with work.Invalid.
func Replace(text []byte, s Section, body string) ([]byte, error) {
	d := read(string(text))
	if d.part(s) != nil && d.of(s) == body {
		return text, nil
	}
	body = strings.Trim(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	start, stop, put := d.splice(s, body)
	put = strings.ReplaceAll(put, "\n", d.newline())
	edited := d.text[:start] + put + d.text[stop:]

	after := read(edited)
	for _, other := range append([]Section{Title}, sections()...) {
		want := d.of(other)
		if other == s {
			want = body
		}
		if after.of(other) != want {
			return nil, work.Errorf(work.Invalid, "the text would change what the card says under %q", other).
				Do("Take lines out of it that read like a heading of a card, or put them into a code fence.")
		}
	}
	return []byte(edited), nil
}

// newline returns how d ends its lines, as the first one says.
func (d *document) newline() string {
	if i := strings.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// splice returns which bytes of d to replace, and by what, so that section s
// says body.
func (d *document) splice(s Section, body string) (start, stop int, put string) {
	p := d.part(s)
	if p == nil {
		return d.insertion(s, body)
	}
	start, stop = d.span(p)
	if s == Title && start == stop {
		return d.titleEnd(p, body)
	}
	list := strings.Contains(body, "\n") || marker(body) > 0
	switch {
	case p.inline && list && s != Title: // it cannot begin behind "Goal: "
		return start, stop, "\n" + body
	case start < stop || p.inline:
		return start, stop, body
	}
	before, after := "", "\n"
	if !strings.HasSuffix(d.text[:start], "\n") {
		before = "\n" // the heading ends the file
	}
	if p.level > 0 {
		before += "\n"
		if p.end < len(d.lines) {
			after = "\n\n"
		}
	}
	return p.start, p.stop, before + body + after
}

// titleEnd puts the title behind a heading that has none yet: "# Task:".
func (d *document) titleEnd(p *part, title string) (start, stop int, put string) {
	l := d.lines[p.head]
	start = l.start + len(l.text)
	switch name := strings.TrimRight(l.text, " \t"); {
	case strings.HasSuffix(name, "："), name != l.text:
		return start, start, title
	case strings.HasSuffix(name, ":"):
		return start, start, " " + title
	}
	return start, start, ": " + title
}

// insertion returns where the missing section s belongs: before the first part
// that the template has behind it, else at the end.
func (d *document) insertion(s Section, body string) (start, stop int, put string) {
	at, last := len(d.text), true
	for _, later := range following(s) {
		if p := d.part(later); p != nil && d.lines[p.head].start < at {
			at, last = d.lines[p.head].start, false
		}
	}
	before, after := "", "\n"
	if at > 0 && !strings.HasSuffix(d.text[:at], "\n") && d.text[:at] != bom {
		before = "\n"
	}
	head, bare := d.headingFor(s)
	if bare {
		return at, at, before + head + "\n" + body + after
	}
	if strings.TrimSpace(d.text[:at]) != "" && !strings.HasSuffix(strings.ReplaceAll(d.text[:at], "\r", ""), "\n\n") {
		before += "\n"
	}
	if !last {
		after = "\n\n"
	}
	if s == Title {
		return at, at, before + head + body + after
	}
	return at, at, before + head + "\n\n" + body + after
}

// headingFor returns a heading for s like those that d has.
func (d *document) headingFor(s Section) (head string, bare bool) {
	level, chinese := 2, strings.ContainsFunc(d.text, isHan)
	for _, o := range order {
		if p := d.part(o.section); p != nil {
			level = p.level
			chinese = strings.ContainsFunc(d.lines[p.head].text, isHan)
			break
		}
	}
	prefix := strings.Repeat("#", level)
	if level > 0 {
		prefix += " "
	}
	for _, o := range order {
		switch {
		case o.section == s && chinese:
			return prefix + o.zh, level == 0
		case o.section == s:
			return prefix + o.en, level == 0
		}
	}
	if chinese {
		return "# 任务：", false
	}
	return "# Task: ", false
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func sections() []Section {
	var all []Section
	for _, o := range order {
		all = append(all, o.section)
	}
	return all
}

// following returns the sections that the template has behind s.
func following(s Section) []Section {
	all := sections()
	for i, one := range all {
		if one == s {
			return all[i+1:]
		}
	}
	return all // all of them stand behind the title
}
