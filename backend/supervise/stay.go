package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

const (
	retell = 15 * time.Second // how often silent.json is brought up to date
	census = 5 * time.Second  // how often the command's descendants are met
)

// A vigil knows how long a command has run and when it was last heard of. Time in
// which the machine sleeps does not count.
type vigil struct {
	q     Request
	begun time.Time
	heard time.Time // of its latest output, or begun
	size  int64     // of its output
	spoke bool
}

// hear notes the size of the output.
func (v *vigil) hear(now time.Time, size int64) {
	if size != v.size {
		v.heard, v.size, v.spoke = now, size, true
	}
}

// over returns the reason to end the command now, in a word and in words, or "".
func (v *vigil) over(now time.Time) (work.ExitReason, string) {
	ran := now.Sub(v.begun)
	switch {
	case v.q.Total > 0 && ran >= v.q.Total:
		return work.TimedOut, fmt.Sprintf("it ran longer than its limit of %v", v.q.Total)
	case v.q.Start > 0 && !v.spoke && ran >= v.q.Start:
		return work.NoStart, fmt.Sprintf("no output within %v", v.q.Start)
	}
	return "", ""
}

// stay watches over the command until it ends, or must end, and returns why.
func (s *supervisor) stay(wish context.Context) (work.ExitReason, string) {
	now := time.Now()
	v := vigil{q: s.q, begun: now, heard: now}
	quiet := hush{dir: s.dir, limit: s.q.Silence, cpu: s.command.GroupCPU}
	tick, round := time.NewTicker(beat), time.NewTicker(census)
	defer tick.Stop()
	defer round.Stop()
	for {
		select {
		case <-s.command.Done():
			return work.Exited, ""
		case <-wish.Done():
			return s.unlessEnded(work.Stopped, "")
		case <-round.C:
			s.meet()
			continue
		case now = <-tick.C:
		}
		if wished, err := readOptional[stop](s.dir, stopFile); err != nil {
			s.log.Error("stop", "error", err)
		} else if wished != nil {
			return s.unlessEnded(wished.Reason, "")
		}
		v.hear(now, s.written())
		if reason, text := v.over(now); reason != "" {
			return s.unlessEnded(reason, text)
		}
		if err := quiet.note(now, v.heard); err != nil {
			s.log.Error("silence", "error", err)
		}
	}
}

// unlessEnded keeps a command that has just ended by itself from being said to
// have been ended.
func (s *supervisor) unlessEnded(reason work.ExitReason, text string) (work.ExitReason, string) {
	select {
	case <-s.command.Done():
		return work.Exited, ""
	default:
		return reason, text
	}
}

// written returns the size of the output.
func (s *supervisor) written() (sum int64) {
	for _, f := range []*os.File{s.files.Stdout, s.files.Stderr} {
		if st, err := f.Stat(); err == nil {
			sum += st.Size()
		}
	}
	return sum
}

// A hush keeps silent.json. Silence alone ends nothing: a command may think for
// long (fault F75).
type hush struct {
	dir   string
	limit time.Duration        // 0 is off
	cpu   func() time.Duration // CPU time used so far

	taken  bool          // base is of this silence
	base   time.Duration // CPU time used when it fell silent
	toldAt time.Time     // when silent.json was written; zero if it is not there
}

// note is called at every beat with the time of the latest output.
func (h *hush) note(now, heard time.Time) error {
	silence := now.Sub(heard)
	switch {
	case h.limit == 0:
		return nil
	case silence <= 0:
		h.taken = false
		if h.toldAt.IsZero() {
			return nil
		}
		h.toldAt = time.Time{}
		return os.Remove(filepath.Join(h.dir, silentFile))
	case !h.taken && silence >= min(h.limit/2, time.Second): // not at every pause: it costs a look at all processes
		h.taken, h.base = true, h.cpu()
	case silence >= h.limit && now.Sub(h.toldAt) >= retell:
		h.toldAt = now
		return write(h.dir, silentFile, silent{Since: heard.UTC(), CPU: work.SecondsOf(h.cpu() - h.base)})
	}
	return nil
}

// meet remembers the command's descendants. The mark alone does not find those
// that were given another environment, or whose environment the system hides, and
// when the command is gone nothing else tells whose they were.
func (s *supervisor) meet() {
	for _, f := range s.command.Family() {
		s.kin[f.Pid] = f
	}
}

// left returns what lives of the command: its group, the descendants that were
// met, and all that bears its mark.
func (s *supervisor) left() ([]proc.Found, error) {
	found := s.command.Group()
	for _, f := range s.kin {
		if proc.Alive(f.Pid, f.Started) {
			found = append(found, f)
		}
	}
	return withMarked(s.q.Mark, found)
}

// finish ends the command, unless it has ended by itself, and then all that it
// left: its group gets the time of grace to end by itself, too. It returns the
// processes that had to be ended though the command was gone.
func (s *supervisor) finish(ctx context.Context, reason work.ExitReason) ([]proc.Found, error) {
	grace := s.q.grace()
	deadline := time.Now().Add(grace)
	if reason != work.Exited {
		s.meet()
		s.signal(syscall.SIGTERM)
		for !s.endedWithin(min(beat, grace)) {
			if time.Now().After(deadline) {
				s.signal(syscall.SIGKILL)
			}
		}
	}
	for s.command.GroupAlive() && time.Now().Before(deadline) {
		time.Sleep(beat / 2)
	}
	return proc.Kill(ctx, s.left, grace)
}

func (s *supervisor) endedWithin(d time.Duration) bool {
	select {
	case <-s.command.Done():
		return true
	case <-time.After(d):
		return false
	}
}

func (s *supervisor) signal(sig syscall.Signal) {
	if err := s.command.SignalGroup(sig); err != nil {
		s.log.Error("signal", "signal", sig, "error", err)
	}
}
