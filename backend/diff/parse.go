package diff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Parse reads a whole patch; see Each. It returns files or an error, never both.
func Parse(r io.Reader) ([]File, error) {
	var files []File
	for f, err := range Each(r) {
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Each reads the files of a patch one after the other, and holds no more than
// one in memory. Binary content is passed over without being decoded. An empty
// patch has no files.
//
// The patch must be one that git wrote, with a/ and b/ before the paths. What
// was cut off, shortened by an editor, or is a combined diff, ends with an
// error: every line has to belong to something.
func Each(r io.Reader) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		s := sections{r: bufio.NewReaderSize(r, 64<<10)}
		for {
			first := s.line
			sec, err := s.next()
			if errors.Is(err, io.EOF) {
				return
			}
			var f File
			if err == nil {
				f, err = sec.file()
			}
			if err != nil {
				yield(File{}, fmt.Errorf("read patch: file at line %d: %w", first+1, err))
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// sections splits a patch where a line begins with "diff --". Nothing else in a
// patch can begin so: content is indented by its sign, and binary data holds no
// space.
type sections struct {
	r    *bufio.Reader
	line int // lines read so far
}

// A section is the part of a patch that belongs to one file.
type section struct {
	text   []byte // up to the binary data, if there is any
	lines  int    // in text
	head   int    // lines in text before the first hunk
	binary bool
}

const (
	headerStart = "diff --"
	gitHeader   = "diff --git "
)

var (
	hunkStart   = []byte("@@ -")
	binaryStart = []byte("GIT binary patch")
)

// next returns the next section, or io.EOF.
func (s *sections) next() (*section, error) {
	if head, err := s.r.Peek(len(gitHeader)); string(head) != gitHeader {
		if len(head) == 0 {
			return nil, err
		}
		return nil, fmt.Errorf("not a git patch: it begins with %q", head)
	}
	sec := &section{}
	for {
		start := len(sec.text)
		err := s.readLine(&sec.text)
		if errors.Is(err, io.EOF) {
			return sec, nil
		}
		if err != nil {
			return nil, err
		}
		s.line++
		sec.add(start)
		if head, _ := s.r.Peek(len(headerStart)); string(head) == headerStart {
			return sec, nil
		}
	}
}

// readLine appends the next line with its newline to text, or returns io.EOF.
// The last line of a patch that was cut off may have none.
func (s *sections) readLine(text *[]byte) error {
	before := len(*text)
	for {
		part, err := s.r.ReadSlice('\n')
		*text = append(*text, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(*text) > before:
			return nil
		default:
			return err
		}
	}
}

// add counts the line that begins at text[start:], or takes it away again if it
// is binary data.
func (s *section) add(start int) {
	line := s.text[start:]
	inHunks := s.head < s.lines || bytes.HasPrefix(line, hunkStart)
	if !inHunks && bytes.HasPrefix(line, binaryStart) {
		s.binary = true
	}
	if s.binary {
		s.text = s.text[:start]
		return
	}
	s.lines++
	if !inHunks {
		s.head++
	}
}

// file reads the section. gitdiff itself forgives what follows the last hunk,
// and a last line without its newline; here that is an error, since such a patch
// does not apply or, worse, applies to something else.
func (s *section) file() (File, error) {
	parsed, preamble, err := gitdiff.Parse(bytes.NewReader(s.text))
	if err != nil {
		return File{}, err
	}
	if len(parsed) != 1 || preamble != "" {
		return File{}, fmt.Errorf("%d files under one header", len(parsed))
	}
	f := fileOf(parsed[0])
	f.Binary = f.Binary || s.binary
	used := s.head
	for i, from := range parsed[0].TextFragments {
		h, err := hunkOf(from)
		if err != nil {
			return File{}, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		f.Hunks = append(f.Hunks, h)
		used += 1 + len(h.Lines)
		for _, l := range h.Lines {
			if l.NoEOL {
				used++ // "\ No newline at end of file"
			}
		}
	}
	switch {
	case s.text[len(s.text)-1] != '\n':
		return File{}, errors.New("cut off: its last line has no newline")
	case used != s.lines:
		return File{}, fmt.Errorf("%d lines do not belong to any hunk", s.lines-used)
	case f.Status == "changed" && f.Old != f.New && !f.Binary && f.Hunks == nil:
		return File{}, errors.New("cut off: its content changed, but no hunk says how")
	}
	return f, nil
}

func fileOf(p *gitdiff.File) File {
	f := File{
		Path:    p.NewName,
		Status:  "changed",
		OldMode: mode(p.OldMode),
		NewMode: mode(p.NewMode),
		Old:     p.OldOIDPrefix,
		New:     p.NewOIDPrefix,
		Binary:  p.IsBinary,
	}
	switch {
	case p.IsNew:
		f.Status = "added"
		return f
	case p.IsDelete:
		f.Status, f.Path = "deleted", p.OldName
		return f
	case p.IsRename:
		f.Status, f.From = "renamed", p.OldName
	case p.IsCopy:
		f.Status, f.From = "copied", p.OldName
	}
	if f.NewMode == "" {
		f.NewMode = f.OldMode
	}
	return f
}

// mode writes what gitdiff keeps of a mode, which is git's number and not Go's
// bits, as git writes it.
func mode(m fs.FileMode) string {
	if m == 0 {
		return ""
	}
	return fmt.Sprintf("%06o", uint32(m))
}

func hunkOf(p *gitdiff.TextFragment) (Hunk, error) {
	if p.OldPosition < 0 || p.NewPosition < 0 {
		return Hunk{}, errors.New("a line number below zero")
	}
	h := Hunk{
		OldStart: int(p.OldPosition), OldLines: int(p.OldLines),
		NewStart: int(p.NewPosition), NewLines: int(p.NewLines),
		Section: p.Comment,
		Lines:   make([]Line, 0, len(p.Lines)),
	}
	before, after := h.OldStart, h.NewStart
	for _, from := range p.Lines {
		l := Line{Op: Context, Text: from.Line, NoEOL: from.NoEOL()}
		if !l.NoEOL {
			l.Text = from.Line[:len(from.Line)-1]
		}
		switch from.Op {
		case gitdiff.OpDelete:
			l.Op = Deleted
		case gitdiff.OpAdd:
			l.Op = Added
		}
		if l.Op != Added {
			l.Old = before
			before++
		}
		if l.Op != Deleted {
			l.New = after
			after++
		}
		h.Lines = append(h.Lines, l)
	}
	return h, nil
}
