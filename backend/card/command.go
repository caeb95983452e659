package card

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// programs are the first words by which a command is told from prose.
var programs = words(`
	ant bash bats bazel biome black bun bundle cabal cargo cmake composer ctest dart deno docker dotnet elixir eslint
	flake8 flutter git gleam go gofmt golangci-lint gotestsum gradle grep helm hatch jest julia just karma ktlint lein lua
	luacheck make markdownlint meson mix mocha mvn mypy ninja nix node nosetests nox npm npx nx opam pdm perl php phpstan
	phpunit pipenv playwright pnpm poetry pre-commit prettier prove psql pylint pyright pytest python rails rake rspec
	rubocop ruby ruff rustc sbt scons sh shellcheck sqlite3 stack staticcheck stylelint svelte-check swift swiftlint task
	terraform tox tsc tsx turbo uv uvx vitest vue-tsc xcodebuild yarn zig zsh`)

// outcomes are words that say how a command shall end, and so end it: "npm test
// passes". fillers never stand in a command: text with one of them is prose,
// "make sure the login works".
var (
	outcomes = words(`
		pass passes passed passing succeed succeeds is are must should shall exit exits return returns works runs
		finishes completes stays remains reports prints shows without`)
	fillers = words(`a an the that this these those sure through to for of with when if it no not any every there be so and`)
)

func words(list string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		m[word] = true
	}
	return m
}

// commands returns the acceptance commands of blocks in their order, each once:
// fences of shell code, inline code that is a command, and items that begin with
// one. The doubtful lines look like commands and were not understood.
func commands(blocks []block) (found []string, doubtful []int) {
	for i, b := range blocks {
		var here []string
		doubt := 0
		if b.fenced {
			here, doubt = fencedCommands(b)
			if i > 0 && showsOutput(blocks[i-1].text) {
				doubt = 0
			}
		} else {
			var sure bool
			if spans := codeSpans(b.text); len(spans) > 0 {
				here, sure = inlineCommands(b.text, spans)
			} else {
				here, sure = bareCommand(b.text)
			}
			if !sure {
				doubt = b.number
			}
		}
		if doubt > 0 {
			doubtful = append(doubtful, doubt)
		}
		for _, command := range here {
			if !slices.Contains(found, command) {
				found = append(found, command)
			}
		}
	}
	return found, doubtful
}

var (
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	passing    = regexp.MustCompile(`(?i)^\s*(all\s+|must\s+|should\s+)*(pass|passes|succeeds?|exits? (with )?0|is green|全部通过|全部成功|都?通过|成功)\s*[.。;；]?$`)
)

// isCommand reports whether code begins as a command does: with a known program
// or the path of a script, after variables if there are any. A program's mere
// name is no command: "`node` is not needed".
func isCommand(code string) bool {
	fields := strings.Fields(code)
	for len(fields) > 0 && assignment.MatchString(fields[0]) {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return false
	}
	first, more := fields[0], len(fields) > 1
	switch ext := path.Ext(first); {
	case strings.HasSuffix(first, "/"):
		return false
	case strings.HasPrefix(first, "./"):
		return more || ext == "" || ext == ".sh"
	case strings.Contains("/"+first, "bin/"):
		return more || ext == ""
	case ext == ".sh":
		return strings.Contains(first, "/")
	}
	return more && programs[strings.TrimRight(first, "0123456789.")]
}

// inlineCommands returns the commands among the code spans of text. What stands
// alone, or alone with "passes" behind it, is meant as a command, and so is what
// shall be run; sure is false if it was not understood as one.
func inlineCommands(text string, spans []codeSpan) (found []string, sure bool) {
	prose, end := "", 0 // what is around the spans
	sure, run := true, false
	for _, s := range spans {
		code := strings.TrimPrefix(s.code, "$ ")
		before, after := strings.TrimSpace(text[:s.start]), strings.TrimSpace(text[s.end:])
		alone := before == "" && after == ""
		run = isCalled(text[:s.start]) || run && betweenCommands.MatchString(text[end:s.start])
		switch passes := before == "" && passing.MatchString(after); {
		case isCommand(code), (alone || passes) && programs[code], passes && !strings.ContainsAny(code, "(){}"):
			found, run = append(found, code), true
		case alone && strings.Contains(code, " ") && !isExpression(code):
			sure = false
		case isTyped(code) && (run || endsWell(after) || before == "" && hasFlag(code)):
			sure = false
		}
		prose, end = prose+text[end:s.start]+"`", s.end
	}
	return found, sure && !namesScript(prose+text[end:])
}

