package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

func TestRunToTheEnd(t *testing.T) {
	c := newCommand(t, "speak")
	if st := c.look(); st.Phase != Absent {
		t.Errorf("before: %v", st.Phase)
	}
	exit := c.run()
	if exit.Reason != work.Exited || exit.Code != 0 || !exit.OK() || exit.Stdout != 4 || exit.Stderr != 4 {
		t.Errorf("exit = %+v", exit)
	}
	if exit.CPU <= 0 || exit.StartedAt.IsZero() || exit.EndedAt.Before(exit.StartedAt) {
		t.Errorf("times of %+v", exit)
	}
	if c.output() != "out\n" {
		t.Errorf("output = %q", c.output())
	}
	for _, name := range []string{"agent.log", "agent.err", requestFile, startedFile, exitFile, logFile} {
		st, err := os.Stat(filepath.Join(c.dir, name))
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want it private", name, st, err)
		}
	}
}

func TestEnvironmentIsInNoFile(t *testing.T) {
	c := newCommand(t, "env")
	c.q.Stdout, c.q.Stderr = filepath.Join(t.TempDir(), "env"), os.DevNull
	c.env = append(c.env, "SECRET=canary-7391", proc.MarkVar+"=another")
	c.run()
	if out := c.output(); !strings.Contains(out, "SECRET=canary-7391\n") || strings.Count(out, proc.MarkVar+"="+c.q.Mark+"\n") != 1 || strings.Contains(out, "=another") {
		t.Errorf("the command's environment:\n%s", out)
	}
	files, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err != nil || strings.Contains(string(b), "canary-7391") {
			t.Errorf("%s holds the secret (%v)", file, err)
		}
	}
	q, err := read[Request](c.dir, requestFile)
	if err != nil || !strings.Contains(strings.Join(q.EnvNames, " "), "SECRET") {
		t.Errorf("names = %q, %v", q.EnvNames, err)
	}
}

func TestBothOutputsInOneFile(t *testing.T) {
	c := newCommand(t, "speak")
	c.q.Stderr = c.q.Stdout
	c.run()
	if c.output() != "out\nerr\n" {
		t.Errorf("output = %q", c.output())
	}
}

func TestManySupervisorsRunItOnce(t *testing.T) {
	c := newCommand(t, "count")
	c.request()
	var all sync.WaitGroup
	for range 6 {
		p := c.launch()
		all.Go(func() { <-p.Done() })
	}
	c.start()
	all.Wait()
	c.start()
	if exit := c.end(); !exit.OK() || c.ran() != 1 {
		t.Errorf("exit = %+v, and it ran %d times", exit, c.ran())
	}
}

// request and launch are the two halves of Start, without the wait.
func (c *command) request() {
	c.t.Helper()
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := create(c.dir, requestFile, c.q); err != nil {
		c.t.Fatal(err)
	}
}

func (c *command) launch() *proc.Process {
	c.t.Helper()
	p, err := launch(c.dir, c.env, []string{os.Args[0]})
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

// ran returns how many times the play "count" has run.
func (c *command) ran() int {
	b, _ := os.ReadFile(filepath.Join(c.dir, "ran"))
	return strings.Count(string(b), "\n")
}

func TestNotStarted(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(script, []byte("#!/no/such/node\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"no program":     {func(q *Request) { q.Argv = []string{"no-such-agent"} }, `the program "no-such-agent" is not there`},
		"no arguments":   {func(q *Request) { q.Argv = nil }, "nothing to run"},
		"no interpreter": {func(q *Request) { q.Argv = []string{script} }, `is a script for "/no/such/node"`},
		"not executable": {func(q *Request) { q.Argv = []string{plain} }, "is not executable"},
		"no folder":      {func(q *Request) { q.Dir = "/no/such/dir" }, "the folder /no/such/dir is not there"},
		"no input":       {func(q *Request) { q.Stdin = "/no/such/prompt" }, "/no/such/prompt"},
		"no output":      {func(q *Request) { q.Stdout = "/no/such/dir/log" }, "/no/such/dir/log"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCommand(t, "speak")
			tt.change(&c.q)
			exit := c.run()
			if exit.Reason != work.NotStarted || exit.Code != -1 || exit.OK() || !strings.Contains(exit.Text, tt.want) {
				t.Errorf("exit = %+v, want not started and %q", exit, tt.want)
			}
		})
	}
}

func TestStartErrors(t *testing.T) {
	c := newCommand(t, "speak")
	if err := Start(c.dir, c.q, c.env, []string{"/no/such/offrun"}); err == nil {
		t.Error("a supervisor that is not there was started")
	}
	err := Start(c.dir, c.q, c.env, []string{"/bin/sh", "-c", "echo broken >&2; exit 1"})
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error = %v, want what the supervisor said", err)
	}
	if exit := c.run(); !exit.OK() { // nothing of that stands in the way
		t.Errorf("exit = %+v", exit)
	}
}

