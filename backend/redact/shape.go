package redact

import (
	"regexp"
	"strings"
	"sync"
)

// shapes is the index of all rules that need no settings.
var shapes = sync.OnceValue(func() *index {
	rules := []rule{
		{rank: marked, literals: []string{markStart}, match: mark},
		{kind: "private key", rank: shaped, literals: []string{"-----begin "}, fold: true, match: pem},
		{kind: "json web token", rank: shaped, literals: []string{"eyJ"}, match: jwt},
		{kind: "password", rank: guessed, literals: []string{"://"}, match: userInfo},
		{kind: "credentials", rank: guessed, literals: []string{"authorization"}, fold: true, match: authorization},
		{kind: "token", rank: guessed, literals: []string{"bearer "}, fold: true, match: expression(bearer, looksDrawn)},
		{kind: "cookie", rank: guessed, literals: []string{"cookie: "}, fold: true, match: expression(cookie, nil)},
		{kind: "password", rank: guessed, literals: []string{"curl "}, match: curlUser},
		{kind: "password", rank: guessed, literals: []string{"login "}, match: expression(netrc, nil)},
		{kind: "signature", rank: guessed, literals: []string{"sig=", "signature="}, fold: true, match: expression(signature, nil)},
		{kind: "key", rank: known, literals: []string{"sk-"}, match: plainKey},
		{kind: "telegram token", rank: shaped, literals: []string{":AA"}, match: telegram},
		{kind: "discord token", rank: shaped, literals: discordStarts(), match: expression(discord, nil)},
		{kind: "mailchimp key", rank: shaped, literals: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, match: mailchimp},
		{kind: "terraform token", rank: shaped, literals: []string{".atlasv1."}, match: terraform},
		{kind: "cookie", rank: guessed, literals: []string{"_gitlab_session="}, match: expression(`_gitlab_session=([a-z0-9]{32})`, nil)},
		{kind: "json web token", rank: shaped, literals: []string{"ZXlK"}, match: expression(`(ZXlK[A-Za-z0-9_/-]{60,}=*)`, looksDrawn)},
		{kind: "azure secret", rank: shaped, literals: azureStarts(), match: azure},
		{rank: guessed, literals: secretWords, fold: true, match: assignment},
	}
	for _, t := range tokens {
		rules = append(rules, t.rule())
	}
	return newIndex(rules)
})

// inMark are the bytes of a kind, maxMark how many it has at most.
var inMark = set("az09", " .")

const maxMark = 30

// mark finds a mark of ours, which is never redacted again: a secret may be a word
// that stands in one.
func mark(s string, at int, lit string) (int, int, string) {
	start := at + len(lit)
	end := start + run(s, start, inMark, maxMark)
	if end == len(s) || s[end] != ']' {
		return 0, 0, ""
	}
	return at, end + 1, s[start:end]
}

// expression returns the match of a regular expression that begins with the
// literal. Its group is the secret, or all of it; ok, if there is one, must agree.
func expression(e string, ok func(string) bool) func(string, int, string) (int, int, string) {
	re := regexp.MustCompile(`^(?i:` + e + `)`)
	return func(s string, at int, _ string) (int, int, string) {
		if !begins(s, at) {
			return 0, 0, ""
		}
		m := re.FindStringSubmatchIndex(s[at:min(len(s), at+maxToken)])
		if m == nil {
			return 0, 0, ""
		}
		start, end := at+m[len(m)-2], at+m[len(m)-1]
		if ok != nil && !ok(s[start:end]) {
			return 0, 0, ""
		}
		return start, end, ""
	}
}

const (
	bearer    = `bearer\s+([A-Za-z0-9._~+/-]{12,}=*)`
	cookie    = `cookie:\s+([\w.-]+=[^\s;,"'\\]{8,}(?:; *[\w.-]+=[^\s;,"'\\]{8,})*)`
	curl      = `curl [^|;&]*?(?:-u|--user|--proxy-user)[= ]*["']?[^\s:"'$]+:([^\s"'$\\]{4,})`
	netrc     = `login\s+\S+\s+password\s+([^\s\\"]{4,})`
	signature = `sig(?:nature)?=([A-Za-z0-9%+/_=-]{40,})`
	discord   = `([MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40})`
)

// curlUser finds the password that curl is given, on the same line.
var curlUser = func() func(string, int, string) (int, int, string) {
	match := expression(curl, notANumber)
	return func(s string, at int, lit string) (int, int, string) {
		line, _, _ := strings.Cut(s[at:min(len(s), at+maxLine)], "\n")
		if !strings.Contains(line, "-u") {
			return 0, 0, ""
		}
		return match(s[:at+len(line)], at, lit)
	}
}()

// maxLine is how far behind its program an option is looked for.
const maxLine = 512

func looksDrawn(s string) bool { return mixed(s) && bits(s) >= 3 }

func notANumber(s string) bool { return strings.Trim(s, "0123456789") != "" }

// jwt finds header.payload.signature, of which the header is JSON in base64. An
// encrypted one has five parts.
func jwt(s string, at int, _ string) (int, int, string) {
	if !begins(s, at) {
		return 0, 0, ""
	}
	end, parts := at, 0
	for {
		n := run(s, end, dashed, maxToken)
		if parts < 2 && n < 10 && (parts != 1 || end+n >= len(s) || s[end+n] != '.') {
			break
		}
		parts++
		end += n
		if parts == 5 || end == len(s) || s[end] != '.' || end+1 == len(s) || !dashed[s[end+1]] && s[end+1] != '.' {
			break
		}
		end++
	}
	if parts < 3 {
		return 0, 0, ""
	}
	return at, end, ""
}

