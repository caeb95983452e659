package cli

import (
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"offrun/backend/agent"
)

// A screen says what an output can show. The zero value is a file or a pipe:
// plain text of any width.
type screen struct {
	terminal bool
	colour   bool
	width    int // columns; 0 is any number
	height   int // lines; 0 is any number
}

// screenOf looks at where out goes.
func screenOf(e Env, out io.Writer) screen {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return screen{}
	}
	dumb := e.Getenv("TERM") == "dumb"
	s := screen{terminal: !dumb, colour: !dumb && e.Getenv("NO_COLOR") == ""}
	s.width, s.height = size(f)
	return s
}

// size returns the columns and lines of a terminal; 80 by 24 if it does not tell.
func size(f *os.File) (width, height int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil || w <= 0 || h <= 0 {
		return 80, 24
	}
	return w, h
}

// canAsk reports whether a person is there to answer a question.
func (a *app) canAsk() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && a.out.terminal && !a.json
}

// The ways in which a screen with colours sets text apart.
const (
	bold   = "1"
	faint  = "2"
	struck = "9"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

// paint sets s apart if the screen has colours.
func (s screen) paint(how, what string) string {
	if !s.colour || what == "" {
		return what
	}
	return "\x1b[" + how + "m" + what + "\x1b[0m"
}

// fit cuts a line to width columns; what was cut is marked. 0 is any width.
func fit(line string, width int) string {
	if width <= 0 {
		return line
	}
	return text.Snip(line, width, "…")
}

// pad fills a line with spaces up to width columns.
func pad(line string, width int) string {
	return line + strings.Repeat(" ", max(0, width-columnsOf(line)))
}

// columnsOf returns how many columns of a terminal line takes.
func columnsOf(line string) int { return text.StringWidthWithoutEscSequences(line) }

// shown makes a text of somebody else fit to show: no terminal escape, no control
// character, no mark that turns the direction of text around it.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\uFFFD'
		}
		return r
	}, agent.Clean(s))
}

// oneLine is shown on a single line.
func oneLine(s string) string { return strings.Join(strings.Fields(shown(s)), " ") }

// firstLine returns the first line of s that has anything on it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return oneLine(line)
}
