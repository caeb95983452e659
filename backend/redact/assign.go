package redact

import (
	"slices"
	"strings"
)

// secretWords are in the names of secrets. The last ones say little: what stands
// under them must look drawn at random.
var secretWords = []string{"passw", "passphrase", "pwd", "secret", "token", "credential", "key", "_auth", "\"auth"}

// maxValue is how much of a value is looked at.
const maxValue = 2048

// assignment finds the value that is given to a secret's name, as shells, .env
// files, JSON, YAML, code, queries, headers and flags do it:
//
//	NAME=value  "name": "value"  name: value  name = 'value'  ?name=value  X-Name: value  --name value
func assignment(s string, at int, lit string) (int, int, string) {
	n := nameAt(s, at)
	v, ok := valueBehind(s, n)
	if !ok || v.end-v.start < MinSecret {
		return 0, 0, "" // nearly always
	}
	n.flat = flatten(n.text)
	if strength := n.strength(); strength == 0 || !v.secret(n, strength) {
		return 0, 0, ""
	}
	return v.start, v.end, n.kind()
}

// A name is what stands left of a value.
type name struct {
	start, end int
	text       string
	flat       string // in lower case, without _ and -
	flag       bool   // --name
}

// nameAt returns the name that a secret word at s[at:] belongs to.
func nameAt(s string, at int) name {
	start := at
	for start > 0 && at-start < 64 && dashed[s[start-1]] && !escaped(s, start) {
		start--
	}
	end := at + 1
	end += run(s, end, dashed, 64)
	flag := strings.HasPrefix(s[start:end], "--")
	for start < end && (s[start] == '-' || s[start] == '"') {
		start++
	}
	return name{start: start, end: end, text: s[start:end], flag: flag}
}

func flatten(text string) string {
	flat := make([]byte, 0, len(text))
	for i := range len(text) {
		if b := text[i]; b != '_' && b != '-' {
			flat = append(flat, lower(b))
		}
	}
	return string(flat)
}

// How much a name says of its value.
const (
	hint   = iota + 1 // it may be secret: some key
	likely            // a token, a secret
	sure              // a password, an API key
)

var (
	harmlessEnds = []string{
		"tokens", "keys", "url", "uri", "file", "files", "path", "dir", "name", "names", "type", "id", "ids", "count", "limit", "length", "len",
		"size", "ttl", "expiry", "expires", "expiresin", "expiresat", "at", "policy", "field", "label", "prefix", "hint", "min", "max", "usage",
		"source", "version", "status", "arn", "scope", "ref", "regex", "pattern", "format", "required", "enabled", "algorithm", "index", "position",
		"endpoint", "issuer", "manager", "provider", "store", "budget", "kind", "class", "error", "mode", "row", "column", "value", "map", "hash", "helper", "command",
	}
	harmlessStarts = []string{"public", "cache", "primary", "foreign", "sort", "hot", "partition", "pub", "max", "min", "num", "total", "input", "output", "next", "page"}
	sureWords      = []string{"passw", "passphrase", "apikey", "accesskey", "privatekey", "secretkey", "authkey", "accountkey", "clientsecret", "authtoken", "accesstoken", "refreshtoken", "sessiontoken", "apitoken", "bottoken", "apisecret", "secretaccess"}
	keyWords       = []string{"encryption", "signing", "master", "service", "storage", "license", "deploy", "app", "ssh", "admin", "webhook", "jwt", "session", "root"}
)

// strength is 0 for a name that is no secret's.
func (n name) strength() int {
	if n.flat == "pwd" && n.text == "PWD" || n.flat == "oldpwd" {
		return 0
	}
	for _, end := range harmlessEnds {
		if strings.HasSuffix(n.flat, end) {
			return 0
		}
	}
	for _, start := range harmlessStarts {
		if strings.HasPrefix(n.flat, start) {
			return 0
		}
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(n.flat, w) })
	}
	switch {
	case has(sureWords...), strings.HasSuffix(n.flat, "pwd"):
		return sure
	case has("secret", "credential"), strings.HasSuffix(n.flat, "token"), has("token") && n.env():
		return likely
	case strings.HasSuffix(n.flat, "key") && (has(keyWords...) || n.env()), n.flat == "auth":
		return hint
	}
	return 0
}

