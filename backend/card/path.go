package card

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pathUse is a glob that a card names, and the line where it does.
type pathUse struct {
	glob   string
	number int
}

var (
	asciiPath = regexp.MustCompile(`[A-Za-z0-9_.*@{\[][A-Za-z0-9_.*@{}\[\]?!,+/-]*`)
	extension = regexp.MustCompile(`^\.[A-Za-z][A-Za-z0-9]{0,9}$`)
	version   = regexp.MustCompile(`^v?[0-9.]+$`)
)

// paths returns the globs that blocks name, each once. In a list of paths, as
// the Scope section is, a lone word is a path too: "Makefile".
func paths(blocks []block, list bool) []pathUse {
	var found []pathUse
	add := func(b block, names ...string) {
		for _, name := range names {
			glob := cleanPath(name)
			if glob != "" && !slices.ContainsFunc(found, func(u pathUse) bool { return u.glob == glob }) {
				found = append(found, pathUse{glob, b.number})
			}
		}
	}
	for _, b := range blocks {
		switch spans := codeSpans(b.text); {
		case b.fenced && list:
			add(b, strings.Split(b.text, "\n")...)
		case b.fenced:
		case len(spans) > 0:
			for _, s := range spans {
				if isPath(s.code) || list && (s.start == 0 || strings.Contains(s.code, "/")) {
					add(b, s.code)
				}
			}
		default:
			add(b, prosePaths(b.text, list)...)
		}
	}
	return found
}

// prosePaths finds the paths in text without backticks. Chinese prose touches
// them without a space, so a path there is a run of ASCII; a text that is one
// word from an ASCII letter to an extension is taken whole: src/文档/a.md.
func prosePaths(text string, list bool) []string {
	text = strings.TrimSpace(strings.TrimRight(text, " \t.,;，。；"))
	word := !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`，。；：、（）()"'“”`, r)
	})
	if text == "" {
		return nil
	}
	ascii := text[0] <= unicode.MaxASCII
	if word && (list && isASCII(text) || ascii && strings.Contains(text, "/") && extension.MatchString(path.Ext(text))) {
		return []string{text}
	}
	var found []string
	for _, at := range asciiPath.FindAllStringIndex(text, -1) {
		run := strings.TrimRight(text[at[0]:at[1]], ".,!?")
		first := list && at[0] == 0 && strings.Contains(run, "/")
		if (first || isPath(run)) && !goesOn(text[:at[0]], run) {
			found = append(found, run)
		}
	}
	if found == nil && word && (isPath(text) || strings.HasSuffix(text, "/")) {
		return []string{text} // 文档/说明.md
	}
	return found
}

// goesOn reports whether run is the rest of a longer word: of a URL, or of a path
// whose folder has a Chinese name.
func goesOn(before, run string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return last == '/' || before != "" && last > unicode.MaxASCII && run[0] == '.'
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// isPath reports whether s, a word in a sentence, is a path rather than a name:
// a folder with its slash, a wildcard, or a file with an extension. "and/or",
// "e.g." and "1.2" are none.
func isPath(s string) bool {
	if strings.ContainsAny(s, " \t()<>=\"';:$|&`") || strings.Trim(s, "./*") == "" && !strings.Contains(s, "*") {
		return false
	}
	base, ext := path.Base(s), path.Ext(s)
	stem := strings.TrimSuffix(base, ext)
	switch {
	case strings.HasSuffix(s, "/"), strings.Contains(s, "*") && strings.ContainsAny(s, "/."):
		return true
	case version.MatchString(base), !extension.MatchString(ext):
		return false
	}
	return len(stem) > 1 || stem == "" && len(ext) > 2 || strings.Contains(s, "/")
}

// cleanPath returns name as a glob relative to the project, or "" if it is none.
// A folder keeps its slash.
func cleanPath(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "./")
	name = strings.TrimLeft(name, "/")
	if name == "" || name == "." || strings.ContainsAny(name, "\x00\n\\ \t") || len(name) > 4096 {
		return ""
	}
	folder := strings.HasSuffix(name, "/")
	clean := path.Clean(name)
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return ""
	}
	if folder {
		clean += "/"
	}
	return clean
}
