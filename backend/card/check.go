package card

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"offrun/backend/work"
)

// Check returns the doubts about c, in the order of its lines. Paths are looked
// for in the project at root, and never outside of it.
func Check(c work.Card, root string) []work.CardWarning {
	k := checker{d: read(c.Text)}
	k.front()
	k.sections()
	k.acceptance(c)
	k.paths(root)
	for _, number := range k.d.unclosed {
		k.warn(number, "Close it with a line of the same marks.", "this code fence is never closed and is read as text")
	}
	for _, number := range k.d.repeated {
		k.warn(number, "Put both texts under one heading.", "a second heading for the same section; only the first counts")
	}
	slices.SortStableFunc(k.warnings, func(a, b work.CardWarning) int { return a.Line - b.Line })
	return k.warnings
}

type checker struct {
	d        *document
	warnings []work.CardWarning
}

func (k *checker) warn(number int, next, format string, args ...any) {
	k.warnings = append(k.warnings, work.CardWarning{Line: number, Text: fmt.Sprintf(format, args...), Next: next})
}

func (k *checker) front() {
	m, err := readMatter(k.d.front)
	switch {
	case err != nil && m.external:
		k.warn(1, "Write it as YAML, such as external: true.", "the front matter is not understood; the card counts as external")
	case err != nil:
		k.warn(1, "Write it as YAML, such as kind: bug.", "the front matter is not understood")
	case m.odd != "":
		k.warn(1, "Write external: true, or external: false.", "external %q is not understood; the card counts as external", m.odd)
	}
	if err == nil && m.unknown != "" {
		k.warn(1, "Use one of "+strings.Join(kinds, ", ")+".", "kind %q is not known", m.unknown)
	}
}

// sections warns of those that are missing or say nothing.
func (k *checker) sections() {
	if m, _ := readMatter(k.d.front); k.d.of(Title) == "" && m.title == "" {
		k.warn(0, "Begin the card with a line # Task: ….", "no title; the file's name stands for it")
	}
	for _, o := range order {
		p := k.d.part(o.section)
		switch {
		case p == nil:
			k.warn(0, fmt.Sprintf("Add a heading ## %s (%s).", o.en, o.zh), "no section %s", o.en)
		case len(k.d.blocks(o.section)) == 0:
			k.warn(k.d.lines[p.head].number, "Write a sentence or two.", "section %s is empty", o.en)
		}
	}
}

func (k *checker) acceptance(c work.Card) {
	p := k.d.part(Acceptance)
	if p == nil {
		return
	}
	_, doubtful := commands(k.d.blocks(Acceptance))
	for _, number := range doubtful {
		k.warn(number, "Put the command into backticks and begin it with a program's name or ./.",
			"this looks like a command and is not run")
	}
	if len(c.Commands) == 0 && len(doubtful) == 0 {
		k.warn(k.d.lines[p.head].number, "Name a command in backticks, such as `npm test`, or set acceptance in .offrun/project.yaml.",
			"no acceptance command")
	}
}

// paths warns of paths that are not there, and of a scope that names none.
func (k *checker) paths(dir string) {
	scope := paths(items(k.d.blocks(Scope)), true)
	if p := k.d.part(Scope); p != nil && len(scope) == 0 && len(k.d.blocks(Scope)) > 0 {
		k.warn(k.d.lines[p.head].number, "Name a path in each item, such as src/api/.", "no path in the allowed scope; every file may change")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return // what cannot be opened is reported by whoever needs it
	}
	defer root.Close()
	for _, use := range append(scope, paths(items(k.d.blocks(DoNot)), false)...) {
		if _, err := root.Stat(fixed(use.glob)); errors.Is(err, fs.ErrNotExist) {
			k.warn(use.number, "Correct it, unless the work is to make it.", "%s is not there", use.glob)
		}
	}
}

// fixed returns the part of glob before its first wildcard, as a folder or file.
func fixed(glob string) string {
	if i := strings.IndexAny(glob, "*?[{"); i >= 0 {
		glob = glob[:strings.LastIndexByte(glob[:i], '/')+1]
	}
	return path.Clean(glob)
}
