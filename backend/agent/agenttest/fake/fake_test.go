package fake

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/agent"
	"offrun/backend/agent/claude"
	"offrun/backend/work"
)

// TestMain makes this test binary the fake agent when it is told so.
func TestMain(m *testing.M) {
	if os.Getenv("BE_FAKE") == "1" {
		os.Exit(Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// command returns the fake agent in dir with steps.
func command(t *testing.T, dir, steps string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "--session-id", "s-1")
	c.Dir = dir
	c.Env = append(os.Environ(), "BE_FAKE=1", Steps+"="+steps)
	c.WaitDelay = time.Second
	return c
}

// perform runs the fake agent to its end and adds up what it says.
func perform(t *testing.T, dir, steps string) (agent.Facts, work.Exit) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := command(t, dir, steps)
	c.Stdout, c.Stderr = &stdout, &stderr
	x := work.Exit{Reason: work.Exited, StartedAt: time.Now()}
	err := c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		x.Code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	x.EndedAt, x.Stdout, x.Stderr = time.Now(), int64(stdout.Len()), int64(stderr.Len())
	facts := agent.Facts{Structured: true, Stdout: stdout.String(), Stderr: stderr.String()}
	for line := range bytes.Lines(stdout.Bytes()) {
		for _, e := range claude.Decode(line, false) {
			facts.Add(e)
		}
	}
	return facts, x
}

// TestJudged proves that each ending is told from the others.
func TestJudged(t *testing.T) {
	for _, tt := range []struct {
		id, steps string
		want      work.Class
	}{
		{"usual", "", work.ClassOK},
		{"F58 reads stdin to its end", "say=hi result", work.ClassOK},
		{"F65 burst", "burst", work.ClassIncomplete},
		{"F65 no final word", "say=hi write=a.txt", work.ClassIncomplete},
		{"F76 asks", "ask result", work.ClassNeedsYou},
		{"F76 is denied", "denied result", work.ClassNeedsYou},
		{"F78 login", "login exit=1", work.ClassNeedsLogin},
		{"F78 login, in words", "quiet stderr=please_log_in exit=1", work.ClassNeedsLogin},
		{"F85 limit", "limit", work.ClassLimited},
		{"F85 limit of a key", "limit=apikey", work.ClassLimited},
		{"F85 limit in words", "limit=text", work.ClassLimited},
		{"F86 hidden limit", "write=a.txt limit=hidden", work.ClassLimited},
		{"F88 cause on stderr", "say=hi stderr=no_such_card exit=3", work.ClassFailed},
		{"warning", "warn say=on result", work.ClassOK},
		{"garbage", "garbage latin1 split result", work.ClassOK},
		{"unknown step", "dance", work.ClassFailed},
	} {
		facts, x := perform(t, t.TempDir(), tt.steps)
		v := agent.Judge(facts, x)
		if v.Class != tt.want {
			t.Errorf("%s: judged %q because %q, want %q", tt.id, v.Class, v.Why, tt.want)
		}
		if tt.id == "F85 limit" && (v.ResetsAt == nil || time.Until(*v.ResetsAt) < time.Hour) {
			t.Errorf("limit resets at %v, want two hours from now", v.ResetsAt)
		}
	}
}

func TestF68LongLine(t *testing.T) {
	facts, _ := perform(t, t.TempDir(), "longline=20 say=after result")
	if len(facts.Stdout) < 20<<20 || facts.Said != "after" || facts.Ended == nil {
		t.Errorf("%d bytes, said %q", len(facts.Stdout), facts.Said)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	facts, x := perform(t, dir, "write=src/a.txt:some_text append=src/a.txt:more spaces=src/a.txt notes crlf latin names exec symlink ignored binary=1 many=5 delete=crlf.txt rename=latin1.txt:l.txt result")
	if x.Code != 0 || facts.Acted == 0 {
		t.Fatalf("exit status %d: %s", x.Code, facts.Stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "src/a.txt"))
	if err != nil || string(text) != "    some text\n    more\n" {
		t.Errorf("src/a.txt = %q, %v", text, err)
	}
	for _, name := range []string{"NOTES.md", "new\nline.txt", `quo"te.txt`, "l.txt", "out", "data.bin", "many/004/00004.txt"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestRepository runs every step about git in a linked worktree.
func TestRepository(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, tt := range []struct {
		steps string
		file  string // of the main checkout, that is there afterwards
	}{
		{"write=a.txt add commit branch=other tag=t1 detach write=b.txt stash stash-pop", ".git/refs/tags/t1"},
		{"nested leaked-init attributes main-edit=README main-ref agent-config shared-hook shared-config", ".git/hooks/post-checkout"},
		{"rewrite-git", ""},
		{"remove-git", ""},
	} {
		main := filepath.Join(t.TempDir(), "main")
		tree := filepath.Join(filepath.Dir(main), "tree")
		for _, args := range [][]string{{"init", "-q", "-b", "main", main}, {"-C", main, "commit", "-qm", "first", "--allow-empty"}, {"-C", main, "worktree", "add", "-q", tree}} {
			if err := git(args...); err != nil {
				t.Fatal(err)
			}
		}
		facts, x := perform(t, tree, tt.steps+" result")
		if x.Code != 0 {
			t.Errorf("%s: exit status %d: %s", tt.steps, x.Code, facts.Stderr)
		}
		if _, err := os.Stat(filepath.Join(main, tt.file)); err != nil {
			t.Errorf("%s: %v", tt.steps, err)
		}
	}
}

// TestF64Stay proves that it says it is done and stays.
func TestF64Stay(t *testing.T) {
	c := command(t, t.TempDir(), "say=hi result stay")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var seen []byte
	for buf := make([]byte, 4096); !bytes.Contains(seen, []byte(`"result"`)); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("ended by itself after %q: %v", seen, err)
		}
		seen = append(seen, buf[:n]...)
	}
	if err := c.Process.Signal(os.Kill); err != nil {
		t.Error("it is gone:", err)
	}
	_ = c.Wait() // killed, as wanted
}

func TestScript(t *testing.T) {
	for _, tt := range []struct {
		env   string
		texts []string
		want  string
	}{
		{"", nil, usual},
		{"", []string{"nothing", "# Task\nfake: say=hi result\nmore"}, "say=hi result"},
		{"commit", []string{"fake: say=hi"}, "commit"},
	} {
		if got := script(tt.env, tt.texts...); got != tt.want {
			t.Errorf("script(%q, %q) = %q, want %q", tt.env, tt.texts, got, tt.want)
		}
	}
}

// TestNoStepTwice keeps the tables apart: the first would hide the second.
func TestNoStepTwice(t *testing.T) {
	var all []string
	for _, table := range []map[string]step{speech, files, repository, process, sessions, dialogue} {
		for name := range table {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			t.Errorf("step %q is there twice", all[i])
		}
	}
	for field := range strings.FieldsSeq(usual) {
		name, _, _ := strings.Cut(field, "=")
		if _, ok := find(name); !ok {
			t.Errorf("the usual step %q is unknown", name)
		}
	}
}
