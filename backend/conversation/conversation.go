// Package conversation turns what an agent prints into its conversation, as it is
// printed, and goes on after a kill without a gap or a repetition.
package conversation

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"offrun/backend/agent"
	"offrun/backend/artifact"
	"offrun/backend/proc"
	"offrun/backend/redact"
	"offrun/backend/work"
)

// maxLine is the longest line of output that is decoded. A longer one stays in
// agent.log, and the conversation says so.
const maxLine = 4 << 20

// A Reader turns what an agent prints into its conversation. It remembers in
// read.json how far it has come, so that after a kill the next one goes on
// without a gap or a repetition.
type Reader struct {
	dir      string
	decode   agent.Decoder
	Facts    agent.Facts // what has been read adds up to this
	out, err source
	file     *os.File
	conv     *bufio.Writer
	size     int64      // of the conversation, with what is buffered
	last     time.Time  // when output was last seen
	inKey    bool       // the last entry ends inside of a private key
	acting   work.Entry // the last that says what it is doing
}

// A source is one output file and how far it has been read.
type source struct {
	path string
	from int64 // where this reader began
	at   int64 // behind the last whole line that was read
	file *os.File
	tail *proc.Tail
}

// open opens the file if it is there by now.
func (s *source) open() error {
	if s.file != nil {
		return nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	if _, err := f.Seek(s.at, io.SeekStart); err != nil {
		f.Close()
		return err
	}
	s.file, s.from, s.tail = f, s.at, proc.NewTail(f, maxLine)
	return nil
}

func (s *source) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// progress is read.json.
type progress struct {
	Out, Err, Conversation int64
}

// Open goes on where the last reader of the turn in dir saved.
func Open(dir string, ag agent.Agent) (*Reader, error) {
	r := &Reader{
		dir: dir, decode: ag.Decode,
		out: source{path: filepath.Join(dir, artifact.Log)},
		err: source{path: filepath.Join(dir, artifact.ErrLog)},
	}
	r.Facts.Structured, r.Facts.Words = ag.Structured, ag.Words
	var p progress
	if err := load(filepath.Join(dir, "read.json"), &p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r.out.at, r.err.at, r.size = p.Out, p.Err, p.Conversation
	var err error
	if r.file, err = os.OpenFile(filepath.Join(dir, artifact.Conversation), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	// What was written after the save is written again from the same bytes.
	if err := r.file.Truncate(r.size); err != nil {
		return nil, err
	}
	if err := artifact.Entries(r.file, r.Facts.Add); err != nil {
		return nil, err
	}
	if _, err := r.file.Seek(r.size, 0); err != nil {
		return nil, err
	}
	r.conv = bufio.NewWriterSize(r.file, 64<<10)
	return r, nil
}

// Close lets go of the files; save comes first where nothing may be lost.
func (r *Reader) Close() error {
	r.out.close()
	r.err.close()
	return r.file.Close()
}

// Pump reads what has been printed since the last time. final means that the
// program has ended, so that a last line without its newline counts too.
func (r *Reader) Pump(final bool) error {
	return errors.Join(r.read(&r.out, false, final), r.read(&r.err, true, final))
}

func (r *Reader) read(s *source, stderr, final bool) error {
	if err := s.open(); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	now := time.Now().UTC()
	for line, err := range s.tail.Lines() {
		if err != nil {
			return fmt.Errorf("read %s: %w", filepath.Base(s.path), err)
		}
		if err := r.line(s, line, stderr, now); err != nil {
			return err
		}
	}
	if !final {
		return nil // half a line stays with the tail until its other half comes
	}
	if line, ok := s.tail.Rest(); ok {
		return r.line(s, line, stderr, now)
	}
	return nil
}

func (r *Reader) line(s *source, line proc.Line, stderr bool, now time.Time) error {
	offset := s.from + line.Offset
	s.at, r.last = offset+line.Size, now
	if line.Cut {
		return r.Add(work.Entry{At: now, Kind: work.Noted, Log: offset,
			Text: fmt.Sprintf("a line of %d bytes, too long to show; it is in %s at byte %d", line.Size, filepath.Base(s.path), offset)})
	}
	for _, e := range r.decode(line.Bytes, stderr) {
		if e.At.IsZero() {
			e.At = now
		}
		e.Log = offset
		if err := r.Add(e); err != nil {
			return err
		}
	}
	return nil
}

// Add appends e to the conversation.
func (r *Reader) Add(e work.Entry) error {
	r.Facts.Add(e)
	inside := r.inKey
	r.inKey = redact.InKey(e.Text, inside)
	if !inside && artifact.Action(e, nil) != "" { // a line of a private key cannot be told alone
		r.acting = e
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	r.size += int64(len(b)) + 1
	if _, err := r.conv.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write conversation: %w", err)
	}
	return nil
}

// Save writes out the conversation and remembers how far it goes.
func (r *Reader) Save() error {
	if err := r.conv.Flush(); err != nil {
		return fmt.Errorf("write conversation: %w", err)
	}
	b, err := json.Marshal(progress{r.out.at, r.err.at, r.size})
	if err != nil {
		return err
	}
	// Renamed into place without a sync: it guards against a kill, and after a
	// power cut the conversation is read anew from an older save.
	tmp := filepath.Join(r.dir, ".read.json")
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(r.dir, "read.json"))
}

// Offsets returns how many bytes of standard output and standard error have been read.
func (r *Reader) Offsets() (stdout, stderr int64) { return r.out.at, r.err.at }

// Quiet returns for how long nothing was printed; 0 if nothing was at all.
func (r *Reader) Quiet(now time.Time) time.Duration {
	if r.last.IsZero() {
		return 0
	}
	return now.Sub(r.last)
}

// Action returns the last thing that was said or done, in one line, without what
// hide takes out of it.
func (r *Reader) Action(hide *redact.Redactor) string { return artifact.Action(r.acting, hide) }

// Judge reads what is left and says what the end of the program means.
func (r *Reader) Judge(exit work.Exit) (agent.Verdict, error) {
	if err := r.Pump(true); err != nil {
		return agent.Verdict{}, err
	}
	if err := r.Save(); err != nil {
		return agent.Verdict{}, err
	}
	r.Facts.Stdout, r.Facts.Stderr = tailOf(r.out.path), tailOf(r.err.path)
	return agent.Judge(r.Facts, exit), nil
}

// tailOf returns the last 4 KB of a file, or "".
func tailOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "" // never written: the program never ran
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	b := make([]byte, min(info.Size(), 4<<10))
	if _, err := f.ReadAt(b, info.Size()-int64(len(b))); err != nil {
		return "" // a reason that cannot be read is as good as none
	}
	return string(b)
}

func load(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
