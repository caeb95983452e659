package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"offrun/backend/cli/screen"
	"offrun/backend/git/gittest"
)

// A typist sits at a terminal in which offrun runs.
type typist struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd

	mu   sync.Mutex
	seen bytes.Buffer
}

// sit runs offrun in dir on a terminal of the given width.
func sit(t *testing.T, dir string, env []string, width int, args ...string) *typist {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { keys.Close() })
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	p := &typist{t: t, keys: keys, cmd: exec.Command("offrun", args...)}
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = tty, tty, tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		piece := make([]byte, 4096)
		for {
			n, err := keys.Read(piece)
			p.mu.Lock()
			p.seen.Write(piece[:n])
			p.mu.Unlock()
			if err != nil {
				return // the terminal hangs up when nobody has it open
			}
		}
	}()
	return p
}

// sees waits until the terminal has shown text.
func (p *typist) sees(text string) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(p.screen(), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%q never came:\n%s", text, p.screen())
		}
	}
}

func (p *typist) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// wipe forgets what the terminal has shown.
func (p *typist) wipe() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Reset()
}

func (p *typist) types(keys string) {
	p.t.Helper()
	if _, err := p.keys.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the program and compares its exit status.
func (p *typist) ends(want int) {
	p.t.Helper()
	err := p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("ended with %d (%v), want %d:\n%s", got, err, want, p.screen())
	}
}

// desk makes a project with an agent that waits for the file go, and returns its
// folder and the environment of a person's shell.
func desk(t *testing.T) (dir string, env []string) {
	t.Helper()
	home := gittest.Home(t)
	r := gittest.New(t)
	r.Write("tasks/hello.md", "# Task: Say hello\n")
	r.Write(".offrun/project.yaml", `acceptance: ["test -f hello.txt"]
agents:
  - {id: waits, cmd: ["fakeagent"], output: claude, env: {FAKE: "say=looking wait=../../go write=hello.txt result"}}
  - {id: quick, cmd: ["fakeagent"], output: claude, env: {FAKE: "write=hello.txt result"}}
`)
	r.Commit("project")
	env = append(os.Environ(), "OFFRUN_HOME="+filepath.Join(home, "data"), "TERM=xterm-256color", "NO_COLOR=")
	t.Cleanup(func() {
		stop := exec.Command("offrun", "serve", "stop")
		stop.Env = env
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("serve stop: %v: %s", err, out)
		}
	})
	return r.Dir, env
}

// On a terminal a run is followed line by line; nothing is started that was not
// shown; Ctrl-C asks, and detaching leaves the attempts at work.
func TestTerminal(t *testing.T) {
	dir, env := desk(t)
	p := sit(t, dir, env, 100, "project", "add", ".")
	p.sees("agent waits: cmd")
	p.sees("Trust everything on this list? [y/N]")
	p.types("n\r")
	p.ends(0)

	p = sit(t, dir, env, 100, "run", "--task", "hello", "--agents", "waits,quick")
	p.sees("test: test -f hello.txt")
	p.sees("Trust everything on this list, and start? [y/N]")
	p.types("y\r")
	p.sees("2 attempts on hello")
	p.sees("looking")
	p.sees("tests pass")
	p.types("\x03")
	p.sees("[d]etach, [c]ancel them, or [f]ollow on?")
	p.sees("then Enter [d]: ")
	p.wipe()
	p.types("f\r")
	p.sees("\x1b[J") // drawn anew
	p.types("\x03")
	p.sees("[f]ollow on?")
	p.types("\x03")
	p.sees("detached; follow it again with offrun attach")
	p.ends(0)

	// What was drawn fits, also when the terminal is narrow and then narrower.
	p = sit(t, dir, env, 60, "attach", "last")
	p.sees("running")
	gittest.Write(t, filepath.Join(dir, "go"), "")
	p.sees("next: offrun artifacts")
	p.ends(0)
	for line := range strings.Lines(p.screen()) {
		line = strings.TrimRight(line, "\r\n")
		if i := strings.LastIndex(line, "\x1b[J"); i >= 0 {
			line = line[i+len("\x1b[J"):]
		}
		if strings.Contains(line, "running") && screen.Width(line) >= 60 {
			t.Errorf("a line of %d columns on 60: %q", screen.Width(line), line)
		}
	}
}

// Ctrl-C and c cancel the attempts; what came of it is shown, and the status
// says that nothing good did.
func TestTerminalCancel(t *testing.T) {
	dir, env := desk(t)
	sit(t, dir, env, 100, "project", "add", ".", "--trust").ends(0)
	p := sit(t, dir, env, 100, "run", "--task", "hello", "--agents", "waits")
	p.sees("looking")
	p.types("\x03")
	p.sees("[c]ancel")
	p.types("c\r")
	p.sees("failing: cancelled")
	p.ends(nothingGood)
}
