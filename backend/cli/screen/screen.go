// Package screen draws what people see of Offrun in a terminal, and what of it
// goes into a file, a pipe or a document. Its functions are pure: from the nouns
// of package work to text.
//
// What agents and repositories say is cleaned on the way: no escape sequence of
// theirs reaches a terminal, but for the colours that an Ink lets through.
package screen

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"offrun/backend/agent"
)

// An Output says what a place that text goes to can show. The zero value is a
// file or a pipe: plain text of any width.
type Output struct {
	Terminal bool
	Colour   bool
	Width    int // columns; 0 is any number
	Height   int // lines; 0 is any number
}

// Of looks at where w goes. A terminal may be told by getenv to be dumb, or to
// have no colours (TERM=dumb, NO_COLOR); one that does not tell its size has 80
// columns and 24 lines.
func Of(w io.Writer, getenv func(string) string) Output {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Output{}
	}
	dumb := getenv("TERM") == "dumb"
	out := Output{Terminal: !dumb, Colour: !dumb && getenv("NO_COLOR") == "", Width: 80, Height: 24}
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
		out.Width, out.Height = width, height
	}
	return out
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
func (s Output) paint(how, what string) string {
	if !s.Colour || what == "" {
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
	return line + strings.Repeat(" ", max(0, width-Width(line)))
}

// Width returns how many columns of a terminal line takes.
func Width(line string) int { return text.StringWidthWithoutEscSequences(line) }

// Clean makes a text of somebody else fit to show: no terminal escape, no control
// character, no mark that turns the direction of text around it.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\uFFFD'
		}
		return r
	}, agent.Clean(s))
}

// Line is Clean on a single line.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Path is the name of a file as it is, or quoted where it holds anything that
// would not show: a person sees that it is there.
func Path(name string) string {
	if Clean(name) == name && !strings.ContainsAny(name, "\n\t") {
		return name
	}
	return strconv.Quote(name)
}

// firstLine returns the first line of s that has anything on it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return Line(line)
}
