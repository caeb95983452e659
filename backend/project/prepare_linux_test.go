package project

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"offrun/backend/git/gittest"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// mount mounts a file system at a new folder; the test is skipped where that is
// not allowed.
func mount(t *testing.T, device, kind, options string) string {
	t.Helper()
	dir := gittest.Folder(t, "mounted")
	if err := syscall.Mount(device, dir, kind, 0, options); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// The worktree lies on a real file system of 1 MB that runs full.
func TestF123DiskFullWhilePreparing(t *testing.T) {
	w := newWorkspace(t, map[string]string{".gitignore": "node_modules/\n"}, map[string]string{
		"node_modules/a": strings.Repeat("a", 700<<10), "node_modules/b": strings.Repeat("b", 700<<10),
	})
	check := gittest.Invariants(t, w.Dir)
	full := mount(t, "tmpfs", "tmpfs", "size=1m")
	_, err := Prepare(t.Context(), Prep{Repo: w.repo, To: full, Settings: Defaults()})
	if e := work.Public(err); e.Code != work.Unavailable || !strings.Contains(e.Msg, "the disk is full") || !strings.Contains(e.Msg, full) || e.Next == "" {
		t.Errorf("error %+v", e)
	}
	if _, err := os.Lstat(filepath.Join(full, "node_modules")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a folder looks like a whole one: %v", err)
	}
	check()
}

// On a file system that can, a clone shares its blocks with the original until one
// of them is written.
func TestPrepareClones(t *testing.T) {
	mkfs, err := proc.Find("mkfs.btrfs", os.Getenv("PATH"))
	if err != nil {
		t.Skip("needs mkfs.btrfs")
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 256<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := (proc.Cmd{Argv: []string{mkfs, "--quiet", image}}).Output(t.Context()); err != nil {
		t.Fatal(err)
	}
	loop, err := proc.Cmd{Argv: []string{"losetup", "--find", "--show", image}}.Output(t.Context())
	if err != nil {
		t.Skipf("needs a loop device: %v", err)
	}
	device := strings.TrimSpace(string(loop))
	t.Cleanup(func() {
		if _, err := (proc.Cmd{Argv: []string{"losetup", "--detach", device}}).Output(context.Background()); err != nil {
			t.Error(err)
		}
	})
	disk := mount(t, device, "btrfs", "")

	gittest.Home(t)
	r := gittest.At(t, filepath.Join(disk, "project"))
	if err := os.Mkdir(r.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Git("init", "--quiet", "-b", "main")
	r.Write(".gitignore", "node_modules/\n")
	r.Commit("first")
	w := workspaceOf(t, r)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for _, name := range []string{"a", "b"} {
		gittest.Write(t, r.Path("node_modules/"+name), string(big))
	}
	lines := w.prepare(Defaults())
	if len(lines) != 1 || lines[0] != "node_modules: cloned 2 files, 2.0 MiB" {
		t.Errorf("lines %q", lines)
	}
	copied := filepath.Join(w.to, "node_modules", "a")
	if err := os.WriteFile(copied, []byte("agent"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r.Read("node_modules/a") != string(big) {
		t.Error("a write to the clone changed the original")
	}
}
