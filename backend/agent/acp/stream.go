package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"offrun/backend/proc"
)

// maxMessage is the longest message, in bytes, that is read. A longer one is
// passed over, and the conversation says so (F68).
const maxMessage = 32 << 20

// A stream is the connection with the agent: a JSON object a line. What its
// program prints beside the protocol is no reason to part: it goes to stray.
type stream struct {
	to, from *os.File // of the agent: its input and its output
	tail     *proc.Tail
	stray    io.Writer
	tooLong  func(size int64)
}

func newStream(to, from *os.File, stray io.Writer, tooLong func(int64)) *stream {
	return &stream{to: to, from: from, tail: proc.NewTail(from, maxMessage), stray: stray, tooLong: tooLong}
}

// WriteObject writes a message. The connection calls it from one goroutine at a time.
func (s *stream) WriteObject(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.to.Write(append(b, '\n'))
	return err
}

// ReadObject reads the next message into v; the error is io.EOF when none will
// come any more.
func (s *stream) ReadObject(v any) error {
	for line, err := range s.tail.Lines() {
		if err != nil {
			return io.EOF // it was closed at our end
		}
		if s.message(line, v) {
			return nil
		}
	}
	if line, ok := s.tail.Rest(); ok && s.message(line, v) {
		return nil
	}
	return io.EOF
}

// message decodes line into v, or puts it where it belongs if it is no message.
func (s *stream) message(line proc.Line, v any) bool {
	switch {
	case line.Cut:
		s.tooLong(line.Size)
		return false
	case len(line.Bytes) == 0:
		return false
	case line.Bytes[0] == '{' && json.Unmarshal(line.Bytes, v) == nil:
		return true
	}
	fmt.Fprintf(s.stray, "%s\n", line.Bytes)
	return false
}

// Close closes both ends: the agent sees the end of its input.
func (s *stream) Close() error { return errors.Join(s.to.Close(), s.from.Close()) }
