package proc

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startSlack is how far two readings of one start time may lie apart: the system
// counts from its own start in ticks, and that is set against a clock that moves.
const startSlack = 2 * time.Second

// A Found is a live process. Pid and Started together name it for ever; a pid
// alone may have been given to another process since.
type Found struct {
	Pid     int
	Started time.Time
	Argv    []string // as far as the system tells
}

// String is "pid command", for people; a long command is cut.
func (f Found) String() string {
	s := strings.Join(f.Argv, " ")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return strings.TrimSpace(strconv.Itoa(f.Pid) + " " + s)
}

// entry is a row of the system's table of processes.
type entry struct {
	pid, ppid, pgid int
	started         time.Time
	zombie          bool
	cpu             time.Duration // on Linux; a Mac does not keep it in the table
}

func (e entry) found() Found {
	argv, _, err := arguments(e.pid)
	if err != nil {
		argv = nil // it has just ended, or belongs to another user
	}
	return Found{Pid: e.pid, Started: e.started, Argv: argv}
}

// signal reports whether f was still there to receive sig. A process that has
// taken over f's number does not get it: on Linux the handle is bound to the
// process before its start time is compared.
func (f Found) signal(sig syscall.Signal) bool {
	p, err := os.FindProcess(f.Pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return Alive(f.Pid, f.Started) && p.Signal(sig) == nil
}

// StartTime returns when the process pid was started. The error is fs.ErrNotExist
// if there is none.
func StartTime(pid int) (time.Time, error) {
	e, err := process(pid)
	return e.started, err
}

// Alive reports whether the process that had this pid and start time still runs.
// A zombie does not run. If the machine's clock was set in between, the answer
// may be a wrong no, but never a wrong yes.
func Alive(pid int, started time.Time) bool {
	e, err := process(pid)
	return err == nil && !e.zombie && e.started.Sub(started).Abs() <= startSlack
}
