package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Files are given to a process as they are: it writes to them itself, so that
// nothing is lost or held up when we are slow, or dead. nil is the null device.
type Files struct{ Stdin, Stdout, Stderr *os.File }

// A Process is a program that runs by itself, as the leader of a process group.
type Process struct {
	x       *exec.Cmd
	started time.Time // as the system tells it
	done    chan struct{}
}

// Start starts c in a process group of its own; c.Stdin is not used. The files
// remain the caller's and may be closed at once. The process lives on when the
// caller dies.
func Start(c Cmd, files Files) (*Process, error) {
	return start(c, files, &syscall.SysProcAttr{Setpgid: true})
}

// Detach starts c in a session of its own, where no terminal, hang-up or
// interrupt of the caller's reaches it. It reads the null device and writes both
// outputs to log, which may be nil. It is waited for as long as the caller lives.
func Detach(c Cmd, log *os.File) (*Process, error) {
	return start(c, Files{Stdout: log, Stderr: log}, &syscall.SysProcAttr{Setsid: true})
}

func start(c Cmd, files Files, attr *syscall.SysProcAttr) (*Process, error) {
	path, err := c.path()
	if err != nil {
		return nil, err
	}
	x := &exec.Cmd{Path: path, Args: c.Argv, Dir: c.Dir, Env: c.Env, SysProcAttr: attr}
	// A nil *os.File inside an interface is not nil to os/exec.
	if files.Stdin != nil {
		x.Stdin = files.Stdin
	}
	if files.Stdout != nil {
		x.Stdout = files.Stdout
	}
	if files.Stderr != nil {
		x.Stderr = files.Stderr
	}
	if err := x.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	p := &Process{x: x, done: make(chan struct{})}
	p.started, _ = StartTime(p.Pid()) // it is there, if only as a zombie: nobody has waited for it
	go func() {
		_ = x.Wait() // what it says is in x.ProcessState, and there are no pipes that could fail
		close(p.done)
	}()
	return p, nil
}

// Pid returns the process id, which is also the id of its group.
func (p *Process) Pid() int { return p.x.Process.Pid }

// Done is closed when the process itself has ended. Others of its group may
// still live.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit returns how the process ended: its exit status, or -1 and the name of the
// signal that ended it, and the CPU time of it and the children it waited for.
// It waits for Done.
func (p *Process) Exit() (code int, signal string, cpu time.Duration) {
	<-p.done
	s := p.x.ProcessState
	code, signal = exitStatus(s)
	return code, signal, s.UserTime() + s.SystemTime()
}

// SignalGroup sends sig to the process and all others of its group. A group that
// is gone is no error.
func (p *Process) SignalGroup(sig syscall.Signal) error {
	select {
	case <-p.done:
		// The number is free to be given away, so go by who is there.
		for _, f := range p.Group() {
			f.signal(sig)
		}
		return nil
	default:
	}
	if err := signalGroup(p.Pid(), sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %s: %w", p.x.Args[0], err)
	}
	return nil
}

// Started returns when the process was started, as StartTime tells it.
func (p *Process) Started() time.Time { return p.started }

// Group returns the live members of the process's group, without zombies.
func (p *Process) Group() []Found { return Group(p.Pid(), p.started) }

// Group returns the live members, without zombies, of the group whose leader was
// pgid, started at that time. When the leader is long gone, its number may lead
// another group: callers make sure that it has just ended, or lives.
func Group(pgid int, started time.Time) []Found {
	all, err := processes()
	if err != nil {
		return nil // not a machine on which anything would be found
	}
	var group []Found
	for _, e := range all {
		if e.pgid == pgid && !e.zombie && !e.started.Before(started.Add(-startSlack)) {
			group = append(group, e.found())
		}
	}
	return group
}

// GroupAlive reports whether any process of the group lives, the leader or
// another.
func (p *Process) GroupAlive() bool { return len(p.Group()) > 0 }

// GroupCPU returns the CPU time that the live members of the group and all their
// live descendants have used, with the children they waited for.
func (p *Process) GroupCPU() time.Duration {
	all, err := processes()
	if err != nil {
		return 0
	}
	return cpuOf(family(all, p.Pid()))
}

// Family returns the live members of the group and all their live descendants,
// whatever group, session or environment these have taken.
func (p *Process) Family() []Found {
	all, err := processes()
	if err != nil {
		return nil
	}
	var kin []Found
	for _, e := range family(all, p.Pid()) {
		if !e.zombie {
			kin = append(kin, e.found())
		}
	}
	return kin
}

// family returns the entries of group pgid and their descendants: agents put
// their tools into groups and sessions of their own. Once the leader has ended,
// the tie to those is cut.
func family(all []entry, pgid int) []entry {
	children := map[int][]entry{}
	var found []entry
	for _, e := range all {
		if e.pgid == pgid {
			found = append(found, e)
		} else {
			children[e.ppid] = append(children[e.ppid], e)
		}
	}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].pid]...)
	}
	return found
}

// signalGroup returns os.ErrProcessDone if there is no such group.
func signalGroup(pgid int, sig syscall.Signal) error {
	switch err := syscall.Kill(-pgid, sig); err {
	case syscall.ESRCH, syscall.EPERM: // a Mac says EPERM of a group of zombies
		return os.ErrProcessDone
	default:
		return err
	}
}

// killGroup gives the group until the deadline to end, then kills it.
func killGroup(pgid int, deadline time.Time) {
	for signalGroup(pgid, 0) == nil && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	_ = signalGroup(pgid, syscall.SIGKILL) // an error means that nobody is left
}
