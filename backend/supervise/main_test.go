package supervise

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// The test binary is the supervisor, when it is started with these arguments, and
// the program that is supervised, when playVar names a play.
const (
	playVar = "OFFRUN_SUPERVISE_PLAY"
	dirVar  = "OFFRUN_SUPERVISE_DIR" // the command's folder, so that a play can wait for files
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "supervise" {
		os.Exit(Main(context.Background(), os.Args[2], os.Environ()))
	}
	if play := plays[os.Getenv(playVar)]; play != nil {
		play()
		return
	}
	check(os.Setenv("GORACE", "atexit_sleep_ms=0")) // or each process of a -race test takes a second to end
	goleak.VerifyTestMain(m)
}

var plays = map[string]func(){
	"speak": func() {
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
	},
	"count": func() { // leaves a line for each time it runs, and a helper
		note("ran")
		fmt.Println("ready")
		helper()
		time.Sleep(20 * time.Millisecond)
	},
	"env": func() {
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
	},
	"read": func() { // fault F58: reads its input to the end first
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			fmt.Println("read", in.Text())
		}
		fmt.Println("done")
	},
	"hang": sleep,
	"stay": func() { // fault F64: says that it is done, and stays
		fmt.Println(`{"type":"result"}`)
		sleep()
	},
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		sleep()
	},
	"leave": func() { // fault F62: a helper in a session of its own holds the output open
		helper()
		fmt.Println("ready")
	},
	"crowd": func() { // fault F60: a child in the same group, and one in its own session
		start(nil)
		helper()
		fmt.Println("ready")
		sleep()
	},
	"scrub": func() { // a helper that has lost the mark, and its session
		check(os.Unsetenv(proc.MarkVar))
		helper()
		fmt.Println("ready")
		sleep()
	},
	"blurt": func() { // fault F65
		fmt.Print(strings.Repeat("x", 200<<10))
		os.Exit(0)
	},
	"ponder": func() { // fault F75: silent until it is noticed, then goes on
		until(func() bool { return exists(silentFile) })
		fmt.Println("after long thought")
		until(func() bool { return !exists(silentFile) })
	},
	"grumble": func() { // fault F88: the reason on standard output only
		fmt.Println("the reason")
		os.Exit(1)
	},
	"hangup": func() { // ends by a hang-up unless that is ignored
		check(syscall.Kill(os.Getpid(), syscall.SIGHUP))
		sleep()
	},
	"fill": func() { // writes until the disk is full
		for {
			if _, err := fmt.Println(strings.Repeat("x", 4095)); err != nil {
				os.Exit(9)
			}
		}
	},
}

func sleep() { time.Sleep(time.Minute) }

// helper starts a sleeper in a session of its own.
func helper() { start(&syscall.SysProcAttr{Setsid: true}) }

func start(attr *syscall.SysProcAttr) {
	check(os.Setenv(playVar, "hang")) // the child plays something else, or it would start a child, too
	_, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{
		Files: []*os.File{nil, os.Stdout, os.Stderr},
		Sys:   attr,
	})
	check(err)
}

func note(name string) {
	f, err := os.OpenFile(filepath.Join(os.Getenv(dirVar), name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	check(err)
	_, err = f.WriteString("x\n")
	check(err)
}

func exists(name string) bool { return there(os.Getenv(dirVar), name) }

func until(ok func() bool) {
	for !ok() {
		time.Sleep(5 * time.Millisecond)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A command is one under test.
type command struct {
	t   *testing.T
	dir string
	q   Request
	env []string
}

// newCommand returns a command that plays play, with short limits. All that it
// leaves behind ends with the test.
func newCommand(t *testing.T, play string) *command {
	t.Helper()
	return newCommandIn(t, filepath.Join(t.TempDir(), "turn"), play)
}

// newCommandIn is newCommand with the folder of its files.
func newCommandIn(t *testing.T, dir, play string) *command {
	t.Helper()
	mark := fmt.Sprintf("supervise-test-%d-%s", os.Getpid(), t.Name())
	c := &command{
		t:   t,
		dir: dir,
		q: Request{
			Argv:   []string{os.Args[0]},
			Dir:    t.TempDir(),
			Stdout: filepath.Join(dir, "agent.log"),
			Stderr: filepath.Join(dir, "agent.err"),
			Mark:   mark,
			Grace:  200 * time.Millisecond,
		},
		env: append(os.Environ(), playVar+"="+play, dirVar+"="+dir),
	}
	t.Cleanup(func() {
		if st, err := Look(dir); err == nil && st.Phase == Running {
			c.stop(work.Stopped)
			c.end()
		}
		c.noneLeft()
	})
	return c
}

func (c *command) start() {
	c.t.Helper()
	if err := Start(c.dir, c.q, c.env, []string{os.Args[0]}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *command) stop(reason work.ExitReason) {
	c.t.Helper()
	if err := Stop(c.dir, reason); err != nil {
		c.t.Fatal(err)
	}
}

func (c *command) look() Status {
	c.t.Helper()
	st, err := Look(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	return st
}

// end waits for the end of the command and returns its record.
func (c *command) end() work.Exit {
	c.t.Helper()
	c.eventually("the command has ended", func() bool { return c.look().Phase == Ended })
	return *c.look().Exit
}

// run is start and end.
func (c *command) run() work.Exit {
	c.t.Helper()
	c.start()
	return c.end()
}

// said waits until the command's standard output begins with text.
func (c *command) said(text string) {
	c.t.Helper()
	c.eventually("it says "+text, func() bool { return strings.HasPrefix(c.output(), text) })
}

func (c *command) output() string {
	b, _ := os.ReadFile(c.q.Stdout)
	return string(b)
}

// noneLeft fails the test if a process of the command lives, and ends it.
func (c *command) noneLeft() {
	c.t.Helper()
	found, err := proc.Marked(c.q.Mark)
	if err != nil || len(found) > 0 {
		c.t.Errorf("left running: %v, %v", found, err)
	}
	for _, f := range found {
		syscall.Kill(f.Pid, syscall.SIGKILL)
	}
}

// eventually waits until ok, and fails the test if that takes too long.
func (c *command) eventually(what string, ok func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(c.dir, logFile))
			c.t.Fatalf("never happened: %s\n%s", what, log)
		}
	}
}
