package artifact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"offrun/backend/redact"
	"offrun/backend/work"
)

// Entries calls add with each entry of a conversation. A line that is none, such
// as the half of one at the end of a file that is being written, is passed over.
func Entries(r io.Reader, add func(work.Entry)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		var e work.Entry
		if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &e) == nil {
			add(e)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read conversation: %w", err)
		}
	}
}

// maxAction is how many bytes of one line Action returns.
const maxAction = 100

// Action returns what e says the agent is doing, as one short line, or "" if it
// says nothing of that kind. Secrets are taken out before it is made short: half of
// one is hard to know.
func Action(e work.Entry, r *redact.Redactor) string {
	switch e.Kind {
	case work.Said:
		return shorten(r.Text(firstLine(e.Text)), maxAction)
	case work.Did:
		if e.Tool == "" {
			return "" // the result of a call that was told already
		}
		what := e.Path
		if what == "" {
			what = firstLine(e.Text)
		}
		return shorten(r.Text(strings.TrimSpace(e.Tool+" "+what)), maxAction)
	case work.Asked:
		return shorten("asks: "+r.Text(firstLine(e.Text)), maxAction)
	case work.Retried:
		return shorten("waits and tries again: "+r.Text(firstLine(e.Text)), maxAction)
	}
	return ""
}

// Transcript returns the conversation in the file at path as text for an agent
// that was not there, secrets taken out by r: what the user told, what the agent said
// and did. It is at most size bytes long; of a longer one the end is returned. A
// file that is not there is an empty conversation.
func Transcript(path string, size int, r *redact.Redactor) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	var parts []string
	total := 0
	err = Entries(f, func(e work.Entry) {
		if text := spoken(e, r); text != "" {
			parts = append(parts, text)
			total += len(text)
		}
		for total > size && len(parts) > 1 { // whole entries, from the oldest on
			total -= len(parts[0])
			parts = parts[1:]
		}
	})
	text := r.Text(strings.Join(parts, ""))
	if len(text) > size {
		text = text[len(text)-size:]
		for text != "" && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return text, err
}

// spoken returns e as a line of a transcript, or "" if it is not for reading.
func spoken(e work.Entry, r *redact.Redactor) string {
	text := strings.TrimSpace(e.Text)
	switch {
	case e.Kind == work.Told:
		return "User: " + text + "\n"
	case e.Kind == work.Said && text != "":
		return "Agent: " + text + "\n"
	case e.Kind == work.Did && e.Tool != "":
		return "(" + Action(e, r) + ")\n"
	case e.Kind == work.Asked:
		return "Agent asked: " + text + "\n"
	}
	return ""
}

// firstLine returns the first line of text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// shorten cuts text to size bytes, where a character ends.
func shorten(text string, size int) string {
	const mark = "…"
	if len(text) <= size {
		return text
	}
	end := size - len(mark)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
