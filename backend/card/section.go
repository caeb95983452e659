package card

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Section is a part of a card that has a meaning to Offrun.
type Section string

const (
	Title        Section = "title" // the text of the title line
	Background   Section = "background"
	Goal         Section = "goal"
	Acceptance   Section = "acceptance"
	Scope        Section = "scope"
	DoNot        Section = "do_not"
	Deliverables Section = "deliverables"
)

// order lists the six sections as the template has them, with the headings that
// are written for them.
var order = []struct {
	section Section
	en, zh  string
}{
	{Background, "Background", "背景"},
	{Goal, "Goal", "目标"},
	{Acceptance, "Acceptance criteria", "验收标准"},
	{Scope, "Allowed scope", "允许改动的范围"},
	{DoNot, "Do not", "不要做的事"},
	{Deliverables, "Deliverables", "交付物"},
}

// names are the headings that are understood, as plainName returns them.
var names = map[string]Section{
	"task": Title, "title": Title, "任务": Title, "任務": Title, "标题": Title, "標題": Title,

	"background": Background, "context": Background, "背景": Background, "任务背景": Background, "任務背景": Background,

	"goal": Goal, "goals": Goal, "objective": Goal, "objectives": Goal,
	"目标": Goal, "目標": Goal, "任务目标": Goal, "任務目標": Goal,

	"acceptance": Acceptance, "acceptance criteria": Acceptance, "acceptance criterion": Acceptance,
	"验收": Acceptance, "验收标准": Acceptance, "验收条件": Acceptance, "驗收標準": Acceptance,

	"scope": Scope, "allowed scope": Scope, "allowed changes": Scope, "allowed paths": Scope, "allowed files": Scope,
	"允许改动的范围": Scope, "允许改动范围": Scope, "允许修改的范围": Scope, "允许修改范围": Scope,
	"改动范围": Scope, "修改范围": Scope, "允許改動的範圍": Scope,

	"do not": DoNot, "don't": DoNot, "don'ts": DoNot, "do nots": DoNot, "must not": DoNot,
	"不要做的事": DoNot, "不要做": DoNot, "不要做的事情": DoNot, "禁止事项": DoNot, "禁止事項": DoNot,

	"deliverable": Deliverables, "deliverables": Deliverables,
	"交付物": Deliverables, "交付内容": Deliverables, "交付內容": Deliverables,
}

// A heading is what one line says if it is a heading.
type heading struct {
	section Section // "" if the name is not one of ours
	level   int     // number of #; 0 for a bare line
	rest    int     // offset in the line where text after the name begins; -1 if there is none
}

// readHeading reads line, without its newline, as a heading. A bare line is one
// only if it is a known name, or begins with one and a colon, without
// indentation. English names begin with a capital there, because a line of prose
// may consist of the word "goal".
func readHeading(line string) (heading, bool) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	level := len(line[indent:]) - len(strings.TrimLeft(line[indent:], "#"))
	body := line[indent+level:]
	switch {
	case indent > 3 || level > 6:
		return heading{}, false
	case level == 0 && (indent > 0 || body == "" || marker(line) > 0):
		return heading{}, false
	case level > 0 && !spaced(body):
		return heading{}, false
	}
	name, rest := body, ""
	if i, size := colon(body); i >= 0 {
		name, rest = body[:i], body[i+size:]
		if emphasis := leadingEmphasis(name); emphasis != "" {
			rest = strings.TrimPrefix(rest, emphasis) // **Goal:** text
		}
	}
	h := heading{section: names[plainName(name)], level: level, rest: -1}
	if level == 0 && (h.section == "" || startsSmall(name) || h.section == Title && rest == "") {
		return heading{}, false
	}
	if h.section == "" {
		rest = body // an unknown heading is wholly its text
	}
	if text := strings.TrimLeft(rest, " \t"); strings.TrimRight(text, " \t#") != "" {
		h.rest = len(line) - len(text)
	}
	return h, true
}

// spaced reports whether s may follow the # marks of a heading: "## Goal", and
// "##目标" as people write it, but not "#123" or "#tag".
func spaced(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || r == ' ' || r == '\t' || r > unicode.MaxASCII
}

// colon finds the first colon of s, ASCII or full width; -1 if there is none.
func colon(s string) (at, size int) {
	at = strings.IndexAny(s, ":：")
	if at < 0 {
		return -1, 0
	}
	_, size = utf8.DecodeRuneInString(s[at:])
	return at, size
}

func leadingEmphasis(s string) string {
	s = strings.TrimLeft(s, " ")
	for _, mark := range []string{"**", "__"} {
		if strings.HasPrefix(s, mark) && strings.Count(s, mark) == 1 {
			return mark
		}
	}
	return ""
}

// plainName strips a heading of everything that is decoration: emphasis, emoji,
// numbering, a remark in parentheses, letter case, full-width forms.
func plainName(s string) string {
	if len(s) > 200 {
		return "" // no heading; and not worth the work
	}
	s = strings.ToLower(norm.NFKC.String(s))
	s = strings.ReplaceAll(s, "’", "'")
	s = strings.TrimFunc(s, decoration)
	if i := strings.IndexByte(s, '('); i > 0 {
		s = strings.TrimFunc(s[:i], decoration)
	}
	if number := strings.TrimLeft(s, "0123456789一二三四五六七八九十"); number != s {
		if cut := strings.TrimLeft(number, ".、) "); cut != number {
			s = cut
		}
	}
	return strings.Join(strings.Fields(s), " ")
}

func decoration(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '(' }

func startsSmall(s string) bool {
	i := strings.IndexFunc(s, unicode.IsLetter)
	return i >= 0 && unicode.IsLower([]rune(s[i:])[0])
}

// marker returns the length of the list marker that line begins with, its
// indentation, the space after it and a task box included; 0 if there is none.
func marker(line string) int {
	s := strings.TrimLeft(line, " \t")
	if r, size := utf8.DecodeRuneInString(s); strings.ContainsRune("-*+•·", r) {
		s = s[size:]
		if r < utf8.RuneSelf && !blankStart(s) {
			return 0
		}
	} else if digits := strings.TrimLeft(s, "0123456789"); digits != s && len(s)-len(digits) <= 9 {
		r, size := utf8.DecodeRuneInString(digits)
		if !strings.ContainsRune(".)、）．", r) || r < utf8.RuneSelf && !blankStart(digits[size:]) {
			return 0
		}
		s = digits[size:]
	} else {
		return 0
	}
	s = strings.TrimLeft(s, " \t")
	if len(s) > 3 && s[0] == '[' && s[2] == ']' && strings.ContainsRune(" xX", rune(s[1])) && blankStart(s[3:]) {
		s = strings.TrimLeft(s[3:], " \t")
	}
	return len(line) - len(s)
}

func blankStart(s string) bool { return s == "" || s[0] == ' ' || s[0] == '\t' }
