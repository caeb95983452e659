// Package supervise runs one long command in a small process of its own, so that
// the command outlives whoever asked for it. Closing, crashing or killing the
// bench changes nothing; the next one looks at the files and goes on.
//
// Everything is a file in the folder of the command:
//
//	request.json    what to run; written once, by Start
//	lock            held by the supervisor as long as it lives
//	started.json    written before the command is started, and again with its pid
//	silent.json     there while the command has been silent for too long
//	stop.json       a wish to end the command; the first one counts
//	exit.json       how it ended; written last, in one piece
//	supervise.log   what the supervisor itself has to say
//
// started.json is what makes a command run at most once: who finds it, with the
// lock free and no exit.json, knows that the supervisor was killed and never
// starts the command again. Output goes from the command straight into its files,
// so nothing of it is lost with the supervisor.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// A Request says what to run. Argv, Dir, Stdout, Stderr and Mark are required;
// all paths are absolute.
type Request struct {
	Argv     []string      `json:"argv"`
	Dir      string        `json:"dir"`                  // working directory
	Stdin    string        `json:"stdin,omitempty"`      // file to read; "" is the null device
	Stdout   string        `json:"stdout"`               // file to write; emptied when the command starts
	Stderr   string        `json:"stderr"`               // the same; may be the same file
	EnvNames []string      `json:"env_names,omitempty"`  // names of the variables it was given, for people; Start fills them in
	Mark     string        `json:"mark"`                 // value of proc.MarkVar for the command, by which all it leaves behind is found
	Total    time.Duration `json:"total_ns,omitempty"`   // until it is ended; 0 is no limit
	Start    time.Duration `json:"start_ns,omitempty"`   // until its first output; 0 is no limit
	Silence  time.Duration `json:"silence_ns,omitempty"` // without output until silent.json appears; 0 is never
	Grace    time.Duration `json:"grace_ns,omitempty"`   // between TERM and KILL; 0 is proc.Grace
}

// Phase is how far a command has come.
type Phase string

const (
	Absent    Phase = "absent"    // nobody asked for it
	Requested Phase = "requested" // no supervisor has taken it up, or only just
	Running   Phase = "running"
	Ended     Phase = "ended" // Status.Exit says how
	Lost      Phase = "lost"  // its supervisor was killed: see Recover
)

// A Status is what the files say about a command.
type Status struct {
	Phase       Phase
	Pid         int          // of the command, from Running on; 0 in the moment before it is known
	StartedAt   time.Time    // from Running on
	Exit        *work.Exit   // if Ended
	SilentSince *time.Time   // if Running and silent for longer than Request.Silence
	SilentCPU   work.Seconds // what it and its descendants used since then: a busy command is not stuck
}

// startLimit is how long a supervisor may take to take up its command.
const startLimit = 30 * time.Second

// Start has a supervisor run q in dir, which is made if need be. env is the whole
// environment of the command but for the mark; it reaches the supervisor through
// its own environment and no file. self begins the argument list that starts this
// program; "supervise" and dir are added. Its first word is an absolute path.
//
// Start returns when the supervisor has taken the command up. It may be called
// again at any time, by any process, for the same dir: the first request stays,
// and the command is started once, or never.
func Start(dir string, q Request, env, self []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("supervise: %w", err)
	}
	st, err := Look(dir)
	if err != nil || st.Phase != Absent && st.Phase != Requested {
		return err
	}
	q.EnvNames = names(env)
	if err := create(dir, requestFile, q); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("supervise: %w", err)
	}
	p, err := launch(dir, env, self)
	if err != nil {
		return fmt.Errorf("supervise: %w", err)
	}
	return takenUp(dir, p)
}

// launch starts a supervisor for dir.
func launch(dir string, env, self []string) (*proc.Process, error) {
	log, err := os.OpenFile(filepath.Join(dir, logFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// The mark is for the command: a sweep by mark must not end its supervisor.
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, proc.MarkVar+"=") })
	return proc.Detach(proc.Cmd{
		Argv: append(slices.Clone(self), "supervise", dir),
		Dir:  "/",                        // no folder is kept from being removed
		Env:  append([]string{}, env...), // not nil, which would mean our own
	}, log)
}