// env reports whether n is written as variables of the environment are.
func (n name) env() bool { return strings.ToUpper(n.text) == n.text && !strings.Contains(n.text, "-") }

func (n name) kind() string {
	switch {
	case strings.Contains(n.flat, "passw"), strings.Contains(n.flat, "passphrase"), strings.HasSuffix(n.flat, "pwd"):
		return "password"
	case strings.HasSuffix(n.flat, "key"):
		return "key"
	case strings.Contains(n.flat, "token"):
		return "token"
	}
	return "secret"
}

// A value is what a name is given.
type value struct {
	start, end int
	text       string
	quoted     bool
	op         string // "=", ":", ">" of XML, " " behind a flag
	tight      bool   // nothing stands around op
	call       bool   // ( follows: it is a function
}

const quotes = "\"'`"

// valueBehind reads what n is given, if something is.
func valueBehind(s string, n name) (value, bool) {
	at := n.end
	if skip := run(s, at, backslash, 4); at+skip < len(s) && strings.IndexByte(quotes, s[at+skip]) >= 0 {
		at += skip + 1
		if at < len(s) && s[at] == ']' { // env["NAME"] = …
			at++
		}
	}
	before := run(s, at, blank, 8)
	v := value{op: operator(s, at+before)}
	switch {
	case v.op == "" && n.flag && before > 0 && at == n.end:
		v.op, v.tight = " ", true
	case v.op == "":
		return v, false
	}
	if v.op != " " {
		at += before + len(v.op)
		if v.op == ":=" || v.op == "=>" {
			v.op = "="
		}
		before2 := run(s, at, blank, 8)
		v.tight = before == 0 && before2 == 0
		before = before2
	}
	at += before
	v.read(s, at, n)
	return v, v.end > v.start
}

// operator returns what gives a value at s[at:].
func operator(s string, at int) string {
	if at >= len(s) {
		return ""
	}
	two := s[at:min(len(s), at+2)]
	switch {
	case two == ":=", two == "=>":
		return two
	case two == "==", two == "::", two == "=~":
		return ""
	case s[at] == '=', s[at] == ':', s[at] == '>':
		return s[at : at+1]
	}
	return ""
}

var backslash = set("", `\`)

// What values without quotes consist of: passwords have odd characters, but only a
// shell's word has those that also stand behind values.
var (
	inShellWord = except(" \t\r\n\"'`\\")
	inValue     = except(" \t\r\n\"'`\\,;&)}]|<>")
)

// read finds the end of the value that begins at s[at:].
func (v *value) read(s string, at int, n name) {
	open := run(s, at, backslash, 8)
	if at+open < len(s) && strings.IndexByte(quotes, s[at+open]) >= 0 {
		v.quoted = true
		v.start = at + open + 1
		v.end = endOfQuoted(s, v.start, s[at+open], open)
	} else {
		in := inValue
		if v.op == "=" && v.tight && n.env() {
			in = inShellWord
		}
		v.start = at
		v.end = at + run(s, at, in, maxValue)
		v.call = v.end < len(s) && s[v.end] == '('
	}
	v.end = wholeRunes(s, v.start, v.end)
	v.text = s[v.start:v.end]
}

// endOfQuoted returns where a text in quotes ends: at the quote that has no more
// backslashes before it than the first had, at a line end, or after maxValue.
func endOfQuoted(s string, at int, quote byte, slashes int) int {
	n := 0
	for i := at; i < len(s) && i-at < maxValue; i++ {
		switch {
		case s[i] == '\\':
			n++
			continue
		case s[i] == quote && n <= slashes:
			return i - n
		case s[i] == '\n', s[i] == '"' && n == 0: // of JSON that all of it stands in
			return i
		}
		n = 0
	}
	end := min(len(s), at+maxValue)
	for end > at && s[end-1] == '\\' { // no escape is cut in two
		end--
	}
	return end
}

