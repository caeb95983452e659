package store

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"offrun/backend/work"
)

// The database lies on a real file system of 1 MB that runs full.
func TestF123FullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	db := openAt(t, filepath.Join(dir, "offrun.db"), Options{})
	put(t, db, aRun("p", "r1", 0))
	must(db.Append(t.Context(), work.Event{Kind: work.RunStarted}))(t)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 2<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filler: %v, want a full disk", err)
	}
	stored := int64(1)
	var err error
	for range 10_000 {
		if _, err = db.Append(t.Context(), work.Event{Text: strings.Repeat("x", 400)}); err != nil {
			break
		}
		stored++
	}
	if work.CodeOf(err) != work.Unavailable || !strings.Contains(work.Public(err).Msg, "no space") {
		t.Fatalf("Append on a full disk: %v, want unavailable", err)
	}
	if got := must(db.Run(t.Context(), "p", "r1"))(t); got.Card.ID != "login" {
		t.Errorf("run while the disk is full = %+v", got)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if got := must(db.Append(t.Context(), work.Event{}))(t); got[0].Seq != stored+1 {
		t.Errorf("number after the disk was full = %d, want %d", got[0].Seq, stored+1)
	}
	checkSound(t, db.path)
}

func TestF123FullDiskAtOpen(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, "offrun.db")
	if _, err := Open(t.Context(), path, Options{}); work.CodeOf(err) != work.Unavailable {
		t.Errorf("Open: %v, want unavailable", err)
	}
	if exists(path) {
		t.Error("a database was left behind")
	}
}

// Root may write everywhere, so another user tries.
func TestFolderOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	dir := must(os.MkdirTemp("", "store"))(t) // t.TempDir is closed to others
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	binary := filepath.Join(dir, "store.test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(binary, must(os.ReadFile(os.Args[0]))(t), 0o755)); err != nil {
		t.Fatal(err)
	}
	c := startChild(t, "open", filepath.Join(dir, "offrun.db"), func(cmd *exec.Cmd) {
		cmd.Path, cmd.Dir = binary, dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	})
	if got := c.line(t); !strings.HasPrefix(got, string(work.Unavailable)+" |") || !strings.Contains(got, "OFFRUN_HOME") {
		t.Errorf("Open says %q, want unavailable with a next step", got)
	}
}
