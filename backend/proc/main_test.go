package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// playVar makes the test binary play one of the programs below, so that the tests
// have real processes that behave in a known way on every system.
const playVar = "OFFRUN_PROC_PLAY"

func TestMain(m *testing.M) {
	if play := plays[os.Getenv(playVar)]; play != nil {
		play()
		return
	}
	check(os.Setenv("GORACE", "atexit_sleep_ms=0")) // or each process of a -race test takes a second to end
	goleak.VerifyTestMain(m)
}

var plays = map[string]func(){
	// one line of 200 KB, and out
	"blurt": func() {
		fmt.Print(string(bytes.Repeat([]byte("x"), 200<<10)))
		os.Exit(0)
	},
	// a child in a session of its own, and out
	"leave": func() {
		startSleeper(&syscall.SysProcAttr{Setsid: true})
	},
	// a child in the same group, and out
	"abandon": func() { startSleeper(nil) },
	// a child in a session of its own that burns CPU time
	"toil": func() {
		x := exec.Command(os.Args[0])
		x.Env = append(os.Environ(), playVar+"=burn")
		x.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		check(x.Start())
		sleep()
	},
	"burn": func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		}
	},
	"sleep": sleep,
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		sleep()
	},
	// asked to end, it starts another
	"hydra": func() {
		ch := make(chan os.Signal, 1)
		signal.Notify(ch, syscall.SIGTERM)
		fmt.Println("ready")
		<-ch
		startSleeper(&syscall.SysProcAttr{Setsid: true})
	},
	"hold": func() {
		_, err := Lock(os.Args[1])
		check(err)
		fmt.Println("ready")
		sleep()
	},
	// starts a detached sleeper, prints its pid, and out
	"detach": func() {
		p, err := Detach(fake("sleep"), nil)
		check(err)
		fmt.Println(p.Pid())
	},
}

func sleep() { time.Sleep(time.Minute) }

func startSleeper(attr *syscall.SysProcAttr) {
	x := exec.Command(os.Args[0])
	x.Env = append(os.Environ(), playVar+"=sleep")
	x.SysProcAttr = attr
	x.Stdout = os.Stdout // a grandchild that holds the output open
	check(x.Start())
	fmt.Println("ready")
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// fake returns the command that plays a program of plays.
func fake(play string, args ...string) Cmd {
	return Cmd{
		Argv: append([]string{os.Args[0]}, args...),
		Env:  append(os.Environ(), playVar+"="+play),
	}
}

// marked is fake with a mark.
func marked(mark, play string) Cmd {
	c := fake(play)
	c.Env = append(c.Env, MarkVar+"="+mark)
	return c
}

// newMark returns a mark of this test alone, whose bearers end with the test.
func newMark(t *testing.T) string {
	mark := fmt.Sprintf("proc-test-%d-%s", os.Getpid(), t.Name())
	t.Cleanup(func() {
		found, _ := Marked(mark)
		for _, f := range found {
			f.signal(syscall.SIGKILL)
		}
	})
	return mark
}

// eventually waits until ok, and fails the test if that takes too long.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}
