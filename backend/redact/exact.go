package redact

import (
	b64 "encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MinSecret is how many bytes a value must have to be taken for a secret: shorter
// ones would be found all over a text.
const MinSecret = 8

// configured is the kind of a value that the settings say is secret.
const configured = "configured secret"

// exact returns the rule for values as they are, and as they look in JSON, in
// JSON within JSON, in a URL and in base64.
func exact(values []string) []rule {
	r := rule{kind: configured, rank: known, cut: true, match: func(_ string, at int, lit string) (int, int, string) {
		return at, at + len(lit), ""
	}}
	for _, v := range values {
		if len(v) < MinSecret {
			continue
		}
		r.literals = append(r.literals, v, url.QueryEscape(v), url.PathEscape(v), quoted(v), quoted(quoted(v)), strings.ReplaceAll(v, "'", `'\''`))
		r.literals = append(r.literals, encoded(v)...)
	}
	if len(r.literals) == 0 {
		return nil
	}
	slices.Sort(r.literals)
	r.literals = slices.Compact(r.literals)
	return []rule{r}
}

// quoted returns v as it stands between the quotes of a string of JSON.
func quoted(v string) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string always can
	}
	return string(b[1 : len(b)-1])
}

// encoded returns how v looks in base64, alone or behind one or two more bytes
// such as those of "user:", without the characters that depend on its neighbours.
func encoded(v string) (all []string) {
	for shift := range 3 {
		padded := strings.Repeat("\x00", shift) + v
		whole := len(padded) / 3 * 4
		skip := (shift*8 + 5) / 6 // characters that the bytes before v have a part in
		for _, e := range []*b64.Encoding{b64.RawStdEncoding, b64.RawURLEncoding} {
			all = append(all, e.EncodeToString([]byte(padded))[skip:whole])
		}
	}
	return all
}

var secretName = regexp.MustCompile(`(?i)API_?KEY|ACCESS_?KEY|SECRET|PRIVATE_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH_?KEY|_PWD$|_KEY$`)

// Secrets returns the values of env that are secrets, in order: of MinSecret bytes
// or more, under a name that says so or is in marked.
func Secrets(env map[string]string, marked []string) []string {
	var found []string
	for name, value := range env {
		if len(value) >= MinSecret && (secretName.MatchString(name) || slices.Contains(marked, name)) {
			found = append(found, value)
		}
	}
	slices.Sort(found)
	return found
}
