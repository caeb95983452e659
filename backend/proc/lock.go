package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"offrun/backend/work"
)

// A FileLock keeps others out until it is closed, or its holder dies in whatever
// way: the system takes it back. The file itself stays, since removing it would
// let two holders in.
type FileLock struct{ f *os.File }

// Lock takes the exclusive lock on the file at path, which it creates if need be,
// and writes our process id into it. It does not wait: if another holds the lock,
// the error is work.Busy and names that process.
func Lock(path string) (*FileLock, error) {
	l, err := flock(path, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	if err := l.sign(); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return l, nil
}

// TryShared takes a shared lock, which only an exclusive one keeps out: it shows
// whether anybody holds the lock. While it is held, Lock is refused, so who calls
// Lock on a file that others look at tries more than once.
func TryShared(path string) (*FileLock, error) { return flock(path, syscall.LOCK_SH) }

// Close gives the lock back.
func (l *FileLock) Close() error { return l.f.Close() }

func flock(path string, how int) (*FileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if err == nil {
		return &FileLock{f}, nil
	}
	defer f.Close()
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return nil, work.Errorf(work.Busy, "%s is held by %s", path, holder(f)).Do("Try again when that has ended.")
}

func (l *FileLock) sign() error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	return err
}

func holder(f *os.File) string {
	b, _ := io.ReadAll(io.LimitReader(f, 32)) // unreadable is as good as empty
	if pid := strings.TrimSpace(string(b)); pid != "" {
		return "process " + pid
	}
	return "another process"
}
