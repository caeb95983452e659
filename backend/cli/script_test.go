package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"offrun/backend/agent/agenttest/fake"
	"offrun/backend/git/gittest"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// TestMain makes programs of this test: offrun as main.go runs it, and the fake
// agent under its own name and under that of an agent that Offrun knows.
func TestMain(m *testing.M) {
	agent := func() { os.Exit(fake.Main(os.Args[1:])) }
	testscript.Main(m, map[string]func(){
		"offrun": func() {
			program, err := os.Executable()
			if err != nil {
				panic(err)
			}
			os.Exit(Main(context.Background(), Env{
				Args: os.Args[1:], Environ: os.Environ(), Self: []string{program},
				Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			}))
		},
		"fakeagent": agent,
		"claude":    agent,
	})
}

// TestScript runs the program from outside. Every script has a home, a data
// folder and a cache of its own, and leaves no process behind.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup:              func(e *testscript.Env) error { return setUp(t, e) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":       repo,
			"git":        git,
			"eventually": eventually,
			"status":     statusOf,
			"killbench":  killBench,
			"big":        big,
			"expand":     expand,
			"remember":   func(ts *testscript.TestScript, _ bool, args []string) { remember(t, ts, args) },
		},
	})
}

func setUp(t *testing.T, e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Vars = append(e.Vars, gittest.Env(t, home)...)
	e.Setenv("OFFRUN_HOME", filepath.Join(e.WorkDir, "data"))
	e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
	e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "share"))
	e.Defer(func() { noneLeft(t, e) })
	return nil
}

// noneLeft ends the bench of a script, and makes sure that none of its attempts
// has left a process.
func noneLeft(t *testing.T, e *testscript.Env) {
	data := e.Getenv("OFFRUN_HOME")
	if _, err := os.Stat(filepath.Join(data, "offrun.db")); errors.Is(err, os.ErrNotExist) {
		return
	}
	offrun, err := exec.LookPath("offrun")
	if err != nil {
		t.Error(err)
		return
	}
	_, err = proc.Cmd{Argv: []string{offrun, "serve", "stop"}, Env: e.Vars}.Output(context.Background())
	if err != nil {
		t.Errorf("%s: serve stop: %v", filepath.Base(e.WorkDir), err)
	}
	id, err := os.ReadFile(filepath.Join(data, "install-id"))
	if err != nil {
		return // nothing was ever started
	}
	left, err := proc.KillMarked(context.Background(), strings.TrimSpace(string(id)), 0)
	if err != nil || len(left) > 0 {
		t.Errorf("%s left processes behind: %v, %v", filepath.Base(e.WorkDir), left, err)
	}
}

// repo makes the folder a repository with everything in it committed:
//
//	repo shop
func repo(ts *testscript.TestScript, neg bool, args []string) {
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "first"},
		{"config", "commit.gpgSign", "false"}, // nobody's key is there to sign what lands
	} {
		git(ts, neg, append([]string{"-C", ts.MkAbs(args[0])}, words...))
	}
}

// git runs git without what the weird user has put in its way:
//
//	git commit -qam second
func git(ts *testscript.TestScript, neg bool, args []string) {
	var argv []string
	for _, s := range []string{"core.hooksPath=/dev/null", "diff.orderFile=/dev/null", "core.fsmonitor=false", "core.safecrlf=false", "commit.gpgSign=false", "color.ui=never"} {
		argv = append(argv, "-c", s)
	}
	ts.Check(ts.Exec("git", append(argv, args...)...))
}

// eventually runs a command until its output matches a pattern; it pauses only so
// that the asking does not slow down what is waited for:
//
//	eventually '"state": "done"' offrun show last --json
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	want := regexp.MustCompile(args[0])
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := ts.Exec(args[1], args[2:]...)
		out := ts.ReadFile("stdout")
		if err == nil && want.MatchString(out) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%q never appeared in %s (%v)", args[0], out, err)
		}
	}
}

// statusOf runs a command and compares its exit status:
//
//	status 3 offrun show 1999
func statusOf(ts *testscript.TestScript, neg bool, args []string) {
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with %s, want %s\n%s", strings.Join(args[1:], " "), got, args[0], ts.ReadFile("stderr"))
	}
}

// killBench kills the bench with SIGKILL and waits until it is gone.
func killBench(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("offrun", "serve", "status", "--json"))
	var b work.BenchState
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &b))
	started, err := proc.StartTime(b.PID)
	ts.Check(err)
	ts.Check(syscall.Kill(b.PID, syscall.SIGKILL))
	for end := time.Now().Add(10 * time.Second); proc.Alive(b.PID, started); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("the bench %d does not die", b.PID)
		}
	}
}

// big writes a file of so many megabytes:
//
//	big shop/tasks/big.md 10
func big(ts *testscript.TestScript, neg bool, args []string) {
	mb, err := time.ParseDuration(args[1] + "s")
	ts.Check(err)
	line := strings.Repeat("# Task: a card that goes on and on\n", 30)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(line, int(mb.Seconds())<<20/len(line)+1)), 0o644))
}

// remember checks at the end that nothing of the user's in a repository has
// changed but what is named:
//
//	remember shop refs/heads/main
func remember(t *testing.T, ts *testscript.TestScript, args []string) {
	ts.Defer(gittest.Invariants(t, ts.MkAbs(args[0]), args[1:]...))
}

// expand replaces WORKDIR in a file by the folder of the script:
//
//	expand shop/.offrun/project.yaml
func expand(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "WORKDIR", ts.Getenv("WORK"))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
