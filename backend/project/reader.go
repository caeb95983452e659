package project

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"offrun/backend/work"
)

// A reader reads a settings file and collects every mistake on the way. It walks
// the syntax tree itself, since a decoder stops at the first mistake and cannot
// say what is allowed.
type reader struct {
	mistakes []string
}

// settings reads text. What is wrong keeps its default.
func (r *reader) settings(text []byte) work.Settings {
	s := Defaults()
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return s
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.NullType:
		case body != nil:
			r.mistake(doc.Body, "a second document; allowed: one")
		default:
			body = doc.Body
		}
	}
	if body == nil {
		return s
	}
	var known []string
	for _, one := range settings {
		known = append(known, one.key)
	}
	for key, value := range r.entries(body, known...) {
		settings[slices.Index(known, key.text)].read(r, value, &s)
	}
	return s
}

// syntax notes that the text is no YAML.
func (r *reader) syntax(err error) {
	at, what := (*token.Position)(nil), err.Error()
	if e, ok := errors.AsType[*yaml.SyntaxError](err); ok && e.Token != nil {
		at, what = e.Token.Position, e.Message
	}
	r.note(at, what+"; allowed: YAML")
}

// mistake notes what is wrong at n.
func (r *reader) mistake(n ast.Node, format string, args ...any) {
	r.note(position(n), fmt.Sprintf(format, args...))
}

func (r *reader) note(at *token.Position, what string) {
	if at == nil {
		at = &token.Position{Line: 1, Column: 1}
	}
	r.mistakes = append(r.mistakes, fmt.Sprintf("%s:%d:%d: %s", SettingsFile, at.Line, at.Column, oneLine(what)))
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

// A key is one of a mapping, where it stands.
type key struct {
	node ast.Node
	text string
}

// entries returns the keys of the mapping n with their values, and notes what is
// not among known; no known keys means that all are. A key without a value is as
// good as not there.
func (r *reader) entries(n ast.Node, known ...string) iter.Seq2[key, ast.Node] {
	return func(yield func(key, ast.Node) bool) {
		var values []*ast.MappingValueNode
		switch n := n.(type) {
		case *ast.MappingNode:
			values = n.Values
		case *ast.MappingValueNode:
			values = append(values, n)
		default:
			r.mistake(n, "%s is of the wrong kind; allowed: keys with values%s", shown(n), list(": ", known))
			return
		}
		seen := map[string]bool{}
		for _, v := range values {
			text, ok := scalar(v.Key)
			switch {
			case !ok:
				r.mistake(v.Key, "%s is no key; allowed: plain words", shown(v.Key))
			case known != nil && !slices.Contains(known, text):
				r.mistake(v.Key, "unknown key %q%s", text, list("; allowed: ", known))
			case seen[text]:
				r.mistake(v.Key, "key %q stands here a second time; allowed: once", text)
			case v.Value == nil || v.Value.Type() == ast.NullType:
			case !yield(key{v.Key, text}, v.Value):
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

// scalar returns the text of a plain value, as it was written.
func scalar(n ast.Node) (string, bool) {
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

// shown names n in a message.
func shown(n ast.Node) string {
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
	if text, ok := scalar(n); ok {
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

// text reads one value; what says what it is.
func (r *reader) text(n ast.Node, what string) string {
	s, ok := scalar(n)
	if !ok || strings.TrimSpace(s) == "" {
		r.mistake(n, "%s is of the wrong kind; allowed: %s", shown(n), what)
		return ""
	}
	return strings.TrimSpace(s)
}

// word reads one value out of allowed.
func (r *reader) word(n ast.Node, allowed ...string) string {
	if s, ok := scalar(n); ok && slices.Contains(allowed, s) {
		return s
	}
	r.mistake(n, "%s is not known here; allowed: %s", shown(n), strings.Join(allowed, ", "))
	return allowed[0]
}

// items returns the members of a list. A single value stands for a list of one.
func (r *reader) items(n ast.Node) []ast.Node {
	if seq, ok := n.(*ast.SequenceNode); ok {
		return seq.Values
	}
	return []ast.Node{n}
}

// list reads a list of texts.
func (r *reader) list(n ast.Node, what string) []string {
	var all []string
	for _, item := range r.items(n) {
		if s := r.text(item, "a list of "+what); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// globs reads a list of patterns for paths within the project.
func (r *reader) globs(n ast.Node) []string {
	var all []string
	for _, item := range r.items(n) {
		switch glob := strings.TrimPrefix(r.text(item, "a list of globs"), "./"); {
		case glob == "":
		case !doublestar.ValidatePattern(glob):
			r.mistake(item, "%q is no glob; allowed: such as .env, certs/*.pem or src/**/*.go", glob)
		case !inside(glob):
			r.mistake(item, "%q leads out of the project; allowed: relative paths", glob)
		default:
			all = append(all, glob)
		}
	}
	return all
}

// inside reports whether name, a slash path or glob, stays within the project
// and out of its git directory.
func inside(name string) bool {
	clean := path.Clean(name)
	top, _, _ := strings.Cut(clean, "/")
	return !path.IsAbs(name) && top != ".." && clean != "." && !strings.EqualFold(top, ".git") &&
		!strings.ContainsAny(name, "\x00\\\n") && !strings.Contains(name, "/../")
}

var branchName = regexp.MustCompile(`^[^-/.\s~^:?*\[\\][^\s~^:?*\[\\]*$`)

func (r *reader) branch(n ast.Node) string {
	name := r.text(n, "the name of a branch")
	if name != "" && (!branchName.MatchString(name) || strings.Contains(name, "..") || strings.Contains(name, "@{")) {
		r.mistake(n, "%q is no branch; allowed: the name of a local branch, such as main", name)
		return ""
	}
	return name
}

// longest is the longest time limit: beyond it, it is a slip of the pen.
const longest = 7 * 24 * time.Hour

// seconds reads a duration of least or longer.
func (r *reader) seconds(n ast.Node, least work.Seconds) work.Seconds {
	text, _ := scalar(n)
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		value = d.Seconds()
	}
	if err != nil || !(value >= float64(least) && value <= longest.Seconds()) {
		r.mistake(n, "%s is no time limit; allowed: seconds from %g to %g, or such as 90s, 30m, 2h", shown(n), least, longest.Seconds())
		return least
	}
	return work.Seconds(value)
}
