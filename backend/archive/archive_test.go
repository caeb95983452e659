package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

func TestRoundTrip(t *testing.T) {
	root := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := work.Run{ID: "20260102-030405", Project: "shop", Base: "abc", StartedAt: at, Attempts: []work.Attempt{
		{Run: "20260102-030405", Name: "zeta", QueuedAt: at, Turns: []work.Turn{{N: 1, QueuedAt: at}}},
		{Run: "20260102-030405", Name: "alpha", QueuedAt: at.Add(time.Second)}, // asked for later, though first by name
	}}
	if err := PutRun(root, want); err != nil {
		t.Fatal(err)
	}
	for _, a := range want.Attempts {
		a.Live = &work.Live{Action: "is not stored"}
		if err := PutAttempt(root, a); err != nil {
			t.Fatal(err)
		}
	}
	got, err := LoadRun(root, want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run differs (-want +got):\n%s", diff)
	}
	if ids, err := Runs(root); err != nil || len(ids) != 1 || ids[0] != want.ID {
		t.Errorf("Runs = %q, %v", ids, err)
	}
}

func TestLoadRunSaysWhatIsWrong(t *testing.T) {
	root := t.TempDir()
	if ids, err := Runs(root); err != nil || len(ids) != 0 {
		t.Errorf("Runs of nothing = %q, %v", ids, err)
	}
	if _, err := LoadRun(root, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no run: %v", err)
	}
	file := filepath.Join(Run(root, "bad"), "run.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"id":`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRun(root, "bad"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("damaged run: %v", err)
	}
}