var (
	pemBegin = regexp.MustCompile(`^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)
	pemEnd   = regexp.MustCompile(`-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)

	// pemBody is the block of a key of which the end is missing: lines of base64,
	// headers, line ends also as JSON escapes them, and what tools put before a
	// line: blanks, a number, a bar, an arrow.
	pemBody = regexp.MustCompile(`^(?:(?:\s|\\+[nrt])*(?:[-+>|]\s|\d+(?:\t|\\t|→|[|:]\s*))?(?:[A-Za-z-]+: [^\n\\"]*|[A-Za-z0-9+/=]+))+`)
)

// pem finds a private key in a block of PEM, up to its end, or, of one that was cut
// off, as far as it goes.
func pem(s string, at int, _ string) (int, int, string) {
	block := s[at:min(len(s), at+Reach)]
	begin := pemBegin.FindString(block)
	if begin == "" {
		return 0, 0, ""
	}
	start := at + len(begin)
	if m := pemEnd.FindStringIndex(block); m != nil && !strings.ContainsAny(block[len(begin):m[0]], "{}[]") {
		return start, at + m[0], "" // with brackets, begin and end are in different strings of JSON
	}
	return start, start + len(pemBody.FindString(block[len(begin):])), ""
}

// userInfo finds what stands before the @ of a URL: the password, or a token that
// is there alone (S14).
func userInfo(s string, at int, _ string) (int, int, string) {
	if at == 0 || !alnum[s[at-1]] {
		return 0, 0, ""
	}
	start := at + len("://")
	n := run(s, start, inAuthority, maxToken)
	host := strings.LastIndexByte(s[start:start+n], '@')
	if host <= 0 {
		return 0, 0, ""
	}
	user, password, with := strings.Cut(s[start:start+host], ":")
	switch {
	case with && (password == "" || placeholder(password)):
		return 0, 0, ""
	case with:
		return start + len(user) + 1, start + host, ""
	case len(user) >= 16 && mixed(user) && !placeholder(user):
		return start, start + host, "token"
	}
	return 0, 0, ""
}

var inAuthority = except("\x00\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x1b \x7f/?#\"'`<>\\")

var authorizationHeader = regexp.MustCompile(`^(?i)authorization(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?(?:(basic|bearer|token|apikey|digest|negotiate|ssws|key|bot)\s+)?([^\s"'\\,<>{}$]{8,})`)

// authorization finds the credentials of an HTTP header, also in JSON or code.
func authorization(s string, at int, _ string) (int, int, string) {
	m := authorizationHeader.FindStringSubmatchIndex(s[at:min(len(s), at+maxToken)])
	if m == nil {
		return 0, 0, ""
	}
	start, end := at+m[4], at+m[5]
	if m[2] < 0 && !mixed(s[start:end]) || placeholder(s[start:end]) {
		return 0, 0, "" // without a scheme it may be any word
	}
	return start, end, ""
}

// plainKey finds keys of vendors that put nothing but sk- before them: OpenAI's
// old ones, DeepSeek, Moonshot, Qwen. Style sheets are full of sk-words-like-this.
func plainKey(s string, at int, lit string) (int, int, string) {
	if !begins(s, at) || at > 0 && s[at-1] == '-' {
		return 0, 0, ""
	}
	n := run(s, at+len(lit), dashed, maxToken)
	if n < 20 || !solid(s[at+len(lit):at+len(lit)+min(n, 256)], 16) {
		return 0, 0, ""
	}
	return at, at + len(lit) + n, ""
}

var digits = set("09", "")

func telegram(s string, at int, _ string) (int, int, string) {
	start := at - runBack(s, at, digits, 11)
	n := run(s, at+1, dashed, 40)
	if id := at - start; id < 8 || id > 10 || n < 33 || n > 37 || !begins(s, start) {
		return 0, 0, ""
	}
	return start, at + 1 + n, ""
}

func mailchimp(s string, at int, _ string) (int, int, string) {
	start := at - runBack(s, at, hexa, 33)
	end := at + len("-us") + run(s, at+len("-us"), digits, 3)
	if at-start != 32 || !begins(s, start) || end < len(s) && dashed[s[end]] {
		return 0, 0, ""
	}
	return start, end, ""
}

func terraform(s string, at int, lit string) (int, int, string) {
	n := run(s, at+len(lit), base64, 80)
	if start := at - 14; n >= 60 && runBack(s, at, alnum, 14) == 14 && begins(s, start) {
		return start, at + len(lit) + n, ""
	}
	return 0, 0, ""
}

// azureStarts are a digit and Q~, before which three more bytes stand.
func azureStarts() (all []string) {
	for d := byte('0'); d <= '9'; d++ {
		all = append(all, string(d)+"Q~")
	}
	return all
}

var azureChars = set("azAZ09", "_~.-")

func azure(s string, at int, lit string) (int, int, string) {
	tail := at + len(lit)
	n := run(s, tail, azureChars, 40)
	start := at - 3
	if start < 0 || runBack(s, at, azureChars, 3) < 3 || n < 31 || n > 36 || !begins(s, start) {
		return 0, 0, ""
	}
	return start, tail + n, ""
}

// discordStarts are how the numbers that a bot's token begins with look in base64.
func discordStarts() (all []string) {
	const code = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for tens := byte('1'); tens <= '9'; tens++ {
		for ones := byte('0'); ones <= '9'; ones++ {
			all = append(all, string([]byte{code[tens>>2], code[tens&3<<4|ones>>4], code[ones&15<<2]}))
		}
	}
	return all
}
