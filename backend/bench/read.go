package bench

import (
	"bufio"
	"context"
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
	"offrun/backend/git"
	"offrun/backend/proc"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

// maxLine is the longest line of output that is decoded. A longer one stays in
// agent.log, and the conversation says so.
const maxLine = 4 << 20

// A reader turns what an agent prints into its conversation. It remembers in
// read.json how far it has come, so that after a kill the next one goes on
// without a gap or a repetition.
type reader struct {
	dir      string
	decode   agent.Decoder
	facts    agent.Facts
	out, err source
	file     *os.File
	conv     *bufio.Writer
	size     int64 // of the conversation, with what is buffered
	last     time.Time
	action   string // the last thing said or done
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

// openReader goes on where the last reader of the turn in dir saved.
func openReader(dir string, ag agent.Agent) (*reader, error) {
	r := &reader{
		dir: dir, decode: ag.Decode,
		out: source{path: filepath.Join(dir, artifact.Log)},
		err: source{path: filepath.Join(dir, artifact.ErrLog)},
	}
	r.facts.Structured = ag.Structured
	var p progress
	if err := readJSON(filepath.Join(dir, "read.json"), &p); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	if err := artifact.Entries(r.file, r.facts.Add); err != nil {
		return nil, err
	}
	if _, err := r.file.Seek(r.size, 0); err != nil {
		return nil, err
	}
	r.conv = bufio.NewWriterSize(r.file, 64<<10)
	return r, nil
}

// Close lets go of the files; save comes first where nothing may be lost.
func (r *reader) Close() error {
	r.out.close()
	r.err.close()
	return r.file.Close()
}

// pump reads what has been printed since the last time. final means that the
// program has ended, so that a last line without its newline counts too.
func (r *reader) pump(final bool) error {
	return errors.Join(r.read(&r.out, false, final), r.read(&r.err, true, final))
}

func (r *reader) read(s *source, stderr, final bool) error {
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
	if line, ok := s.tail.Rest(); final && ok {
		return r.line(s, line, stderr, now)
	}
	return nil
}

func (r *reader) line(s *source, line proc.Line, stderr bool, now time.Time) error {
	offset := s.from + line.Offset
	s.at, r.last = offset+line.Size, now
	if line.Cut {
		return r.add(work.Entry{At: now, Kind: work.Noted, Log: offset,
			Text: fmt.Sprintf("a line of %d bytes, too long to show; it is in %s at byte %d", line.Size, filepath.Base(s.path), offset)})
	}
	for _, e := range r.decode(line.Bytes, stderr) {
		if e.At.IsZero() {
			e.At = now
		}
		e.Log = offset
		if err := r.add(e); err != nil {
			return err
		}
	}
	return nil
}

// add appends e to the conversation.
func (r *reader) add(e work.Entry) error {
	r.facts.Add(e)
	if text := artifact.Action(e); text != "" {
		r.action = text
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

// save writes out the conversation and remembers how far it goes.
func (r *reader) save() error {
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

// A watcher is asked at every look at a running agent what there is to do.
type watcher struct {
	j       *job
	ctx     context.Context
	r       *reader
	dir     string
	told    int64     // bytes of agent.log that the feed knows of
	toldAt  time.Time // at most four times a second
	silent  time.Time // start of the silence that was warned of
	counted time.Time // when the changed files were last counted
	pause   time.Duration
	counter *artifact.Counter
	before  git.Fingerprint // of the shared part, at the start of the run
}

func (j *job) watcher(ctx context.Context, r *reader, dir string) (*watcher, error) {
	w := &watcher{j: j, ctx: ctx, r: r, dir: dir, pause: time.Second,
		counter: artifact.NewCounter(j.worktree(), j.run.Base, filepath.Join(dir, "live"))}
	return w, readJSON(beforeFile(j.repo.Dir, j.run.ID), &w.before)
}

func (w *watcher) look(st supervise.Status) error {
	if st.Phase == supervise.Running || st.Phase == supervise.Ended {
		w.j.begin()
	}
	before := w.r.out.at
	if err := w.r.pump(false); err != nil {
		return err
	}
	now := time.Now()
	if now.Sub(w.toldAt) >= 250*time.Millisecond && w.r.out.at+w.r.err.at != w.told {
		if err := w.progress(now); err != nil {
			return err
		}
	}
	if err := w.questions(); err != nil {
		return err
	}
	w.silence(st)
	if st.Phase != supervise.Running {
		return nil
	}
	w.count(now, before != w.r.out.at)
	return w.impatience(now)
}

// progress makes what has been read visible, and safe against a kill.
func (w *watcher) progress(now time.Time) error {
	if err := w.r.save(); err != nil {
		return err
	}
	w.told, w.toldAt = w.r.out.at+w.r.err.at, now
	w.j.say(w.r.action)
	a := w.j.attempt()
	w.j.bench.tell(w.ctx, work.Event{
		Kind: work.AttemptProgress, Project: w.j.run.Project, Run: a.Run, Attempt: a.Name,
		Turn: a.Turn().N, State: a.State(), To: w.r.out.at,
	})
	return nil
}

// questions keeps the fact that the agent waits for an answer.
func (w *watcher) questions() error {
	a := w.j.attempt()
	if a.Turn().Asked == w.r.facts.Asked {
		return nil
	}
	return w.j.turn(w.ctx, func(t *work.Turn) { t.Asked = w.r.facts.Asked })
}

func (w *watcher) silence(st supervise.Status) {
	if st.SilentSince == nil || st.SilentSince.Equal(w.silent) {
		return
	}
	w.silent = *st.SilentSince
	if err := w.j.turn(w.ctx, func(t *work.Turn) { t.SilentAt = &w.silent }); err == nil {
		w.j.tell(w.ctx, work.AttemptSilent, fmt.Sprintf("no output since %s; it used %.1f s of processor time since then",
			w.silent.Local().Format(time.TimeOnly), float64(st.SilentCPU)))
	}
}

// impatience ends a program that has no reason to stay.
func (w *watcher) impatience(now time.Time) error {
	quiet := time.Duration(0)
	if !w.r.last.IsZero() {
		quiet = now.Sub(w.r.last)
	}
	switch f := &w.r.facts; {
	case f.Ended != nil && quiet > lingering:
		return supervise.Stop(w.dir, work.Finished)
	case f.Impatient() != "", f.Asked != "" && quiet > unanswered:
		return supervise.Stop(w.dir, work.GaveUp)
	}
	return nil
}

// count counts the changed files now and then: at most once a second, and never
// more than an eighth of the time.
func (w *watcher) count(now time.Time, moved bool) {
	if now.Sub(w.counted) < w.pause || !moved && now.Sub(w.counted) < 5*w.pause {
		return
	}
	began := time.Now()
	if n, err := w.changed(); err == nil { // a glance that fails is no news; the result is collected at the end
		w.j.mu.Lock()
		w.j.live.Files = n
		w.j.mu.Unlock()
	}
	w.pause = max(time.Second, 8*time.Since(began))
	w.counted = time.Now()
}

// changed counts the changed files, if the shared configuration still is what it
// was: no git of ours looks into the worktree otherwise (S09).
func (w *watcher) changed() (int, error) {
	shared, err := w.j.repo.SharedFingerprint(w.ctx)
	if err != nil {
		return 0, err
	}
	if git.Dangerous(w.before.Changed(shared)) {
		return 0, errBlocked
	}
	return w.counter.Files(w.ctx)
}
