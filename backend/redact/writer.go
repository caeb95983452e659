package redact

import "io"

// Writer returns a writer that passes text on to w without its secrets. Each Write
// must be whole lines, as those of a logger are. The redactor is asked for anew
// each time, since more secrets become known.
func Writer(w io.Writer, redactor func() *Redactor) io.Writer {
	return writer{w, redactor}
}

type writer struct {
	to       io.Writer
	redactor func() *Redactor
}

func (w writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.redactor().Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
