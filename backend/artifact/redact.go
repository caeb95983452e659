package artifact

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// minSecret is how long a value must be to be taken for a secret: shorter ones
// would be found all over a text.
const minSecret = 8

// Redact returns text without what looks like a token, a key or a password, and
// without the values of secrets, also where they are escaped for JSON or a URL.
// It is for text that is shown, exported or given to another agent (R9, S24). It
// must never touch patches, trees or the logs on disk. Redacting twice is the
// same as once.
func Redact(text string, secrets []string) string {
	if r := exact(secrets); r != nil {
		text = r.Replace(text)
	}
	for _, s := range secretShapes {
		if slices.ContainsFunc(s.hints, func(hint string) bool { return strings.Contains(text, hint) }) {
			text = s.shape.ReplaceAllString(text, s.with)
		}
	}
	return text
}

// exact returns what replaces secrets by their value, or nil if there are none.
// Of two that begin alike the longer one comes first, or a rest of it would stay.
func exact(secrets []string) *strings.Replacer {
	var forms []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s))
		if quoted, err := json.Marshal(s); err == nil { // a string always can
			forms = append(forms, string(quoted[1:len(quoted)-1]))
		}
	}
	if len(forms) == 0 {
		return nil
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, redacted)
	}
	return strings.NewReplacer(pairs...)
}

// Secrets returns the values of env that are secrets: at least 8 characters long,
// under a name that says so.
func Secrets(env map[string]string) []string {
	var found []string
	for name, value := range env {
		if len(value) >= minSecret && secretName.MatchString(name) {
			found = append(found, value)
		}
	}
	slices.Sort(found)
	return found
}

const secretWords = `API_?KEY|ACCESS_?KEY|SECRET|PRIVATE_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH_KEY`

var secretName = regexp.MustCompile(`(?i)` + secretWords)

// secretShapes are what secrets look like. hints are literals of which a text
// must have one for the expression to be tried: expressions are slow, and most
// text has no secret. Names, users and the kind of a token stay readable.
var secretShapes = []struct {
	hints []string
	shape *regexp.Regexp
	with  string
}{
	{[]string{"PRIVATE KEY"}, // PEM; also of a block that was cut off, or lies in a string of JSON
		regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----)(?:-?[A-Za-z0-9+/=\s\\:,]+)+`), "${1}" + redacted},
	{[]string{"sk-", "xai-"}, // Anthropic, OpenAI, OpenRouter, DeepSeek; xAI
		regexp.MustCompile(`\b(sk-ant-|sk-or-|sk-proj-|sk-|xai-)[A-Za-z0-9_-]{16,}`), "${1}" + redacted},
	{[]string{"gh", "github_pat_", "gl"}, // GitHub, GitLab
		regexp.MustCompile(`\b(gh[pousr]_|github_pat_|gl(?:pat|ptt|oas|dt|rt|cbt|soat)-)[A-Za-z0-9_-]{16,}`), "${1}" + redacted},
	{[]string{"AKIA", "ASIA"}, // AWS
		regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`), "${1}" + redacted},
	{[]string{"AIza", "ya29.", "GOCSPX-"}, // Google
		regexp.MustCompile(`\b(AIza|ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}`), "${1}" + redacted},
	{[]string{"xox", "xapp-", "hooks.slack.com"}, // Slack
		regexp.MustCompile(`\b(xox[abeoprs]-|xapp-|hooks\.slack\.com/services/)[A-Za-z0-9/-]{10,}`), "${1}" + redacted},
	{[]string{"npm_", "hf_", "gsk_", "pypi-", "dop_v1_", "_live_", "_test_", "SG.", "AGE-SECRET-KEY-1"}, // registries, hosts, payment, mail, age
		regexp.MustCompile(`\b(npm_|hf_|gsk_|pypi-|dop_v1_|[rs]k_(?:live|test)_|SG\.|AGE-SECRET-KEY-1)[A-Za-z0-9._-]{20,}`), "${1}" + redacted},
	{[]string{"eyJ"}, // JSON web token
		regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*`), redacted},
	{[]string{"earer ", "EARER ", "asic ", "oken "}, // Authorization
		regexp.MustCompile(`\b((?i:bearer)\s+|(?i:authorization["']?\s*[:=]\s*["']?(?:basic|token))\s+)[A-Za-z0-9._~+/-]{8,}=*`), "${1}" + redacted},
	{[]string{"://"}, // https://user:password@host, https://token@host (S14)
		regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:)[^/\s@]+@`), "${1}" + redacted + "@"},
	{[]string{"://"},
		regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s:@]{16,}@`), "${1}" + redacted + "@"},
	{[]string{"="}, // what env prints, and .env files
		regexp.MustCompile(`\b([A-Z0-9_]*(?:` + secretWords + `)[A-Z0-9_]*=)(?:"[^"$\n]{8,}"|'[^'\n]{8,}'|[^\s"'$]{8,})`), "${1}" + redacted},
	{[]string{`":`, `" :`}, // JSON, also inside a string of JSON
		regexp.MustCompile(`((?i)(?:` + secretWords + `|api-key)\\?"\s*:\s*\\?")[^"\\\s]{8,}`), "${1}" + redacted},
	{[]string{"pi-key:", "PI-KEY:", "pi-Key:", "PI-Key:"}, // X-Api-Key of HTTP
		regexp.MustCompile(`((?i)\bx-(?:goog-)?api-key:\s*)\S{8,}`), "${1}" + redacted},
}
