package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/work"
)

// F85: every entry has words that were recorded, and they lead to its class, not
// to that of an entry before it.
func TestF85EveryWordingHasASample(t *testing.T) {
	w, err := ReadWords("limits.yaml", recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range w.entries {
		if e.sample == "" {
			t.Errorf("%v has no sample", e.match)
		}
		if got := w.ClassOf(e.sample); got != e.class {
			t.Errorf("%q is %q, want %q", e.sample, got, e.class)
		}
	}
}

func TestF85ClassOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want work.Class
	}{
		{"USAGE LIMIT reached. Resets 3pm (Europe/Berlin)", work.ClassLimited},
		{"5-hour limit reached ∙ resets 11am", work.ClassLimited},
		{"You’ve hit your usage limit. Try again in 3 days 4 hours 5 minutes.", work.ClassLimited},
		{"You have no usage left", work.ClassFailed}, // words that nobody has recorded
		{"You exceeded your current quota, please check your plan and billing details.", work.ClassNeedsYou},
		{"You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded\nPlease retry in 41s.", work.ClassLimited},
		{"limits.go:12: undefined: limit", work.ClassFailed},
		{"<html><head><title>502 Bad Gateway</title></head></html>", work.ClassNetwork},
		{"", work.ClassFailed},
	} {
		if got := ClassOf(tt.text); got != tt.want {
			t.Errorf("ClassOf(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestReadWordsMistakes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"- class: limited\n  match: a b\n", ""},
		{"# nothing yet\n", ""},
		{"", ""},
		{"limited: x\n", "l.yaml:1:1: a mapping is of the wrong kind"},
		{"- class: limited\n  mach: x\n", `l.yaml:2:3: unknown key "mach"; allowed: class, match, sample, seen`},
		{"- class: limitd\n  match: x\n", `l.yaml:1:10: "limitd" is not known here; allowed: limited, needs you, needs login, network`},
		{"- class: limited\n  match: '(x'\n", "l.yaml:2:10: \"(x\" is no regular expression"},
		{"- class: limited\n  match: 'x*'\n", "l.yaml:2:10: \"x*\" fits everything"},
		{"- class: limited\n  match: x\n  sample: y\n", "l.yaml:3:11: the sample does not fit"},
		{"- class: limited\n", "l.yaml:1:3: an entry without class or match"},
		{"- words\n", `l.yaml:1:3: "words" is of the wrong kind; allowed: keys with values: class, match, sample, seen`},
		{"- class: [limited\n", "allowed: YAML"},
	} {
		_, err := ReadWords("l.yaml", []byte(tt.text))
		if tt.want == "" {
			if err != nil {
				t.Errorf("%q: %v", tt.text, err)
			}
			continue
		}
		if work.CodeOf(err) != work.Invalid || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "l.yaml:") {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// F85: words that the user adds count at once, and before ours.
func TestF85WordsOfTheUser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "limits.yaml")
	if w, err := LoadWords(file); w != nil || err != nil {
		t.Fatalf("without a file: %v, %v", w, err)
	}
	if err := os.WriteFile(file, []byte("- {class: limited, match: computer says no}\n- {class: needs you, match: weekly limit}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := LoadWords(file)
	if err != nil {
		t.Fatal(err)
	}
	no := work.Entry{Kind: work.Ended, Failed: true, Class: work.ClassFailed, Text: "Computer says no, resets 3pm (UTC)"}
	weekly := work.Entry{Kind: work.Ended, Failed: true, Class: work.ClassLimited, Text: "weekly limit"}
	for _, tt := range []struct {
		words *Words
		said  work.Entry
		want  work.Class
	}{{nil, no, work.ClassFailed}, {w, no, work.ClassLimited}, {w, weekly, work.ClassNeedsYou}} {
		f := Facts{Structured: true, Words: tt.words}
		f.Add(tt.said)
		v := Judge(f, exit(work.Exited, 1))
		if v.Class != tt.want || v.Class == work.ClassLimited && v.ResetsAt == nil {
			t.Errorf("%q judged %+v, want %s", tt.said.Text, v, tt.want)
		}
	}
	f := Facts{Words: w, Stderr: "computer says no"}
	if v := Judge(f, exit(work.Exited, 1)); v.Class != work.ClassLimited {
		t.Errorf("on standard error: %+v", v)
	}
	f = Facts{Words: w}
	f.Add(work.Entry{Kind: work.Retried, Class: work.ClassNetwork, Text: "computer says no", Wait: 120})
	if f.Impatient() == "" {
		t.Error("a retry in the user's words for a limit is waited for")
	}
}

func FuzzReadWords(f *testing.F) {
	f.Add(recorded[:2000])
	f.Add([]byte("- class: limited\n  match: x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ReadWords("l.yaml", text)
		if err == nil {
			w.ClassOf("usage limit")
		}
	})
}