// takenUp waits until a supervisor, p or another, has taken the command up.
func takenUp(dir string, p *proc.Process) error {
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); {
		died := false
		select {
		case <-p.Done():
			died = true
		case <-time.After(5 * time.Millisecond):
		}
		st, err := Look(dir) // after p was found dead, so that nothing it did is missed
		if err != nil || st.Phase != Requested {
			return err
		}
		if died {
			said, _ := lastBytes(filepath.Join(dir, logFile), 1<<10) // if it cannot be read it says nothing
			return work.Errorf(work.Internal, "the supervisor of %s ended at once: %s", dir, strings.TrimSpace(string(said)))
		}
	}
	return work.Errorf(work.Busy, "the supervisor of %s did not begin within %v", dir, startLimit).Do("Try again when the machine is less busy.")
}

func names(env []string) []string {
	var names []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Stop asks for the end of the command in dir; its exit will have the given
// reason. The first reason counts, and a command that has ended by itself keeps
// its own. A command that was not started yet will not be.
func Stop(dir string, reason work.ExitReason) error {
	err := create(dir, stopFile, stop{Reason: reason, At: time.Now().UTC()})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

// Look tells from the files in dir how the command stands. It disturbs nobody.
func Look(dir string) (Status, error) {
	st, err := look(dir)
	if err != nil {
		return Status{}, fmt.Errorf("look: %w", err)
	}
	return st, nil
}

func look(dir string) (st Status, err error) {
	begun, err := readOptional[started](dir, startedFile)
	if err != nil {
		return st, err
	}
	switch {
	case begun != nil:
		st.Pid, st.StartedAt = begun.Pid, begun.StartedAt
		if st.Phase, err = attended(dir); err != nil {
			return st, err
		}
	case there(dir, requestFile):
		st.Phase = Requested
	default:
		st.Phase = Absent
	}
	// After the lock was looked at: while it was held, this may have come.
	if st.Exit, err = readOptional[work.Exit](dir, exitFile); err != nil {
		return st, err
	}
	if st.Exit != nil {
		st.Phase, st.StartedAt = Ended, st.Exit.StartedAt
	}
	if st.Phase == Running {
		silence, err := readOptional[silent](dir, silentFile)
		if err != nil {
			return st, err
		}
		if silence != nil {
			st.SilentSince, st.SilentCPU = &silence.Since, silence.CPU
		}
	}
	return st, nil
}

// attended tells, of a command that was started, whether it has a supervisor.
func attended(dir string) (Phase, error) {
	l, err := proc.TryShared(filepath.Join(dir, lockFile))
	switch {
	case work.CodeOf(err) == work.Busy:
		return Running, nil
	case err != nil:
		return "", err
	}
	return Lost, l.Close()
}

// Recover ends what a lost command left running and writes its exit record, with
// reason work.Lost; grace is between TERM and KILL. If the command has ended
// meanwhile, its own record is returned.
func Recover(ctx context.Context, dir string, grace time.Duration) (work.Exit, error) {
	l, err := lockFolder(ctx, dir, func() bool { return false })
	if err != nil {
		return work.Exit{}, fmt.Errorf("recover: %w", err)
	}
	defer func() { _ = l.Close() }()
	exit, err := read[work.Exit](dir, exitFile)
	if errors.Is(err, fs.ErrNotExist) {
		exit, err = bury(ctx, dir, grace)
	}
	if err != nil {
		return work.Exit{}, fmt.Errorf("recover: %w", err)
	}
	return exit, nil
}

// bury is Recover for who holds the lock and finds no exit record.
func bury(ctx context.Context, dir string, grace time.Duration) (work.Exit, error) {
	begun, err := read[started](dir, startedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return work.Exit{}, work.Errorf(work.NotFound, "the command of %s was never started", dir)
	}
	if err != nil {
		return work.Exit{}, err
	}
	q, err := read[Request](dir, requestFile)
	if err != nil {
		return work.Exit{}, err
	}
	left, err := proc.Kill(ctx, func() ([]proc.Found, error) { return remains(q.Mark, begun) }, grace)
	if err != nil {
		return work.Exit{}, err
	}
	exit := q.exit(begun.StartedAt, work.Lost)
	exit.Text = "its supervisor was killed"
	exit.Leftovers = words(left)
	return exit, write(dir, exitFile, exit)
}
