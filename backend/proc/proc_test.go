package proc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func sh(script string) Cmd { return Cmd{Argv: []string{"sh", "-c", script}} }

func TestOutput(t *testing.T) {
	out, err := sh("echo out; echo err >&2").Output(t.Context())
	if string(out) != "out\n" || err != nil {
		t.Errorf("Output = %q, %v; want standard output alone", out, err)
	}

	c := sh("cat; pwd; echo $V")
	c.Stdin, c.Dir, c.Env = strings.NewReader("in\n"), "/", []string{"V=v", "PATH=" + os.Getenv("PATH")}
	if out, err := c.Output(t.Context()); string(out) != "in\n/\nv\n" || err != nil {
		t.Errorf("Output = %q, %v", out, err)
	}
}

func TestExitError(t *testing.T) {
	for _, tt := range []struct {
		script  string
		code    int
		signal  string
		message string
	}{
		{"exit 3", 3, "", "sh: exit status 3"},
		{"echo why >&2; exit 1", 1, "", "sh: why"},
		{"kill -KILL $$", -1, "killed", "sh: ended by signal: killed"},
	} {
		_, err := sh(tt.script).Output(t.Context())
		x, ok := errors.AsType[*ExitError](err)
		if !ok {
			t.Errorf("%s: %v, want an ExitError", tt.script, err)
			continue
		}
		if x.Code != tt.code || x.Signal != tt.signal || x.Error() != tt.message {
			t.Errorf("%s: %d %q %q, want %d %q %q", tt.script, x.Code, x.Signal, x, tt.code, tt.signal, tt.message)
		}
	}
}

func TestExitErrorKeepsTheEnd(t *testing.T) {
	_, err := sh("yes noise | head -n 5000 >&2; echo the reason >&2; exit 1").Output(t.Context())
	x, ok := errors.AsType[*ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	if len(x.Stderr) > maxStderr+len("…") || !strings.HasSuffix(x.Stderr, "the reason\n") {
		t.Errorf("kept %d bytes, ending %q", len(x.Stderr), x.Stderr[len(x.Stderr)-20:])
	}
}

func TestF58StdinIsNull(t *testing.T) {
	if out, err := (Cmd{Argv: []string{"cat"}}).Output(t.Context()); len(out) > 0 || err != nil {
		t.Errorf("cat of nothing = %q, %v", out, err)
	}
}

// An agent's worktree may hold a program called git.
func TestProgramIsNeverOfTheCurrentDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "trap"), "#!/bin/sh\n", 0o755)
	t.Chdir(dir)
	c := Cmd{Argv: []string{"trap"}, Dir: dir, Env: []string{"PATH=.::" + os.Getenv("PATH")}}
	if _, err := c.Output(t.Context()); err == nil {
		t.Error("a program of the current directory was run")
	}
	c.Env = []string{"PATH=/nowhere", "PATH=" + dir}
	if _, err := c.Output(t.Context()); err != nil {
		t.Errorf("PATH of the command's own environment: %v", err)
	}
	if _, err := (Cmd{Argv: []string{"./trap"}, Dir: dir}).Output(t.Context()); err != nil {
		t.Errorf("path relative to Dir: %v", err)
	}
	if _, err := (Cmd{}).Output(t.Context()); err == nil {
		t.Error("nothing was run, without an error")
	}
}

// trigger calls do at the first byte that is written to it.
type trigger struct{ do func() }

func (w *trigger) Write(p []byte) (int, error) {
	w.do()
	return len(p), nil
}

func TestF60CancelEndsTheGroup(t *testing.T) {
	for _, tt := range []struct {
		name string
		cmd  func(mark string) Cmd
		left int // processes in sessions of their own, which only the mark finds
	}{
		{"child holds the pipe", func(mark string) Cmd {
			c := sh("sleep 60 & echo started; wait")
			c.Env = append(os.Environ(), MarkVar+"="+mark)
			return c
		}, 0},
		{"TERM is ignored", func(mark string) Cmd { return marked(mark, "stubborn") }, 0},
		{"setsid child holds the pipe", func(mark string) Cmd { return marked(mark, "leave") }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mark := newMark(t)
			ctx, cancel := context.WithCancel(t.Context())
			err := tt.cmd(mark).run(ctx, &trigger{cancel}, 50*time.Millisecond, &syscall.SysProcAttr{Setpgid: true})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want canceled", err)
			}
			eventually(t, "the group has ended", func() bool {
				found, err := Marked(mark)
				return err == nil && len(found) == tt.left
			})
		})
	}
}

func TestF60DaemonHoldsTheOutput(t *testing.T) {
	var out strings.Builder
	err := marked(newMark(t), "abandon").run(t.Context(), &out, 50*time.Millisecond, &syscall.SysProcAttr{Setpgid: true})
	if out.String() != "ready\n" || err != nil {
		t.Errorf("%q, %v; want the output and no error", out.String(), err)
	}
}

func write(t *testing.T, path, text string, perm os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
