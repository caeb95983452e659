package proc

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"offrun/backend/work"
)

// MarkVar is the environment variable that marks the processes of a run. Children
// inherit it however often they fork, change group or session, or are left behind
// by their parents, so that all of them can be found again (faults F60, F62).
// Values are paths, "installation/run/attempt/turn": who knows the beginning finds
// all below it.
const MarkVar = "OFFRUN_MARK"

// dying is how long Kill waits for the dead to disappear: a process may be
// held in the kernel for a moment.
const dying = 5 * time.Second

// Marked returns the live processes of our user whose environment holds
// OFFRUN_MARK=value, or a value that begins with value and a slash. The caller's
// own process is not among them. A process that was given another environment is
// not found, nor one whose environment the system hides, as it does for programs
// that gain rights when they start.
func Marked(value string) ([]Found, error) {
	all, err := processes()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var found []Found
	for _, e := range all {
		if e.zombie || e.pid == os.Getpid() || !ours(e) {
			continue
		}
		argv, env, err := arguments(e.pid)
		if err != nil || !bears(env, value) {
			continue // ended meanwhile, hidden, or none of ours
		}
		found = append(found, Found{Pid: e.pid, Started: e.started, Argv: argv})
	}
	return found, nil
}

// Bears reports whether process pid, or one that it descends from, bears a mark:
// it belongs to a command that a supervisor started.
func Bears(pid int) bool {
	for range 64 { // deeper than any chain of shells; a loop cannot be
		e, err := process(pid)
		if err != nil {
			return false
		}
		_, env, err := arguments(pid)
		if err == nil && slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, MarkVar+"=") }) {
			return true
		}
		if pid = e.ppid; pid <= 1 {
			return false
		}
	}
	return false
}

func bears(env []string, value string) bool {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, MarkVar+"="); ok {
			return v == value || strings.HasPrefix(v, value+"/")
		}
	}
	return false
}

// KillMarked ends the processes that Marked finds, as Kill does.
func KillMarked(ctx context.Context, value string, grace time.Duration) ([]Found, error) {
	if value == "" {
		return nil, work.Errorf(work.Invalid, "no mark to look for")
	}
	return Kill(ctx, func() ([]Found, error) { return Marked(value) }, grace)
}

// Kill ends the processes that find returns: TERM first, KILL for those that are
// still there after grace. It looks again until none is left, since a process may
// start another while it is being ended, and returns all that it ended, by pid.
// Those that cannot be ended are in the error.
func Kill(ctx context.Context, find func() ([]Found, error), grace time.Duration) ([]Found, error) {
	ended := map[int]Found{}
	begun := time.Now()
	for {
		found, err := find()
		if err != nil || len(found) == 0 {
			return byPid(ended), err
		}
		late := time.Since(begun) - grace
		pause := 20 * time.Millisecond
		if late > dying {
			return byPid(ended), fmt.Errorf("processes that cannot be ended: %s", pids(found))
		}
		for _, f := range found {
			_, known := ended[f.Pid]
			switch {
			case late >= 0:
				f.signal(syscall.SIGKILL)
				pause = time.Millisecond // be quicker than they can start others
			case !known:
				f.signal(syscall.SIGTERM)
			}
			ended[f.Pid] = f
		}
		select {
		case <-ctx.Done():
			return byPid(ended), ctx.Err()
		case <-time.After(pause):
		}
	}
}

func byPid(found map[int]Found) []Found {
	var fs []Found
	for _, pid := range slices.Sorted(maps.Keys(found)) {
		fs = append(fs, found[pid])
	}
	return fs
}

func pids(found []Found) string {
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.String()
	}
	return strings.Join(names, ", ")
}
