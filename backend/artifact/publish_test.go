package artifact

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// put writes a file with its folders.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files returns what lies in dir, folders left out.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		if !e.IsDir() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[e.Name()] = string(b)
		}
	}
	return all
}

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	turnHas := func(turn int, name, text string) { put(t, filepath.Join(TurnDir(dir, turn), name), text) }
	turnHas(1, Patch, "one")
	turnHas(1, Notes, "notes")
	turnHas(1, "request.json", "not published")
	turnHas(2, Patch, "two")
	put(t, filepath.Join(dir, Record), "{}")
	put(t, filepath.Join(dir, "."+Patch+".next"), "of an interrupted one")
	for _, tt := range []struct {
		turn int
		want map[string]string
	}{
		{1, map[string]string{Record: "{}", Patch: "one", Notes: "notes"}},
		{1, map[string]string{Record: "{}", Patch: "one", Notes: "notes"}}, // again
		{2, map[string]string{Record: "{}", Patch: "two"}},                 // no notes of turn 1
		{1, map[string]string{Record: "{}", Patch: "one", Notes: "notes"}},
	} {
		if err := Publish(dir, tt.turn); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, files(t, dir)); d != "" {
			t.Errorf("turn %d (-want +got):\n%s", tt.turn, d)
		}
	}
	a, errA := os.Stat(filepath.Join(dir, Patch))
	b, errB := os.Stat(filepath.Join(TurnDir(dir, 1), Patch))
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		t.Errorf("not one file: %v, %v", errA, errB)
	}
}

// A disk without hard links gets copies.
func TestPublishCopies(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	put(t, from, "text")
	if err := os.Chmod(from, 0o600); err != nil {
		t.Fatal(err)
	}
	noLinks := func(string, string) error { return syscall.EPERM }
	if err := publish(from, to, noLinks); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("copy %v, %v", info, err)
	}
	if d := cmp.Diff(map[string]string{"from": "text", "to": "text"}, files(t, dir)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// F123: what cannot be written whole leaves the old file, and nothing else.
func TestF123WriteAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, err error) error {
		return WriteAtomic(path, 0o644, func(w io.Writer) error {
			fmt.Fprint(w, text)
			return err
		})
	}
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("half", syscall.ENOSPC); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want no space", err)
	}
	if d := cmp.Diff(map[string]string{"file": "old"}, files(t, dir)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := write("new", nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"file": "new"}, files(t, dir)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
