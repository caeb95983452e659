package config

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"offrun/backend/work"
)

// A Reader reads a settings file and collects every mistake on the way. It walks
// the syntax tree itself, since a decoder stops at the first mistake and cannot
// say what is allowed.
type Reader struct {
	File     string // what messages call the file
	mistakes []string
}

// Err is work.Invalid with every mistake, a line each, as file:line:column: what
// is wrong; allowed: … Next is the next step. Without a mistake it is nil.
func (r *Reader) Err(next string) error {
	if len(r.mistakes) == 0 {
		return nil
	}
	return work.Errorf(work.Invalid, "%s", strings.Join(r.mistakes, "\n")).Do(next)
}

// Unfit notes that the file as a whole is no settings file.
func (r *Reader) Unfit(what string) { r.mistakes = append(r.mistakes, r.File+": "+what) }

// Document parses text and returns what is in it, or nil if that is nothing.
func (r *Reader) Document(text []byte) ast.Node {
	file, err := parser.ParseBytes(bytes.TrimPrefix(text, []byte("\ufeff")), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.NullType:
		case body != nil:
			r.Mistake(doc.Body, "a second document; allowed: one")
		default:
			body = doc.Body
		}
	}
	return body
}

// syntax notes that the text is no YAML.
func (r *Reader) syntax(err error) {
	at, what := (*token.Position)(nil), err.Error()
	if e, ok := errors.AsType[*yaml.SyntaxError](err); ok && e.Token != nil {
		at, what = e.Token.Position, e.Message
	}
	r.note(at, what+"; allowed: YAML")
}

// Mistake notes what is wrong at n.
func (r *Reader) Mistake(n ast.Node, format string, args ...any) {
	r.note(position(n), fmt.Sprintf(format, args...))
}

func (r *Reader) note(at *token.Position, what string) {
	if at == nil {
		at = &token.Position{Line: 1, Column: 1}
	}
	r.mistakes = append(r.mistakes, fmt.Sprintf("%s:%d:%d: %s", r.File, at.Line, at.Column, oneLine(what)))
}

// position returns where n begins; the token of a mapping is its first colon.
func position(n ast.Node) *token.Position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return position(n.Values[0])
		}
		return n.Start.Position
	case *ast.MappingValueNode:
		return position(n.Key)
	}
	if t := n.GetToken(); t != nil {
		return t.Position
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A Key is one of a mapping, where it stands.
type Key struct {
	Node ast.Node
	Text string
}

// Entries returns the keys of the mapping n with their values, and notes what is
// not among known; no known keys means that all are. A key without a value is as
// good as not there.
func (r *Reader) Entries(n ast.Node, known ...string) iter.Seq2[Key, ast.Node] {
	return func(yield func(Key, ast.Node) bool) {
		var values []*ast.MappingValueNode
		switch n := n.(type) {
		case *ast.MappingNode:
			values = n.Values
		case *ast.MappingValueNode:
			values = append(values, n)
		default:
			r.Mistake(n, "%s is of the wrong kind; allowed: keys with values%s", Shown(n), list(": ", known))
			return
		}
		seen := map[string]bool{}
		for _, v := range values {
			text, ok := Scalar(v.Key)
			switch {
			case !ok:
				r.Mistake(v.Key, "%s is no key; allowed: plain words", Shown(v.Key))
			case known != nil && !slices.Contains(known, text):
				r.Mistake(v.Key, "unknown key %q%s", text, list("; allowed: ", known))
			case seen[text]:
				r.Mistake(v.Key, "key %q stands here a second time; allowed: once", text)
			case v.Value == nil || v.Value.Type() == ast.NullType:
			case !yield(Key{v.Key, text}, v.Value):
				return
			}
			seen[text] = true
		}
	}
}

func list(before string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	return before + strings.Join(words, ", ")
}

// Scalar returns the text of a plain value, as it was written.
func Scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// Shown names n in a message.
func Shown(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode:
		return "a reference"
	case *ast.TagNode:
		return "a tag"
	case *ast.NullNode:
		return "nothing"
	}
	if text, ok := Scalar(n); ok {
		return strconv.Quote(cut(text))
	}
	return "this"
}

func cut(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

// Text reads one value; what says what it is.
func (r *Reader) Text(n ast.Node, what string) string {
	s, ok := Scalar(n)
	if !ok || strings.TrimSpace(s) == "" {
		r.Mistake(n, "%s is of the wrong kind; allowed: %s", Shown(n), what)
		return ""
	}
	return strings.TrimSpace(s)
}

// Word reads one value out of allowed.
func (r *Reader) Word(n ast.Node, allowed ...string) string {
	if s, ok := Scalar(n); ok && slices.Contains(allowed, s) {
		return s
	}
	r.Mistake(n, "%s is not known here; allowed: %s", Shown(n), strings.Join(allowed, ", "))
	return allowed[0]
}

// Items returns the members of a list. A single value stands for a list of one.
func (r *Reader) Items(n ast.Node) []ast.Node {
	if seq, ok := n.(*ast.SequenceNode); ok {
		return seq.Values
	}
	return []ast.Node{n}
}

// List reads a list of texts.
func (r *Reader) List(n ast.Node, what string) []string {
	var all []string
	for _, item := range r.Items(n) {
		if s := r.Text(item, "a list of "+what); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// longest is the longest time limit: beyond it, it is a slip of the pen.
const longest = 7 * 24 * time.Hour

// Seconds reads a duration of least or longer.
func (r *Reader) Seconds(n ast.Node, least work.Seconds) work.Seconds {
	text, _ := Scalar(n)
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		value = d.Seconds()
	}
	if err != nil || !(value >= float64(least) && value <= longest.Seconds()) {
		r.Mistake(n, "%s is no time limit; allowed: seconds from %g to %g, or such as 90s, 30m, 2h", Shown(n), least, longest.Seconds())
		return least
	}
	return work.Seconds(value)
}
