package card

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A block is one thing that a section says: a list item with the lines that go
// on with it, a line of prose, or a fence with all its code.
type block struct {
	number int // of its first line
	text   string
	listed bool   // it stands in a list
	fenced bool   // text is code
	info   string // language of the fence
}

var commentInLine = regexp.MustCompile(`<!--.*?-->`)

// blocks returns what the part of section s says, comments and subheadings left
// out.
func (d *document) blocks(s Section) []block {
	p := d.part(s)
	if p == nil {
		return nil
	}
	var all []block
	open := false // the next line may go on with the last item
	for i := p.first; i < p.end; i++ {
		l := d.lines[i]
		text := strings.TrimRight(l.text, " \t")
		if i == p.head {
			text = l.text[p.start-l.start:]
		}
		switch l.kind {
		case rail:
			b, last := d.fenceAt(i)
			all, open, i = append(all, b), false, last
			continue
		case comment:
			continue
		}
		text = commentInLine.ReplaceAllString(text, "")
		_, heading := readHeading(text)
		indented := strings.HasPrefix(text, "  ") || strings.HasPrefix(text, "\t")
		last := len(all) - 1
		switch m := marker(text); {
		case strings.TrimSpace(text) == "" || heading && i != p.head || isRule(text):
			open = false
		case m > 0:
			all, open = append(all, block{number: l.number, text: text[m:], listed: true}), true
		case open || indented && last >= 0 && all[last].listed:
			all[last].text, open = join(all[last].text, strings.TrimSpace(text)), true
		default:
			all = append(all, block{number: l.number, text: strings.TrimSpace(text)})
		}
	}
	return all
}

// fenceAt returns the fence that opens at line i, and its last line.
func (d *document) fenceAt(i int) (b block, last int) {
	f, _ := openFence(d.lines[i].text)
	b = block{number: d.lines[i].number, fenced: true, info: f.info}
	for last = i + 1; d.lines[last].kind == code; last++ {
		b.text += d.lines[last].text + "\n"
	}
	return b, last
}

// items returns the list items and fences among blocks; without a list, all
// blocks.
func items(blocks []block) []block {
	listed := slices.ContainsFunc(blocks, func(b block) bool { return b.listed })
	return slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return listed && !b.listed && !b.fenced })
}

// join puts two lines of one sentence together: with a space, but not between
// two Chinese characters.
func join(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if a == "" || wide(last) && wide(first) {
		return a + b
	}
	return a + " " + b
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

// A codeSpan is inline code: text[start:end] with its backticks.
type codeSpan struct {
	code       string
	start, end int
}

var backticks = regexp.MustCompile("`+")

// codeSpans finds the inline code of text as Markdown does: a run of backticks
// up to the next run of the same length.
func codeSpans(text string) []codeSpan {
	var spans []codeSpan
	runs := backticks.FindAllStringIndex(text, -1)
	for i := 0; i < len(runs); i++ {
		size := runs[i][1] - runs[i][0]
		for j := i + 1; j < len(runs); j++ {
			if runs[j][1]-runs[j][0] == size {
				spans = append(spans, codeSpan{
					code:  strings.TrimSpace(text[runs[i][1]:runs[j][0]]),
					start: runs[i][0], end: runs[j][1],
				})
				i = j
				break
			}
		}
	}
	return spans
}
