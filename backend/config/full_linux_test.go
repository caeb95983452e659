package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"offrun/backend/work"
)

// The folder is a real file system of 64 KB that runs full.
func TestF123FullDiskKeepsProjects(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := PutProjects(dir, []work.Project{{ID: "a", Path: "/src/a"}}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "projects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filler: %v, want a full disk", err)
	}
	if err := PutProjects(dir, []work.Project{{ID: "b"}}); work.CodeOf(err) != work.Unavailable {
		t.Errorf("write on a full disk: %v, want unavailable", err)
	}
	after, err := os.ReadFile(filepath.Join(dir, "projects.yaml"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("projects.yaml = %q, %v; want it as before", after, err)
	}
	if err := Make(dir); work.CodeOf(err) != work.Unavailable {
		t.Errorf("Make on a full disk: %v, want unavailable", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
