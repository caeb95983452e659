package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// A Line is one line of a program's output, of any length.
type Line struct {
	Offset int64  // of its first byte, from where reading began
	Size   int64  // of the whole line with its line end, so that Offset+Size is where the next one begins
	Bytes  []byte // without line end, at most the reader's maximum; valid until the next line is read
	Cut    bool   // Bytes is only the head of the line
}

// A Tail reads the lines of output that is still growing. There is no limit to
// the length of a line, and memory is bounded all the same: of a line longer than
// max only the head is kept, and the next line still counts (fault F68).
type Tail struct {
	r      *bufio.Reader
	max    int
	offset int64  // of the line being read
	size   int64  // of what has been read of that line
	head   []byte // the beginning of it, with room for a line end beyond max
}

// NewTail returns a Tail that keeps at most max bytes of a line.
func NewTail(r io.Reader, max int) *Tail {
	return &Tail{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// Lines yields the lines that are there. One whose line end has not come yet is
// not yielded: call Lines again when r has grown, or Rest when it will not grow
// any more. An error of r, other than its end, comes last and with no line.
func (t *Tail) Lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for {
			part, err := t.r.ReadSlice('\n')
			if err == nil {
				if !yield(t.line(part), nil) {
					return
				}
				continue
			}
			t.add(part)
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case !errors.Is(err, io.EOF):
				yield(Line{}, err)
			}
			return
		}
	}
}

// Rest returns what stands after the last line end, if anything does.
func (t *Tail) Rest() (Line, bool) {
	if t.size == 0 {
		return Line{}, false
	}
	return t.line(nil), true
}

func (t *Tail) add(part []byte) {
	t.size += int64(len(part))
	room := t.max + len("\r\n") - len(t.head)
	t.head = append(t.head, part[:min(room, len(part))]...)
}

// line returns the line whose last piece is end. One that lies whole in the
// reader's buffer is not copied.
func (t *Tail) line(end []byte) Line {
	read := end
	if t.size == 0 {
		t.size = int64(len(end))
	} else {
		t.add(end)
		read = t.head
	}
	l := Line{Offset: t.offset, Size: t.size, Bytes: read, Cut: int64(len(read)) < t.size}
	if !l.Cut {
		l.Bytes = bytes.TrimSuffix(bytes.TrimSuffix(read, []byte("\n")), []byte("\r"))
	}
	if len(l.Bytes) > t.max {
		l.Bytes, l.Cut = l.Bytes[:t.max], true
	}
	t.offset, t.size, t.head = t.offset+t.size, 0, t.head[:0]
	return l
}

// Lines yields the whole lines of r, as NewTail(r, max).Lines does.
func Lines(r io.Reader, max int) iter.Seq2[Line, error] {
	return NewTail(r, max).Lines()
}

// FinalLines yields all lines of r, also a last one without a line end.
func FinalLines(r io.Reader, max int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		t := NewTail(r, max)
		for line, err := range t.Lines() {
			if !yield(line, err) || err != nil {
				return
			}
		}
		if line, ok := t.Rest(); ok {
			yield(line, nil)
		}
	}
}
