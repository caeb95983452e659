package redact

import (
	"regexp"
	"strings"
)

// keyBegin is what every block of PEM begins with.
const keyBegin = "-----BEGIN "

var (
	// entryText is the text of a conversation's entry, which is one line of JSON.
	entryText = regexp.MustCompile(`"text":"((?:[^"\\\\]|\\\\.)*)"`)

	longBody = regexp.MustCompile(`[A-Za-z0-9+/=]{40}`)
)

// keysOverEntries finds the private keys of which each line is the text of another
// entry, as they are where an agent prints plain text. A key with an end is taken
// out with all that stands before that. Of one without, or whose end is further
// than Reach, goes what may be a line of a key, and once something else stood in
// between, what can hardly be anything else.
func keysOverEntries(s string) []span {
	var spans []span
	for at := 0; ; {
		i := strings.Index(s[at:], keyBegin)
		if i < 0 {
			return spans
		}
		begin := at + i
		at = begin + len(keyBegin)
		line := strings.LastIndexByte(s[:begin], '\n') + 1
		next := strings.IndexByte(s[begin:], '\n')
		if next < 0 || !strings.HasPrefix(s[line:], "{") || !pemBegin.MatchString(s[begin:]) || pemEnd.MatchString(s[begin:begin+next]) {
			continue
		}
		found, end := keyOverEntries(s, begin+next+1, min(len(s), begin+Reach))
		spans = append(spans, found...)
		at = max(at, end)
	}
}

// keyOverEntries returns the lines of a key in the entries of s[at:limit], and
// where the entry with its end stands, or 0.
func keyOverEntries(s string, at, limit int) (spans []span, end int) {
	var all, likely []span
	between := false // something stood there that is no line of a key
	for at < limit {
		next := len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if m := entryText.FindStringSubmatchIndex(s[at:next]); m != nil {
			sp := span{start: at + m[2], end: at + m[3], kind: "private key", rank: shaped}
			text := s[sp.start:sp.end]
			if e := pemEnd.FindStringIndex(text); e != nil {
				if sp.end = sp.start + e[0]; sp.end > sp.start {
					all = append(all, sp)
				}
				return all, at
			}
			body := pemBody.FindString(text) == text
			switch {
			case text == "" || strings.HasPrefix(text, markStart):
			case body && !between, longBody.MatchString(text):
				likely = append(likely, sp)
				all = append(all, sp)
			default:
				between = true
				all = append(all, sp)
			}
		}
		at = next
	}
	return likely, 0
}

// InKey reports whether a text ends inside of a private key, where open says whether
// what stood before it did.
func InKey(text string, open bool) bool {
	begin, end := strings.LastIndex(text, keyBegin), -1
	for _, m := range pemEnd.FindAllStringIndex(text, -1) {
		end = m[0]
	}
	if begin >= 0 && begin > end && pemBegin.MatchString(text[begin:]) {
		return true
	}
	return open && end < 0 && pemBody.FindString(text) == text
}
