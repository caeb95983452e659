// Package proc starts other programs and looks after them. It is the only
// package that may import os/exec, so that environment, working directory,
// cancellation and the killing of whole process groups are decided once.
//
// Three ways of starting are offered. Cmd.Output and Cmd.Run are for short
// commands that somebody waits for. Start gives a long command its own process
// group and plain files. Detach makes a process that outlives the caller.
//
// Nothing here ends a process by its program's name: a process is ours because
// we started it, or because its environment bears a mark that only we give (see
// MarkVar).
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Grace is how long a cancelled command may take to end by itself, and how long
// Output waits for a grandchild that holds the output open.
const Grace = 5 * time.Second

// maxStderr is how much of the end of standard error an ExitError keeps.
const maxStderr = 4 << 10

// A Cmd says what to run. The zero value of every field but Argv is useful.
type Cmd struct {
	Argv  []string  // program and arguments; no shell is involved
	Dir   string    // working directory; "" means the caller's own
	Env   []string  // the whole environment, "K=V"; nil means inherit. Its PATH is where the program is looked for
	Stdin io.Reader // nil means the null device
	Hold  *FileLock // Output and Run only: stays held until the program has ended, even if we are killed before
}

func (c Cmd) String() string { return strings.Join(c.Argv, " ") }

// An ExitError is returned when a program ran and failed. It keeps the last of
// what the program wrote to standard error, which is what people need to see.
type ExitError struct {
	Cmd    Cmd
	Code   int    // exit status; -1 if a signal ended it
	Signal string // "killed", "terminated" …; "" if it exited
	Stderr string // its last 4 KB
}

func (e *ExitError) Error() string {
	name := filepath.Base(e.Cmd.Argv[0])
	if s := strings.TrimSpace(e.Stderr); s != "" {
		return fmt.Sprintf("%s: %s", name, s)
	}
	if e.Signal != "" {
		return fmt.Sprintf("%s: ended by signal: %s", name, e.Signal)
	}
	return fmt.Sprintf("%s: exit status %d", name, e.Code)
}

// Output runs c to its end and returns its standard output. Standard error is
// never mixed in: output is for parsing, errors are for reading.
//
// A program that ran and failed gives an *ExitError. When ctx is done, the whole
// process group gets TERM and, Grace later, KILL; the error is then ctx.Err().
// A grandchild that keeps the output open, as daemons do, holds Output up for at
// most Grace after the program's own end, and is no error.
func (c Cmd) Output(ctx context.Context) ([]byte, error) {
	var out bytes.Buffer
	err := c.Run(ctx, &out)
	return out.Bytes(), err
}

// Run is Output for output that is too big to hold, or wanted as it comes.
func (c Cmd) Run(ctx context.Context, stdout io.Writer) error {
	return c.run(ctx, stdout, Grace, &syscall.SysProcAttr{Setpgid: true})
}

// Attached runs c at the terminal of this process, which it has to itself until it
// ends: for a login, an editor. Stdin is not looked at.
func (c Cmd) Attached(ctx context.Context) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	x := exec.CommandContext(ctx, path)
	x.Args, x.Dir, x.Env = c.Argv, c.Dir, c.Env
	x.Stdin, x.Stdout, x.Stderr = os.Stdin, os.Stdout, os.Stderr
	x.WaitDelay = Grace
	err = x.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Cmd: c, Code: exit.ExitCode()}
	}
	return err
}

// run is Run with the time to end and the kind of group as the caller wants. The
// process must become the leader of a group of its own.
func (c Cmd) run(ctx context.Context, stdout io.Writer, grace time.Duration, attr *syscall.SysProcAttr) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	var stderr tail
	var cancelled time.Time // written before Run returns, read after
	x := exec.CommandContext(ctx, path)
	x.Args, x.Dir, x.Env = c.Argv, c.Dir, c.Env
	x.Stdin, x.Stdout, x.Stderr = c.Stdin, stdout, &stderr
	x.SysProcAttr = attr
	if c.Hold != nil {
		x.ExtraFiles = []*os.File{c.Hold.f}
	}
	x.WaitDelay = grace
	x.Cancel = func() error {
		cancelled = time.Now()
		return signalGroup(x.Process.Pid, syscall.SIGTERM)
	}
	err = x.Run()
	if !cancelled.IsZero() {
		killGroup(x.Process.Pid, cancelled.Add(grace))
	}
	if errors.Is(err, exec.ErrWaitDelay) && cancelled.IsZero() {
		err = nil // it did its work; what it left running is not our concern
	}
	return c.wrap(ctx, err, stderr.String())
}

// path looks the program up in the PATH that the program itself will see, and
// never in the current directory: that may be an agent's worktree.
func (c Cmd) path() (string, error) {
	if len(c.Argv) == 0 {
		return "", errors.New("nothing to run: the argument list is empty")
	}
	if strings.Contains(c.Argv[0], "/") {
		return c.Argv[0], nil // relative to c.Dir, if at all
	}
	path, err := lookPath(c.Argv[0], c.getenv("PATH"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Argv[0], err)
	}
	return path, nil
}

// getenv returns the last value of name in the command's environment.
func (c Cmd) getenv(name string) string {
	if c.Env == nil {
		return os.Getenv(name)
	}
	for i := len(c.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(c.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func (c Cmd) wrap(ctx context.Context, err error, stderr string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err() // a cancelled program has not failed
	}
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		code, signal := exitStatus(x.ProcessState)
		return &ExitError{Cmd: c, Code: code, Signal: signal, Stderr: stderr}
	}
	return fmt.Errorf("%s: %w", c.Argv[0], err)
}

// exitStatus returns the code of a program that exited, or -1 and the name of
// the signal that ended it.
func exitStatus(s *os.ProcessState) (code int, signal string) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, w.Signal().String()
	}
	return s.ExitCode(), ""
}

// A tail is a writer that remembers the last maxStderr bytes.
type tail struct {
	kept []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - maxStderr; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
		t.cut = true
	}
	return len(p), nil
}

func (t *tail) String() string {
	if t.cut {
		return "…" + string(t.kept)
	}
	return string(t.kept)
}
