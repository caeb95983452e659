package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"offrun/backend/work"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(path)
	if work.CodeOf(err) != work.Busy || !strings.Contains(err.Error(), fmt.Sprintf("held by process %d", os.Getpid())) {
		t.Errorf("second lock: %v, want busy and our pid", err)
	}
	if _, err := TryShared(path); work.CodeOf(err) != work.Busy {
		t.Errorf("shared lock: %v, want busy", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	a, err := TryShared(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := TryShared(path)
	if err != nil {
		t.Errorf("two may share: %v", err)
	}
	defer b.Close()
	if _, err := Lock(path); work.CodeOf(err) != work.Busy {
		t.Errorf("lock while shared: %v, want busy", err)
	}
}

func TestLockOfADeadHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	p, output := startFake(t, fake("hold", path))
	ready(t, output)
	if _, err := Lock(path); work.CodeOf(err) != work.Busy || !strings.Contains(err.Error(), fmt.Sprintf("held by process %d", p.Pid())) {
		t.Errorf("lock: %v, want busy and pid %d", err, p.Pid())
	}
	p.SignalGroup(syscall.SIGKILL)
	<-p.Done()
	l, err := Lock(path)
	if err != nil {
		t.Fatalf("its holder is dead: %v", err)
	}
	l.Close()
}

func TestLockInNoFolder(t *testing.T) {
	if _, err := Lock(filepath.Join(t.TempDir(), "no", "lock")); err == nil || work.CodeOf(err) == work.Busy {
		t.Errorf("error = %v, want that the folder is missing", err)
	}
}
