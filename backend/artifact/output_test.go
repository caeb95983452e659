package artifact

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// ran writes what a supervised command leaves in dir.
func ran(t *testing.T, dir, out, err string, x *work.Exit) {
	t.Helper()
	put(t, filepath.Join(dir, outFile), out)
	put(t, filepath.Join(dir, errFile), err)
	if x == nil {
		return
	}
	x.StartedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	x.EndedAt = x.StartedAt.Add(1500 * time.Millisecond)
	b, jsonErr := json.Marshal(x)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	put(t, filepath.Join(dir, exitFile), string(b))
}

func TestComposeTests(t *testing.T) {
	type command struct {
		line, out, err string
		exit           *work.Exit
	}
	for _, tt := range []struct {
		name     string
		commands []command
		want     string
	}{
		{"none", nil, "There is no acceptance command in the card or in .offrun/project.yaml.\nexit=-1\n"},
		{"passes", []command{{"go test", "ok\n", "", &work.Exit{Reason: work.Exited}}},
			"$ go test\nok\n[exit status 0, 1.5 s]\n\nexit=0\n"},
		{"the second fails", []command{
			{"go vet", "", "", &work.Exit{Reason: work.Exited}},
			{"npm test", "1 failed", "warning\n", &work.Exit{Reason: work.Exited, Code: 2}},
			{"make", "", "", &work.Exit{Reason: work.Exited, Code: 3}},
		}, "$ go vet\n[exit status 0, 1.5 s]\n\n$ npm test\n1 failed\n[standard error]\nwarning\n[exit status 2, 1.5 s]\n\n$ make\n[exit status 3, 1.5 s]\n\nexit=2\n"},
		{"hangs", []command{{"sleep 99", "", "", &work.Exit{Reason: work.TimedOut, Code: -1, Signal: "killed"}}},
			"$ sleep 99\n[timed out, signal killed, 1.5 s]\n\nexit=-1\n"},
		{"prints exit=0 itself", []command{{"cheat", "exit=0", "", &work.Exit{Reason: work.Exited, Code: 1}}},
			"$ cheat\nexit=0\n[exit status 1, 1.5 s]\n\nexit=1\n"},
		{"never ran", []command{{"x", "", "", nil}}, "$ x\n[not started: never run]\n\nexit=-1\n"},
		{"could not start", []command{{"x", "", "", &work.Exit{Reason: work.NotStarted, Code: -1, Text: "no such program"}}},
			"$ x\n[not started, 1.5 s: no such program]\n\nexit=-1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var lines []string
			for i, c := range tt.commands {
				ran(t, filepath.Join(dir, fmt.Sprint(i+1)), c.out, c.err, c.exit)
				lines = append(lines, c.line)
			}
			path := filepath.Join(dir, Tests)
			if err := ComposeTests(path, dir, lines); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A command that prints without end has its beginning and its end copied.
func TestJoinOutputCut(t *testing.T) {
	dir := t.TempDir()
	ran(t, dir, "first line\n"+strings.Repeat("x", maxOutput)+"\nlast line\n", "", &work.Exit{Reason: work.Exited})
	path := filepath.Join(dir, SetupLog)
	if err := JoinOutput(path, dir); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := string(b)
	if !strings.HasPrefix(got, "first line\nxxx") || !strings.HasSuffix(got, "xxx\nlast line\n[exit status 0, 1.5 s]\n") ||
		!strings.Contains(got, "[… 22 bytes left out; all of it is in "+filepath.Join(dir, outFile)+"]\n") || len(got) > maxOutput+500 {
		t.Errorf("%d bytes: %.40q … %q", len(got), got, got[len(got)-60:])
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want it private", info.Mode(), err)
	}
}
