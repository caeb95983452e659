package fake

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// process are steps about how the program lives and ends. Sleeping is what these
// agents do: no test waits by it.
var process = map[string]step{
	"exit":        func(_ *fake, arg string) (int, bool) { return count(arg, 0), true },
	"crash":       func(*fake, string) (int, bool) { return 0, syscall.Kill(os.Getpid(), syscall.SIGKILL) == nil },
	"stay":        do(func(*fake, string) error { time.Sleep(time.Hour); return nil }),
	"sleep":       do(sleep), // =500ms
	"wait":        do(wait),  // =file: until it is there, for tests that steer it
	"ignore-term": do(func(*fake, string) error { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP); return nil }),
	"polite":      do(polite),                                                                         // ends with 0 when told to, as one vendor's program does
	"child":       do(func(*fake, string) error { return start(nil) }),                                // outlives it, in its group
	"grandchild":  do(func(*fake, string) error { return start(&syscall.SysProcAttr{Setsid: true}) }), // in a session of its own, holding the output
	"busy":        do(busy),                                                                           // =500ms of CPU without a word
	"run":         do(run),                                                                            // =file: sh file
	"pid":         do(func(_ *fake, arg string) error { return put(arg, fmt.Appendln(nil, os.Getpid())) }),
}

func sleep(_ *fake, arg string) error {
	d, err := time.ParseDuration(arg)
	time.Sleep(d)
	return err
}

func wait(_ *fake, arg string) error {
	for {
		if _, err := os.Stat(arg); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func polite(*fake, string) error {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	go func() {
		<-told
		os.Exit(0)
	}()
	return nil
}

// start starts a process that holds standard output and stays for an hour.
func start(attr *syscall.SysProcAttr) error {
	c := exec.Command("sleep", "3600")
	c.Stdout, c.Stderr, c.SysProcAttr = os.Stdout, os.Stderr, attr
	return c.Start()
}

func busy(_ *fake, arg string) error {
	d, err := time.ParseDuration(arg)
	for until := time.Now().Add(d); time.Now().Before(until); {
	}
	return err
}

func run(f *fake, arg string) error {
	out, err := exec.Command("sh", filepath.Clean(arg)).CombinedOutput()
	if err != nil {
		return err
	}
	return f.say(string(out))
}