// bareCommand returns the command that text begins with: its ASCII run up to a
// word that says how it shall end.
func bareCommand(text string) (found []string, sure bool) {
	text, prompted := strings.CutPrefix(text, "$ ")
	run := text
	if i := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
		run = text[:i]
		if run != "" && strings.Contains(`/'"=-`, run[len(run)-1:]) && isCommand(run) {
			return nil, false // the argument itself goes on: ./文档
		}
	}
	fields, balanced := shellWords(run)
	if len(fields) == 0 || !isCommand(run) && !programs[strings.Trim(run, " .,;:")] {
		return nil, !prompted && !namesScript(text) && !namesProgram(text)
	}
	if i := slices.IndexFunc(fields[1:], func(w string) bool { return outcomes[strings.Trim(w, ".,;:")] }); i >= 0 {
		fields = fields[:i+1]
	}
	if !balanced || slices.ContainsFunc(fields, func(w string) bool { return fillers[w] }) || isProse(fields) {
		return nil, false
	}
	last := &fields[len(fields)-1]
	*last = strings.TrimRight(*last, ",;:")
	if trimmed := strings.TrimSuffix(*last, "."); trimmed != "" && !strings.ContainsAny(trimmed[len(trimmed)-1:], "./") {
		*last = trimmed
	}
	return []string{strings.Join(fields, " ")}, true
}

// isProse reports whether text speaks of a script rather than runs it: a path
// without ./ that words follow, "tests/slug.sh has one case more". Arguments of
// a script are told by having a sign that a word has not.
func isProse(fields []string) bool {
	first := fields[0]
	if strings.HasPrefix(first, "./") || strings.HasPrefix(first, "/") || programs[first] || !strings.Contains(first, "/") {
		return false
	}
	return slices.ContainsFunc(fields[1:], func(w string) bool { return proseWord.MatchString(w) })
}

var proseWord = regexp.MustCompile(`^[A-Za-z]+[,.;:]?$`)

// shellWords splits s at spaces outside of quotes, and leaves the quotes in.
func shellWords(s string) (fields []string, balanced bool) {
	var quote byte
	start := -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t' || c == '\n':
			if start >= 0 {
				fields, start = append(fields, s[start:i]), -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		fields = append(fields, s[start:])
	}
	return fields, quote == 0
}

var (
	shells = words(`sh bash zsh shell`)
	// dependent lines change what the lines after them mean.
	dependent = regexp.MustCompile(`^(if|for|while|until|case|function|cd|export|set|source|trap|\.|\{|\()(\s|$)|<<|(&&|\|\||\|)$|^[A-Za-z_][A-Za-z0-9_]*=\S*$`)
)

// fencedCommands returns the commands of a fence. Shell code is one command a
// line, or one script that stops at its first failure where a line depends on
// those before it. In other fences, lines count that have a prompt, and those
// without a language may name known programs; doubt is the number of the first
// line if that looks like a command and is not known, or 0.
func fencedCommands(b block) (found []string, doubt int) {
	info, _, _ := strings.Cut(strings.ToLower(b.info), " ")
	shell, session := shells[info], info == "console" || info == "shell-session"
	if info != "" && !shell && !session {
		return nil, 0
	}
	script := strings.ReplaceAll(b.text, "\\\n", " ")
	prompts := strings.HasPrefix(script, "$ ") || strings.Contains(script, "\n$ ")
	number, begun := b.number, prompts
	for text := range strings.Lines(script) {
		number++
		text = strings.TrimSpace(text)
		command, prompted := strings.CutPrefix(text, "$ ")
		switch known := isCommand(text) || programs[text]; {
		case text == "" || strings.HasPrefix(text, "#"):
			continue
		case shell && !prompts && dependent.MatchString(text):
			return []string{"set -e\n" + strings.TrimSpace(b.text)}, 0
		case prompted, !prompts && (shell || known && !session):
			found = append(found, command)
		case !begun && (known || isTypedLine(text)):
			doubt = number
		}
		begun = true
	}
	return found, doubt
}
