package agent

import (
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"offrun/backend/config"
	"offrun/backend/work"
)

// Words tell what a failure is by its text, where an agent gives nothing better.
// Nil tells nothing.
type Words struct{ entries []wording }

// A wording is one entry of a limits.yaml.
type wording struct {
	class  work.Class
	match  *regexp.Regexp
	sample string
}

//go:embed limits.yaml
var recorded []byte

// builtin are the words that were recorded.
var builtin = sync.OnceValue(func() *Words {
	w, err := ReadWords("limits.yaml", recorded)
	if err != nil {
		panic(err) // a test reads it first
	}
	return w
})

// ClassOf returns what kind of failure text tells of: limited, needs you, needs
// login, network, or failed if it tells nothing.
func ClassOf(text string) work.Class {
	if class := builtin().ClassOf(text); class != "" {
		return class
	}
	return work.ClassFailed
}

// ClassOf returns what kind of failure text tells of, or "".
func (w *Words) ClassOf(text string) work.Class {
	if w == nil || text == "" {
		return ""
	}
	for _, e := range w.entries {
		if e.match.MatchString(text) {
			return e.class
		}
	}
	return ""
}

// LoadWords reads the user's words from a file; nil if it is not there. The error
// is that of ReadWords.
func LoadWords(file string) (*Words, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, work.Hide(work.Unavailable, err, "cannot read "+file).Do("Make the file readable for you.")
	}
	return ReadWords(file, text)
}

// ReadWords reads a list of entries as limits.yaml explains it. The error is
// work.Invalid and names every mistake as file:line:column.
func ReadWords(file string, text []byte) (*Words, error) {
	r := config.Reader{File: file}
	w := &Words{}
	switch body := r.Document(text).(type) {
	case nil:
	case *ast.SequenceNode:
		for _, item := range body.Values {
			w.entries = append(w.entries, readWording(&r, item))
		}
	default:
		r.Mistake(body, "%s is of the wrong kind; allowed: a list of entries with class and match", config.Shown(body))
	}
	if err := r.Err("Correct the file, or delete it: without it only our own words count."); err != nil {
		return nil, err
	}
	return w, nil
}

// readWording reads one entry; after a mistake it is of no use.
func readWording(r *config.Reader, n ast.Node) wording {
	var w wording
	var sample ast.Node
	for key, value := range r.Entries(n, "class", "match", "sample", "seen") {
		switch key.Text {
		case "class":
			w.class = work.Class(r.Word(value, string(work.ClassLimited), string(work.ClassNeedsYou), string(work.ClassNeedsLogin), string(work.ClassNetwork)))
		case "match":
			w.match = expression(r, value)
		case "sample":
			w.sample, sample = r.Text(value, "what an agent says"), value
		case "seen":
			r.Text(value, "where it was seen")
		}
	}
	switch {
	case w.class == "" || w.match == nil:
		r.Mistake(n, "an entry without class or match; allowed: both")
	case sample != nil && !w.match.MatchString(w.sample):
		r.Mistake(sample, "the sample does not fit match; allowed: words that do")
	}
	return w
}

// expression reads what to look for. It is never nil: what is wrong fits nothing.
func expression(r *config.Reader, n ast.Node) *regexp.Regexp {
	text := r.Text(n, "a regular expression")
	match, err := regexp.Compile("(?is)" + text)
	switch {
	case err != nil:
		r.Mistake(n, "%s is no regular expression: %v; allowed: RE2", config.Shown(n), err)
	case text != "" && match.MatchString(""):
		r.Mistake(n, "%s fits everything; allowed: words that an agent says", config.Shown(n))
	default:
		return match
	}
	return regexp.MustCompile(`[^\s\S]`)
}