func TestStop(t *testing.T) {
	c := newCommand(t, "hang")
	c.start()
	c.eventually("it runs", func() bool { st := c.look(); return st.Phase == Running && st.Pid > 0 })
	c.stop(work.GaveUp)
	c.stop(work.Finished) // too late
	exit := c.end()
	if exit.Reason != work.GaveUp || exit.Code != -1 || exit.Signal != "terminated" || exit.OK() {
		t.Errorf("exit = %+v", exit)
	}
	c.stop(work.Stopped)
	if c.look().Exit.Reason != work.GaveUp {
		t.Error("a stop after the end changed the record")
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	c := newCommand(t, "count")
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.stop(work.Stopped)
	if exit := c.run(); exit.Reason != work.Stopped || c.ran() != 0 {
		t.Errorf("exit = %+v, ran %d times", exit, c.ran())
	}
}

func TestStopNowhere(t *testing.T) {
	if err := Stop(filepath.Join(t.TempDir(), "no"), work.Stopped); err == nil {
		t.Error("no error")
	}
}

func TestLookAtDamage(t *testing.T) {
	for _, name := range []string{startedFile, exitFile} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if st, err := Look(dir); err == nil || !strings.Contains(err.Error(), name) || st != (Status{}) {
			t.Errorf("%s: %+v, %v; want an error that names the file", name, st, err)
		}
	}
}

// A supervisor is killed at instants spread over its whole life, from its first
// instruction on. The command never runs twice, always gets a record, and nothing
// of it stays behind.
func TestKilledSupervisor(t *testing.T) {
	const rounds = 20
	whole := newCommand(t, "count")
	whole.request()
	begun := time.Now()
	<-whole.launch().Done()
	life := time.Since(begun)
	reasons := map[work.ExitReason]int{}
	for i := range rounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := newCommand(t, "count")
			c.request()
			p := c.launch()
			select {
			case <-p.Done():
			case <-time.After(life * time.Duration(i) / rounds):
				p.SignalGroup(syscall.SIGKILL)
				<-p.Done()
			}
			exit := c.carryOn()
			reasons[exit.Reason]++
			if ran := c.ran(); ran > 1 || exit.Reason == work.Exited && ran != 1 {
				t.Errorf("%s, and it ran %d times", exit.Reason, ran)
			}
		})
	}
	t.Log(reasons)
}

// carryOn does what a bench does that finds the command after a crash.
func (c *command) carryOn() work.Exit {
	c.t.Helper()
	for {
		switch st := c.look(); st.Phase {
		case Requested:
			c.start()
		case Lost:
			exit, err := Recover(c.t.Context(), c.dir, c.q.Grace)
			if err != nil {
				c.t.Fatal(err)
			}
			return exit
		default:
			return c.end()
		}
	}
}

func TestRecover(t *testing.T) {
	c := newCommand(t, "crowd")
	c.start()
	c.said("ready")
	l, err := Recover(t.Context(), c.dir, 0)
	if work.CodeOf(err) != work.Busy {
		t.Errorf("while it runs: %+v, %v; want busy", l, err)
	}
	signalPid(t, c.supervisor(), syscall.SIGKILL)
	c.eventually("it is lost", func() bool { return c.look().Phase == Lost })
	c.start()
	if st := c.look(); st.Phase != Lost {
		t.Errorf("Start brought it back: %+v", st)
	}
	exit, err := Recover(t.Context(), c.dir, c.q.Grace)
	if err != nil || exit.Reason != work.Lost || exit.OK() || exit.Code != -1 || exit.Stdout != 6 || len(exit.Leftovers) != 3 {
		t.Errorf("Recover = %+v, %v; want lost and three processes ended", exit, err)
	}
	again, err := Recover(t.Context(), c.dir, c.q.Grace)
	if err != nil || again.EndedAt != exit.EndedAt {
		t.Errorf("second Recover = %+v, %v; want the first record", again, err)
	}
}

func TestRecoverOfNothing(t *testing.T) {
	if _, err := Recover(t.Context(), t.TempDir(), 0); work.CodeOf(err) != work.NotFound {
		t.Errorf("error = %v, want not found", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := newCommand(t, "hang")
	c.start()
	if _, err := Recover(ctx, c.dir, 0); err == nil {
		t.Error("a running command was recovered")
	}
}
