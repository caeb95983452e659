package screen

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// An Ink passes text on and nothing of what programs can do to a terminal
// with it, but colours: of all escape sequences, SGR alone. Pieces may be cut
// anywhere.
type Ink struct {
	to    io.Writer
	state func(*Ink, rune) // nil is plain text
	seq   []rune           // the parameters of the CSI sequence that has begun
	alien bool             // it is too long, or not SGR whatever comes
	rest  []byte           // the beginning of a character
	out   bytes.Buffer
}

// NewInk returns an Ink that writes to to.
func NewInk(to io.Writer) *Ink { return &Ink{to: to} }

// maxSequence is longer than any colour that a program sets.
const maxSequence = 64

func (f *Ink) Write(p []byte) (int, error) {
	in := append(f.rest, p...)
	for len(in) > 0 {
		if !utf8.FullRune(in) {
			break
		}
		r, n := utf8.DecodeRune(in)
		in = in[n:]
		if f.state == nil {
			f.plain(r)
		} else {
			f.state(f, r)
		}
	}
	f.rest = bytes.Clone(in)
	_, err := f.to.Write(f.out.Bytes())
	f.out.Reset()
	return len(p), err
}

func (f *Ink) plain(r rune) {
	switch {
	case r == 0x1b:
		f.state = (*Ink).escape
	case r == '\n', r == '\t', r >= ' ' && r < 0x7f, r >= 0xa0:
		f.out.WriteRune(r)
	}
}

func (f *Ink) escape(r rune) {
	switch {
	case r == '[':
		f.state, f.seq, f.alien = (*Ink).csi, f.seq[:0], false
	case r == ']', r == 'P', r == 'X', r == '^', r == '_':
		f.state = (*Ink).text
	case r >= ' ' && r <= '/', r == 0x1b: // more of the same sequence; begun anew
	default:
		f.state = nil
		if r < ' ' || r > '~' {
			f.plain(r)
		}
	}
}

// csi collects parameters until the byte that says what the sequence is.
func (f *Ink) csi(r rune) {
	switch {
	case r >= '0' && r <= ';':
		f.seq = append(f.seq, r)
		f.alien = f.alien || len(f.seq) > maxSequence
	case r >= ' ' && r <= '?':
		f.alien = true
	default:
		f.state = nil
		if r == 'm' && !f.alien {
			f.out.WriteString("\x1b[" + string(f.seq) + "m")
		} else if r < ' ' || r > '~' {
			f.plain(r)
		}
	}
	if f.alien {
		f.seq = f.seq[:0]
	}
}

// text skips a string meant for the terminal itself: a title, a link, a clipboard.
func (f *Ink) text(r rune) {
	switch r {
	case 0x07, 0x18, 0x1a, 0x9c, '\n':
		f.state = nil
		if r == '\n' {
			f.plain(r)
		}
	case 0x1b:
		f.state = (*Ink).escape // the end is ESC \, and anything else begins anew
	}
}
