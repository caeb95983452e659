package agent

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

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
	r := wordReader{file: file}
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		r.syntax(err)
		return nil, r.err()
	}
	w := &Words{}
	for _, doc := range parsed.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.CommentGroupNode, *ast.NullNode:
		case *ast.SequenceNode:
			for _, item := range body.Values {
				w.entries = append(w.entries, r.wording(item))
			}
		default:
			r.mistake(body, "this is no list; allowed: entries with class and match")
		}
	}
	return w, r.err()
}

type wordReader struct {
	file     string
	mistakes []string
}

func (r *wordReader) err() error {
	if r.mistakes == nil {
		return nil
	}
	return work.Errorf(work.Invalid, "%s", strings.Join(r.mistakes, "\n")).Do("Correct the file, or delete it.")
}

func (r *wordReader) syntax(err error) {
	if e, ok := errors.AsType[*yaml.SyntaxError](err); ok && e.Token != nil {
		r.note(e.Token.Position, e.Message+"; allowed: YAML")
		return
	}
	r.note(&token.Position{Line: 1, Column: 1}, err.Error()+"; allowed: YAML")
}

func (r *wordReader) mistake(n ast.Node, format string, args ...any) {
	at := n.GetToken()
	for at.Prev != nil && n.Type() == ast.MappingType && at.Position.Line == at.Prev.Position.Line && at.Value == ":" {
		at = at.Prev // the token of a mapping is its first colon
	}
	r.note(at.Position, fmt.Sprintf(format, args...))
}

func (r *wordReader) note(at *token.Position, what string) {
	r.mistakes = append(r.mistakes, fmt.Sprintf("%s:%d:%d: %s", r.file, at.Line, at.Column, what))
}

var (
	wordKeys    = []string{"class", "match", "sample", "seen"}
	wordClasses = []string{string(work.ClassLimited), string(work.ClassNeedsYou), string(work.ClassNeedsLogin), string(work.ClassNetwork)}
)

// wording reads one entry. A wrong one matches nothing.
func (r *wordReader) wording(n ast.Node) wording {
	w := wording{match: regexp.MustCompile(`$.`)}
	m, ok := n.(ast.MapNode)
	if !ok {
		r.mistake(n, "an entry of the wrong kind; allowed: keys with values: %s", strings.Join(wordKeys, ", "))
		return w
	}
	before, has := len(r.mistakes), map[string]ast.Node{}
	for all := m.MapRange(); all.Next(); {
		key := all.Key().GetToken().Value
		if !slices.Contains(wordKeys, key) {
			r.mistake(all.Key(), "unknown key %q; allowed: %s", key, strings.Join(wordKeys, ", "))
			continue
		}
		has[key] = all.Value()
	}
	for _, key := range []string{"class", "match"} {
		if has[key] == nil && len(r.mistakes) == before {
			r.mistake(n, "an entry without %s", key)
		}
	}
	if len(r.mistakes) == before {
		r.fill(&w, has)
	}
	return w
}

func (r *wordReader) fill(w *wording, has map[string]ast.Node) {
	class := valueOf(has["class"])
	if !slices.Contains(wordClasses, class) {
		r.mistake(has["class"], "%q is no class; allowed: %s", class, strings.Join(wordClasses, ", "))
	}
	match, err := regexp.Compile("(?is)" + valueOf(has["match"]))
	switch {
	case err != nil:
		r.mistake(has["match"], "%q is no regular expression: %v", valueOf(has["match"]), err)
		return
	case match.MatchString(""):
		r.mistake(has["match"], "%q fits everything; allowed: words that an agent says", valueOf(has["match"]))
		return
	}
	w.class, w.match, w.sample = work.Class(class), match, valueOf(has["sample"])
	if has["sample"] != nil && !match.MatchString(w.sample) {
		r.mistake(has["sample"], "the sample does not fit match")
	}
}

// valueOf returns the text of a plain value, or "".
func valueOf(n ast.Node) string {
	switch n := n.(type) {
	case nil:
		return ""
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	return n.GetToken().Value
}
