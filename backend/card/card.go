// Package card reads, checks and writes task cards: Markdown files in tasks/
// with a title and six sections, in English or Chinese.
//
// A card is the user's text. Reading never fails on it and understands what it
// can; writing replaces one section and leaves every other byte as it is.
package card

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"offrun/backend/work"
)

// Kinds are the kinds of a card.
var kinds = []string{"bug", "tests", "docs", "refactor", "feature"}

// kindNames are other words for them.
var kindNames = map[string]string{
	"bugfix": "bug", "bug fix": "bug", "fix": "bug", "test": "tests", "doc": "docs", "documentation": "docs",
	"refactoring": "refactor", "feat": "feature",
	"缺陷": "bug", "修复": "bug", "测试": "tests", "文档": "docs", "重构": "refactor", "功能": "feature",
}

// Parse reads text as the card in file, a slash path relative to the project.
// Text of any kind gives a card; what is not understood stays in Text only.
func Parse(file string, text []byte) work.Card {
	d := read(string(text))
	c := work.Card{
		ID:           idOf(file),
		File:         file,
		Title:        d.of(Title),
		Background:   d.of(Background),
		Goal:         d.of(Goal),
		Acceptance:   d.of(Acceptance),
		Scope:        d.of(Scope),
		DoNot:        d.of(DoNot),
		Deliverables: d.of(Deliverables),
		Text:         string(text),
	}
	m, _ := readMatter(d.front)
	c.Kind, c.DependsOn, c.External = m.kind, m.dependsOn, m.external
	if c.Title == "" {
		c.Title = m.title
	}
	c.Commands, _ = commands(d.blocks(Acceptance))
	c.Allowed = globs(paths(items(d.blocks(Scope)), true))
	donts := items(d.blocks(DoNot))
	for _, b := range donts {
		if !b.fenced {
			c.Donts = append(c.Donts, b.text)
		}
	}
	c.Forbidden = globs(paths(donts, false))
	for _, f := range globs(paths(items(d.blocks(Deliverables)), false)) {
		if !strings.HasSuffix(f, "/") && !strings.Contains(f, "*") {
			c.Files = append(c.Files, f)
		}
	}
	return c
}

func globs(uses []pathUse) []string {
	var all []string
	for _, u := range uses {
		all = append(all, u.glob)
	}
	return all
}

// A matter is what the front matter says.
type matter struct {
	title, kind string
	dependsOn   []work.CardID
	external    bool   // also where that is not understood; see isExternal
	odd         string // external as written, if it is neither yes nor no
	unknown     string // the kind as written, if it is none of ours
}

// readMatter reads YAML front matter. Keys of other tools are left to them.
func readMatter(text string) (matter, error) {
	var m matter
	var raw struct {
		Title     string `yaml:"title"`
		Kind      string `yaml:"kind"`
		DependsOn any    `yaml:"depends_on"`
	}
	m.external, m.odd = isExternal(text)
	if err := yaml.Unmarshal([]byte(text), &raw); err != nil {
		return m, err
	}
	m.title = strings.TrimSpace(raw.Title)
	m.setKind(raw.Kind)
	switch on := raw.DependsOn.(type) {
	case string:
		m.dependsOn = append(m.dependsOn, idOf(on))
	case []any:
		for _, one := range on {
			if s, ok := one.(string); ok {
				m.dependsOn = append(m.dependsOn, idOf(s))
			}
		}
	}
	return m, nil
}

// isExternal reports whether front matter says that somebody else has written the
// card. It guards what agents may do, so only a plain no counts as one: any other
// value is a yes, and odd if it is not a plain one; where the YAML cannot be read,
// a line that begins with external is a yes.
func isExternal(text string) (external bool, odd string) {
	var keys map[any]any
	if err := yaml.Unmarshal([]byte(text), &keys); err != nil {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.ToLower(strings.TrimLeft(line, " \t\"'{?")), "external") {
				return true, ""
			}
		}
		return false, ""
	}
	for key, value := range keys {
		if !strings.EqualFold(strings.TrimSpace(fmt.Sprint(key)), "external") || value == nil {
			continue
		}
		switch said := strings.ToLower(strings.TrimSpace(fmt.Sprint(value))); said {
		case "", "false", "no", "off":
		case "true", "yes", "on":
			external = true
		default:
			external, odd = true, said
		}
	}
	return external, odd
}

func (m *matter) setKind(name string) {
	kind := strings.ToLower(strings.TrimSpace(name))
	if other, ok := kindNames[kind]; ok {
		kind = other
	}
	for _, known := range kinds {
		if kind == known {
			m.kind = kind
			return
		}
	}
	m.unknown = name
}
