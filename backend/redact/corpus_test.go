package redact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A sample is a text of the corpus with a secret in it.
type sample struct{ kind, before, secret, after string }

func (s sample) text() string { return s.before + s.secret + s.after }

func samples(t testing.TB) []sample {
	t.Helper()
	var all []sample
	for _, line := range lines(t, "testdata/secrets.txt") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.NewReplacer("·", "", "⏎", "\n", "␛", "\x1b", "␉", "\t", "␍", "\r").Replace(line)
		kind, text, _ := strings.Cut(line, " | ")
		before, rest, _ := strings.Cut(text, "⟦")
		secret, after, ok := strings.Cut(rest, "⟧")
		if !ok {
			t.Fatalf("no secret between ⟦ and ⟧: %q", line)
		}
		all = append(all, sample{kind, before, secret, after})
	}
	return all
}

func lines(t testing.TB, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// Of the secrets at least 98 of 100 go, kind and surroundings stay readable.
func TestRecall(t *testing.T) {
	all := samples(t)
	missed := 0
	for _, s := range all {
		got := New().Text(s.text())
		if leaks(strings.ReplaceAll(got, s.kind, ""), s.secret) {
			missed++
			t.Logf("missed: %s in %q: %q", s.kind, s.text(), got)
			continue
		}
		if want := s.before + markStart + s.kind + "]" + s.after; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	recall := 1 - float64(missed)/float64(len(all))
	t.Logf("recall %.3f of %d", recall, len(all))
	if len(all) < 150 || recall < 0.98 {
		t.Errorf("recall is %.3f of %d samples, want 0.98 of 150", recall, len(all))
	}
}

// leaks reports whether text has a piece of secret that is long enough to be of use.
func leaks(text, secret string) bool {
	const piece = 8
	for i := 0; i+piece <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+piece]) {
			return true
		}
	}
	return strings.Contains(text, secret)
}

// Nothing that only looks like a secret goes.
func TestLookAlikesStay(t *testing.T) {
	for _, line := range lines(t, "testdata/lookalikes.txt") {
		if got := New().Text(line); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// In what tools print, fewer than 1 line of 1,000 is touched.
func TestOrdinaryLogsStay(t *testing.T) {
	n, touched := 0, 0
	for _, log := range ordinary(t) {
		for line := range strings.Lines(log) {
			n++
			if got := New().Text(line); got != line {
				touched++
				t.Logf("%q became %q", line, got)
			}
		}
		if got := New().Text(log); got != log && touched == 0 {
			t.Error("a log as a whole is touched, though none of its lines is")
		}
	}
	t.Logf("%d of %d lines touched", touched, n)
	if n < 4000 || touched*1000 >= n {
		t.Errorf("%d of %d lines touched, want fewer than 1 of 1,000 of at least 4,000", touched, n)
	}
}

func ordinary(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/ordinary/*.log")
	if err != nil || len(files) == 0 {
		t.Fatal("no ordinary logs", err)
	}
	var logs []string
	for _, file := range files {
		logs = append(logs, strings.Join(lines(t, file), "\n")+"\n")
	}
	return logs
}

// BenchmarkText measures ordinary logs, with the values of five settings.
func BenchmarkText(b *testing.B) {
	text := strings.Join(ordinary(b), "")
	r := New("correct horse battery", "pa\"ss/word 12", "0123456789abcdefghij", "another-one-1", "and-another-2")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}

// What repeats the beginning of a secret for ever costs no more than its length
// (a program may print anything).
func TestTextIsLinear(t *testing.T) {
	for _, piece := range []string{"token=", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaaaa.", "://a", "key:\"", "sk-", "authorization: ", "[redacted: ", "curl ", "password='\\", ":AA", "MTIx"} {
		text := strings.Repeat(piece, 1<<18/len(piece))
		began := time.Now()
		New().Text(text)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("256 KB of %q took %v", piece, took)
		} else {
			t.Logf("256 KB of %q took %v", piece, took)
		}
	}
}
