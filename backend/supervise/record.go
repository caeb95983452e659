package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"offrun/backend/proc"
	"offrun/backend/work"
)

const (
	requestFile = "request.json"
	lockFile    = "lock"
	startedFile = "started.json"
	silentFile  = "silent.json"
	stopFile    = "stop.json"
	exitFile    = "exit.json"
	logFile     = "supervise.log"
)

// started is what started.json holds.
type started struct {
	StartedAt time.Time `json:"started_at"`
	Pid       int       `json:"pid,omitempty"` // which is also its group's; 0 until it is known
	Born      time.Time `json:"born,omitzero"` // its start time as the system tells it
}

// silent is what silent.json holds.
type silent struct {
	Since time.Time    `json:"since"`
	CPU   work.Seconds `json:"cpu_seconds_since"` // of the command and its descendants: a busy one is not stuck
}

// stop is what stop.json holds.
type stop struct {
	Reason work.ExitReason `json:"reason"`
	At     time.Time       `json:"at"`
}

// write puts v into the file name of dir. Readers see the old content or the new.
func write(dir, name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, name), append(b, '\n'), 0o600, renameio.WithTempDir(dir))
}

// create is write for a file that must not be there yet: of several callers at
// once one succeeds, and the others get fs.ErrExist.
func create(dir, name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), filepath.Join(dir, name)) // unlike a rename, a link replaces nothing
}

// read returns what the file name of dir holds.
func read[T any](dir, name string) (T, error) {
	var v T
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return v, nil
}

// readOptional is read with nil for a file that is not there.
func readOptional[T any](dir, name string) (*T, error) {
	v, err := read[T](dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &v, nil
}

func there(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// lockFolder takes the lock of a command's folder. If it is held, it tries for two
// seconds, since Look holds it for a moment, or until hopeless; the error is then
// work.Busy.
func lockFolder(ctx context.Context, dir string, hopeless func() bool) (*proc.FileLock, error) {
	for deadline := time.Now().Add(2 * time.Second); ; {
		l, err := proc.Lock(filepath.Join(dir, lockFile))
		if work.CodeOf(err) != work.Busy || time.Now().After(deadline) || hopeless() {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// exit returns the record of a command that ended now without an exit status.
func (q Request) exit(startedAt time.Time, reason work.ExitReason) work.Exit {
	return work.Exit{
		StartedAt: startedAt,
		EndedAt:   time.Now().UTC(),
		Code:      -1,
		Reason:    reason,
		Stdout:    size(q.Stdout),
		Stderr:    size(q.Stderr),
	}
}

func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0 // nothing was written, or somebody took it away
	}
	return st.Size()
}

// grace returns the time between TERM and KILL.
func (q Request) grace() time.Duration {
	if q.Grace > 0 {
		return q.Grace
	}
	return proc.Grace
}

// remains returns what a command has left running: all that bears its mark, and
// its group as long as the leader lives, after which the group's number may have
// been given away.
func remains(mark string, begun started) ([]proc.Found, error) {
	var group []proc.Found
	if begun.Pid > 0 && proc.Alive(begun.Pid, begun.Born) {
		group = proc.Group(begun.Pid, begun.Born)
	}
	return withMarked(mark, group)
}

// withMarked adds those that bear mark to others.
func withMarked(mark string, others []proc.Found) ([]proc.Found, error) {
	if mark == "" {
		return others, nil
	}
	found, err := proc.Marked(mark)
	if err != nil {
		return nil, err
	}
	for _, f := range others {
		if !slices.ContainsFunc(found, func(g proc.Found) bool { return g.Pid == f.Pid }) {
			found = append(found, f)
		}
	}
	return found, nil
}

func words(found []proc.Found) []string {
	var ws []string
	for _, f := range found {
		ws = append(ws, f.String())
	}
	return ws
}

// LastOutput returns the last n bytes of both outputs of the command in dir: the
// reason of a failure may stand in either (fault F88).
func LastOutput(dir string, n int64) (stdout, stderr []byte, err error) {
	q, err := read[Request](dir, requestFile)
	if err != nil {
		return nil, nil, fmt.Errorf("last output: %w", err)
	}
	stdout, outErr := lastBytes(q.Stdout, n)
	stderr, errErr := lastBytes(q.Stderr, n)
	return stdout, stderr, errors.Join(outErr, errErr)
}

// lastBytes returns the end of a file; one that is not there is empty.
func lastBytes(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, max(0, size(path)-n), n))
}
