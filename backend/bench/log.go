package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/redact"
	"offrun/backend/work"
)

// LogQuery says which output to read, and from where.
type LogQuery struct {
	File string // conversation, out, err, setup, tests; "" is conversation
	Turn int    // 0 is the newest
	From int64  // byte
}

// logFiles are the files that LogQuery.File names. The one of the setup lies in the
// attempt's folder, the others in those of its turns.
var logFiles = map[string]string{
	"": artifact.Conversation, "conversation": artifact.Conversation,
	"out": artifact.Log, "err": artifact.ErrLog, "setup": artifact.SetupLog, "tests": artifact.Tests,
}

// check says what is wrong with q. The REST server looks at it before; who reads
// without a running bench has only this.
func (q LogQuery) check() error {
	switch {
	case logFiles[q.File] == "":
		return work.Errorf(work.Invalid, "there is no output %q", q.File).Do("Choose one of: conversation, out, err, setup, tests.")
	case q.Turn < 0:
		return work.Errorf(work.Invalid, "there is no turn %d", q.Turn).Do("Turns count from 1; 0 is the newest.")
	case q.From < 0:
		return work.Errorf(work.Invalid, "there is no byte %d", q.From).Do("Bytes count from 0.")
	}
	return nil
}

// pageSize is the most of an output that one answer carries.
const pageSize = 256 << 10

// ReadLog reads a piece of an attempt's output.
func (b *Bench) ReadLog(ctx context.Context, id work.RunID, name work.AttemptName, q LogQuery) (work.LogPage, error) {
	if err := q.check(); err != nil {
		return work.LogPage{}, err
	}
	run, err := b.findRun(ctx, id)
	if err != nil {
		return work.LogPage{}, err
	}
	root, err := b.root(ctx, run.Project)
	if err != nil {
		return work.LogPage{}, err
	}
	a := run.Attempt(name)
	if a == nil {
		_, _, _, err := b.find(ctx, id, name)
		return work.LogPage{}, err
	}
	if q.Turn == 0 {
		q.Turn = len(a.Turns)
	}
	if q.Turn > len(a.Turns) {
		return work.LogPage{}, work.Errorf(work.NotFound, "attempt %s of run %s has %s", name, run.ID, english.Plural(len(a.Turns), "turn", ""))
	}
	file, dir := logFiles[q.File], archive.Turn(archive.Attempt(root, run.ID, name), q.Turn)
	if file == artifact.SetupLog {
		dir = filepath.Dir(filepath.Dir(dir))
	}
	page := work.LogPage{From: q.From, To: q.From, Turn: q.Turn, Data: []byte{}}
	page.Ended = q.Turn < len(a.Turns) || a.Turns[q.Turn-1].EndedAt != nil || !a.Unfinished()
	raw, more, err := readPiece(filepath.Join(dir, file), q.From, page.Ended)
	if err != nil {
		return page, err
	}
	page.To += int64(len(raw))
	page.Ended = page.Ended && !more
	page.Data, err = b.withoutSecrets(filepath.Join(dir, file), q.From, raw)
	return page, err
}

// readPiece reads whole lines, so that no secret is cut in two and slips through
// in halves: up to pageSize, or one line that is longer than that piece by piece.
// ended says that the file grows no more, so that its last line counts without
// its line end. more says that there is something behind the piece.
func readPiece(path string, from int64, ended bool) (piece []byte, more bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil // not written yet, or never
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	piece, err = io.ReadAll(io.NewSectionReader(f, from, pageSize))
	if err != nil {
		return nil, false, err
	}
	more = len(piece) == pageSize
	if end := bytes.LastIndexByte(piece, '\n') + 1; end > 0 && (more || !ended) {
		return piece[:end], more, nil
	} else if end == 0 && !more && !ended {
		return nil, false, nil // half a line: its other half comes
	}
	return piece, more, nil
}

// withoutSecrets returns piece, which stands at from in the file at path, as it may
// be shown (R9). It looks around the piece, since a secret may begin before it or
// end behind it: a key has many lines, and a long line is read in pieces. The file
// stays as it is.
func (b *Bench) withoutSecrets(path string, from int64, piece []byte) ([]byte, error) {
	if len(piece) == 0 {
		return piece, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := max(0, from-redact.Reach)
	before, err := io.ReadAll(io.NewSectionReader(f, start, from-start))
	if err != nil {
		return nil, err
	}
	after, err := io.ReadAll(io.NewSectionReader(f, from+int64(len(piece)), redact.Reach))
	if err != nil {
		return nil, err
	}
	at := len(before)
	return b.Redactor().Part(bytes.Join([][]byte{before, piece, after}, nil), at, at+len(piece)), nil
}
