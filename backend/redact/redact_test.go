package redact

import (
	"bytes"
	b64 "encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// Put together here, so that no scanner takes this file for a leak.
const (
	letters = "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
	github  = "ghp" + "_" + letters
	begin   = "-----BEGIN RSA PRIVATE " + "KEY-----"
	end     = "-----END RSA PRIVATE " + "KEY-----"
)

// What surrounds a secret stays to be read.
func TestText(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"token " + github + ".", "token [redacted: github token]."},
		{`{"text":"one:\n` + github + `\ntwo"}`, `{"text":"one:\n[redacted: github token]\ntwo"}`},
		{"GITHUB_TOKEN=" + github, "GITHUB_TOKEN=[redacted: github token]"}, // the shape says more than the name
		{"https://me:" + github + "@example.com/x", "https://me:[redacted: github token]@example.com/x"},
		{"git clone https://me:hunter22@example.com/x", "git clone https://me:[redacted: password]@example.com/x"},
		{"https://" + letters + "@example.com/x", "https://[redacted: token]@example.com/x"}, // S14
		{"Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted: credentials]"},
		{"authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted: credentials]"},
		{"X-Api-Key: 0123456789", "X-Api-Key: [redacted: key]"},
		{"OPENAI_API_KEY=abcdefgh12\nHOME=/home/me", "OPENAI_API_KEY=[redacted: key]\nHOME=/home/me"},
		{`export DB_PASSWORD="correct horse"`, `export DB_PASSWORD="[redacted: password]"`},
		{`{"access_token": "abcdefghijk"}`, `{"access_token": "[redacted: token]"}`},
		{`{"text":"{\"apiKey\":\"abcdefghijk\"}"}`, `{"text":"{\"apiKey\":\"[redacted: key]\"}"}`},
		{`{"password":"pa\"ss\\word1"}`, `{"password":"[redacted: password]"}`},
		{"a\n" + begin + "\n" + letters + "/+\n" + letters + "==\n" + end + "\nb", "a\n" + begin + "[redacted: private key]" + end + "\nb"},
		{"Bash curl " + github[:16] + "…", "Bash curl [redacted: github token]…"}, // what was shortened
		{`{"text":"\npm_` + letters + `"}`, `{"text":"[redacted: npm token]"}`},   // rather too much than half an escape
		{begin + `\n` + letters + `\n` + letters[:9] + `"}`, begin + `[redacted: private key]"}`},
	} {
		if got := New().Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A nil Redactor knows the shapes.
func TestNil(t *testing.T) {
	if got := (*Redactor)(nil).Text(github); got != "[redacted: github token]" {
		t.Errorf("Text = %q", got)
	}
}

func TestValues(t *testing.T) {
	const one, two = `pa"ss/wörd 1`, `pa"ss/wörd 12345`
	r := New(one, two, "short", "")
	const gone = "[redacted: configured secret]"
	for _, tt := range []struct{ in, want string }{
		{"x " + one + " y", "x " + gone + " y"},
		{"x " + two + " y", "x " + gone + " y"}, // the longer one as a whole
		{`{"x":"pa\"ss/wörd 1"}`, `{"x":"` + gone + `"}`},
		{`{"x":"{\"y\":\"pa\\\"ss/wörd 1\"}"}`, `{"x":"{\"y\":\"` + gone + `\"}"}`},
		{"?p=pa%22ss%2Fw%C3%B6rd+1&", "?p=" + gone + "&"},
		{"/pa%22ss%2Fw%C3%B6rd%201/", "/" + gone + "/"},
		{"say " + two[:13] + "…", "say " + gone + "…"},
		{`{"x":"\ufffdpa\"ss/wörd 1"}`, `{"x":"\ufffd` + gone + `"}`},
		{"short is too short", "short is too short"},
		{"[redacted: github token]", "[redacted: github token]"},
	} {
		if got := r.Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	for _, user := range []string{"", "u:", "me:", "user:"} { // each of the three ways to be cut into six bits
		for _, e := range []*b64.Encoding{b64.StdEncoding, b64.RawURLEncoding} {
			in := e.EncodeToString([]byte(user + one))
			if got := r.Text(in); !strings.Contains(got, gone) || len(got) > len(gone)+10 {
				t.Errorf("Text(%q) = %q, want next to nothing of it", in, got)
			}
		}
	}
}

// Environment values are secrets only when long enough and under a name that says
// so, or marked.
func TestSecrets(t *testing.T) {
	got := Secrets(map[string]string{
		"MY_API_KEY": "12345678", "db_password": "abcdefgh", "GITHUB_TOKEN": "short", "PATH": "/usr/bin:/bin", "MY_FLAG": "123456789",
		"PHRASE": "open sesame", "TINY": "sesame",
	}, []string{"PHRASE", "TINY", "NONE"})
	if d := cmp.Diff([]string{"12345678", "abcdefgh", "open sesame"}, got); d != "" {
		t.Errorf("secrets (-want +got):\n%s", d)
	}
}

// However a text is cut into parts, they show together what the whole shows: no
// secret slips through in halves.
func TestPart(t *testing.T) {
	text := []byte("one " + github + " two\n" + begin + "\n" + strings.Repeat(letters+"\n", 40) + end + "\n{\"password\": \"correcthorse\"}\n")
	want := New().Text(string(text))
	for _, size := range []int{1, 7, 64, 1000} {
		var got []byte
		for from := 0; from < len(text); from += size {
			got = append(got, New().Part(text, from, min(from+size, len(text)))...)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("parts of %d bytes (-want +got):\n%s", size, d)
		}
	}
}

// F131: what a logger writes.
func TestWriter(t *testing.T) {
	var log bytes.Buffer
	r := New()
	w := Writer(&log, func() *Redactor { return r })
	for range 2 {
		if n, err := w.Write([]byte("err=\"canary-1 " + github + "\"\n")); n != 12+len(github)+8-3 && err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
		r = New("canary-1")
	}
	if want := "err=\"canary-1 [redacted: github token]\"\nerr=\"[redacted: configured secret] [redacted: github token]\"\n"; log.String() != want {
		t.Errorf("the log is %q, want %q", log.String(), want)
	}
}

func TestValue(t *testing.T) {
	run := work.Run{ID: work.RunID(github), Commands: []string{"test", "deploy --token " + github}, Settings: work.Settings{
		Agents: []work.AgentSettings{{Env: map[string]string{"A": github, "B": "x"}}},
	}, Attempts: []work.Attempt{{Turns: []work.Turn{{Why: github, Tests: &work.Tests{Text: github}}}}}}
	before, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	got := Value(New(), run)
	const gone = "[redacted: github token]"
	want := run
	want.Commands = []string{"test", "deploy --token " + gone}
	want.Settings.Agents = []work.AgentSettings{{Env: map[string]string{"A": gone, "B": "x"}}}
	want.Attempts = []work.Attempt{{Turns: []work.Turn{{Why: gone, Tests: &work.Tests{Text: gone}}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("value (-want +got):\n%s", d)
	}
	after, err := json.Marshal(run)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("what was given has changed: %s, %v", after, err)
	}
	type odd struct {
		Any    any
		Bytes  []byte
		Kept   string `redact:"-"`
		hidden string
		Next   *odd
	}
	o := Value(New(), &odd{Any: github, Bytes: []byte(github), Kept: github, hidden: github, Next: &odd{Any: []string{github}}})
	if d := cmp.Diff([]any{gone, gone, github, github, []string{gone}}, []any{o.Any, string(o.Bytes), o.Kept, o.hidden, o.Next.Any}); d != "" {
		t.Errorf("value (-want +got):\n%s", d)
	}
}

func TestError(t *testing.T) {
	e := work.Errorf(work.Conflict, "cannot push with %s", github).Do("Look at " + github)
	e.List = []string{github}
	got, ok := errors.AsType[*work.Error](New().Error(e))
	if !ok || got.Code != work.Conflict || strings.Contains(got.Msg+got.Next+strings.Join(got.List, ""), letters) || e.List[0] != github {
		t.Errorf("error = %#v", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("A_TOKEN="+github+" https://u:p@h "+begin+"\n"+letters, "hunter22")
	f.Add("[redacted: password]", "redacted")
	f.Add("password: [redacted: key] \\\"token\\\": \\\"abcdefgh1\\\"", "password")
	for _, s := range samples(f) {
		f.Add(s.text(), s.secret)
	}
	f.Fuzz(func(t *testing.T, text, secret string) {
		r := New(secret)
		got := r.Text(text)
		if again := r.Text(got); again != got {
			t.Errorf("twice: %q, once: %q", again, got)
		}
		if most := 4*len(text) + 64; len(got) > most {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
		if utf8.ValidString(text) && utf8.ValidString(secret) && !utf8.ValidString(got) {
			t.Errorf("%q is no UTF-8, %q was", got, text)
		}
		if j, err := json.Marshal([]string{text}); err == nil && !strings.ContainsAny(secret, `"\[]`) {
			if got := r.Text(string(j)); !json.Valid([]byte(got)) {
				t.Errorf("%q is no JSON, %q was", got, j)
			}
		}
		if rest := New().Text(text); len(secret) >= MinSecret && len(rest) == len(text) && strings.Contains(got, secret) && !strings.Contains(text, "[redacted") && !strings.Contains("[redacted: configured secret]", secret) {
			t.Errorf("%q is still in %q", secret, got)
		}
	})
}

// A key that a program prints line by line is an entry a line.
func TestKeyOverEntries(t *testing.T) {
	entries := func(texts ...string) string {
		var b strings.Builder
		for _, text := range texts {
			b.WriteString(`{"at":"2026-01-02T03:04:05Z","kind":"said","text":"` + text + `","log":7}` + "\n")
		}
		return b.String()
	}
	const gone = "[redacted: private key]"
	for name, tt := range map[string]struct{ in, want string }{
		"whole":       {entries("a", begin, letters, letters[:9], end, "b"), entries("a", begin, gone, gone, end, "b")},
		"with blanks": {entries(begin, "Proc-Type: 4,ENCRYPTED", "", letters, end), entries(begin, gone, "", gone, end)},
		"in between":  {entries(begin, "it is slow!", letters[:9], end, "b"), entries(begin, gone, gone, end, "b")},
		"unfinished":  {entries(begin, letters, letters[:9]), entries(begin, gone, gone)},
		"cut off":     {entries(begin, letters, "it is slow!", letters+letters, "done"), entries(begin, gone, "it is slow!", gone, "done")},
		"two":         {entries(begin, letters, end, "ok", begin, letters, end), entries(begin, gone, end, "ok", begin, gone, end)},
	} {
		got := New().Text(tt.in)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if again := New().Text(got); again != got {
			t.Errorf("%s: twice is %q", name, again)
		}
	}
	if !InKey("x "+begin, false) || !InKey(letters, true) || InKey(end, true) || InKey(begin+letters+end, false) || InKey("x", false) {
		t.Error("InKey")
	}
}
