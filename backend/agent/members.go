package agent

import "bytes"

// Members calls each with the members of the JSON object raw, in order: the key as
// it is written, without its quotes, and the bytes of the value. It looks only for
// where things end and decodes nothing, which is several times as fast as
// encoding/json where most of a line is not wanted; what is wanted the caller
// decodes.
//
// It reports whether raw is one whole object, as far as quotes and brackets tell.
// If not, each may have been called all the same.
func Members(raw []byte, each func(key, value []byte)) bool {
	s := scan{rest: raw}
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return s.end()
	}
	for {
		key, ok := s.value()
		if !ok || key[0] != '"' || !s.take(':') {
			return false
		}
		value, ok := s.value()
		if !ok {
			return false
		}
		each(key[1:len(key)-1], value)
		if !s.take(',') {
			return s.take('}') && s.end()
		}
	}
}

// A scan is on its way through a JSON text.
type scan struct{ rest []byte }

// end reports whether nothing but white space is left.
func (s *scan) end() bool {
	s.space()
	return len(s.rest) == 0
}

func (s *scan) space() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\n' || s.rest[0] == '\r') {
		s.rest = s.rest[1:]
	}
}

// take passes over c, and white space before it.
func (s *scan) take(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// value passes over the next value and returns it. It is not empty if ok.
func (s *scan) value() (value []byte, ok bool) {
	s.space()
	n := valueSize(s.rest)
	if n <= 0 {
		return nil, false
	}
	value, s.rest = s.rest[:n], s.rest[n:]
	return value, true
}

// valueSize returns how many bytes long the value is that b begins with, or -1 if it
// does not end.
func valueSize(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	switch b[0] {
	case '"':
		return stringSize(b)
	case '{', '[':
		return nestedSize(b)
	}
	if n := bytes.IndexAny(b, ",]} \t\r\n"); n >= 0 {
		return n
	}
	return -1 // a member is followed by something
}

// stringSize is valueSize of a string: up to the first quote behind an even number of
// backslashes.
func stringSize(b []byte) int {
	for n := 1; ; n++ {
		quote := bytes.IndexByte(b[n:], '"')
		if quote < 0 {
			return -1
		}
		n += quote
		slashes := 0
		for b[n-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return n + 1
		}
	}
}

// nestedSize is valueSize of an object or array.
func nestedSize(b []byte) int {
	depth := 0
	for n := 0; n < len(b); n++ {
		switch b[n] {
		case '"':
			length := stringSize(b[n:])
			if length < 0 {
				return -1
			}
			n += length - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return n + 1
			}
		}
	}
	return -1
}