// wholeRunes moves end back to where a character ends.
func wholeRunes(s string, start, end int) int {
	for end > start && end < len(s) && s[end]&0xc0 == 0x80 {
		end--
	}
	return end
}

// secret decides whether v is a secret, or a word, a path, a piece of code.
func (v value) secret(n name, strength int) bool {
	v.text = v.text[:min(len(v.text), 256)] // enough to judge by
	t := v.text
	if len(t) < MinSecret || placeholder(t) || v.call || strings.ContainsAny(t, "\n") {
		return false
	}
	env := n.env() && v.op == "=" && (v.tight || v.quoted)
	number := strings.Trim(t, "0123456789.,:-") == ""
	spaced := strings.ContainsAny(t, " \t")
	switch {
	case number && strings.Contains(n.flat, "token"), v.code(), looksLikePath(t):
		return false
	case strength == hint:
		return !spaced && len(t) >= 16 && random(t, 3)
	case env:
		return true
	case spaced:
		return false
	case strings.HasPrefix(strings.ToLower(n.text), "x-") && v.op == ":":
		return true
	case v.quoted && strength == sure:
		return true
	case v.op == "=" && v.tight && strength == sure:
		return !oneWord(t)
	case v.quoted:
		return mixed(t) || bits(t) >= 3.5 && !oneWord(t)
	}
	return mixed(t) && (strength == sure || len(t) >= 12 && bits(t) >= 3)
}

// placeholder reports whether t stands for a value that is elsewhere, or is an
// example's.
func placeholder(t string) bool {
	if strings.Contains(t, "[redacted") || strings.HasPrefix(t, "%") && strings.HasSuffix(t, "%") {
		return true
	}
	if strings.IndexByte("$<{[(*.&@", t[0]) >= 0 && !random(t, 3.5) || strings.HasPrefix(t, "${") || strings.HasPrefix(t, "{{") || strings.HasPrefix(t, "<") {
		return true
	}
	if strings.Trim(t, "*.xX-_#•…") == "" {
		return true
	}
	l := strings.ToLower(t)
	for _, word := range []string{"example", "placeholder", "changeme", "change-me", "change_me", "your-", "your_", "xxxxx", "*****", "dummy", "undefined", "null"} {
		if strings.Contains(l, word) {
			return true
		}
	}
	return false
}

// code reports whether v is an expression: a member of something, a call, a type.
func (v value) code() bool {
	if v.quoted {
		return false
	}
	if strings.ContainsAny(v.text, "([") {
		return true
	}
	// A name that says the same again: PrivateKey: testKey2048.
	if l := strings.ToLower(v.text); run(l, 0, identifier, len(l)) == len(l) && !v.tight && (strings.Contains(l, "key") || strings.Contains(l, "token") || strings.Contains(l, "secret") || strings.Contains(l, "passw")) {
		return true
	}
	parts := strings.Split(strings.Trim(v.text, "?!*&.:"), ".")
	for _, part := range parts {
		if len(part) > 0 && (digits[part[0]] || run(part, 0, identifier, len(part)) < len(part) || mixed(part) && len(parts) == 1) {
			return false
		}
	}
	return len(parts) > 1 || strings.Contains(v.text, "::")
}

var identifier = set("azAZ09", "_?!$")

func looksLikePath(t string) bool {
	if strings.HasPrefix(t, "/") || strings.HasPrefix(t, "~/") || strings.HasPrefix(t, "./") || strings.HasPrefix(t, "../") || strings.Contains(t, "://") {
		return strings.Count(t, "/") >= 1 && !random(t, 4.2)
	}
	return false
}

// oneWord reports whether t is nothing but letters of one case, or a Name.
func oneWord(t string) bool {
	rest := t[1:]
	return strings.Trim(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == "" && (bits(t) < 3.5 || rest == strings.ToLower(rest) || t == strings.ToUpper(t))
}
