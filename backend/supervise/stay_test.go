package supervise

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// supervisor returns the pid of the command's supervisor.
func (c *command) supervisor() int {
	c.t.Helper()
	b, err := os.ReadFile(filepath.Join(c.dir, lockFile))
	if err != nil {
		c.t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		c.t.Fatal(err)
	}
	return pid
}

func signalPid(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

func TestVigil(t *testing.T) {
	begun := time.Now()
	at := func(s int) time.Time { return begun.Add(time.Duration(s) * time.Second) }
	for _, tt := range []struct {
		name  string
		q     Request
		heard map[int]int64 // second → size
		now   int
		want  work.ExitReason
	}{
		{"no limits", Request{}, nil, 1 << 20, ""},
		{"in time", Request{Total: 10 * time.Second, Start: 5 * time.Second}, map[int]int64{4: 1}, 9, ""},
		{"F59 no start", Request{Total: 10 * time.Second, Start: 5 * time.Second}, nil, 5, work.NoStart},
		{"F75 silent since", Request{Total: 10 * time.Second, Start: 5 * time.Second, Silence: time.Second}, map[int]int64{1: 1}, 9, ""},
		{"output was emptied", Request{Start: 5 * time.Second}, map[int]int64{1: 1, 2: 0}, 9, ""},
		{"too long", Request{Total: 10 * time.Second, Start: 5 * time.Second}, map[int]int64{1: 1, 9: 2}, 10, work.TimedOut},
		{"both", Request{Total: 10 * time.Second, Start: 10 * time.Second}, nil, 10, work.TimedOut},
	} {
		v := vigil{q: tt.q, begun: begun, heard: begun}
		for s := range tt.now {
			if size, ok := tt.heard[s]; ok {
				v.hear(at(s), size)
			}
		}
		if got, text := v.over(at(tt.now)); got != tt.want || (text == "") != (got == "") {
			t.Errorf("%s: %q, %q; want %q", tt.name, got, text, tt.want)
		}
	}
}

func TestF75HushTellsTheCPUTimeSince(t *testing.T) {
	dir := t.TempDir()
	begun := time.Now()
	cpu := 10 * time.Second
	h := hush{dir: dir, limit: 4 * time.Second, cpu: func() time.Duration { return cpu }}
	for _, step := range []struct {
		second, heard int
		want          work.Seconds // -1 is no warning
	}{
		{0, 0, -1},
		{1, 0, -1}, // the silence begins at a CPU time of 10 s
		{4, 0, 3},
		{10, 0, 3}, // not brought up to date yet
		{19, 0, 18},
		{20, 20, -1},
		{24, 20, -1}, // the next one begins at 34 s
		{25, 20, 1},
	} {
		at := func(s int) time.Time { return begun.Add(time.Duration(s) * time.Second) }
		cpu = time.Duration(9+step.second) * time.Second
		if step.second == 0 {
			cpu = 10 * time.Second
		}
		if err := h.note(at(step.second), at(step.heard)); err != nil {
			t.Fatal(err)
		}
		told, err := readOptional[silent](dir, silentFile)
		if err != nil {
			t.Fatal(err)
		}
		got := work.Seconds(-1)
		if told != nil {
			got = told.CPU
		}
		if got != step.want {
			t.Errorf("second %d: told %v, want %v", step.second, got, step.want)
		}
	}
}

func TestF58InputIsNullOrAFile(t *testing.T) {
	c := newCommand(t, "read")
	if exit := c.run(); !exit.OK() || c.output() != "done\n" {
		t.Errorf("without input: %+v, %q", exit, c.output())
	}
	c = newCommand(t, "read")
	c.q.Stdin = filepath.Join(t.TempDir(), "prompt")
	if err := os.WriteFile(c.q.Stdin, []byte("do it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if exit := c.run(); !exit.OK() || c.output() != "read do it\ndone\n" {
		t.Errorf("with input: %+v, %q", exit, c.output())
	}
}

func TestF59StartLimit(t *testing.T) {
	c := newCommand(t, "hang")
	c.q.Start = 300 * time.Millisecond
	if exit := c.run(); exit.Reason != work.NoStart || exit.Text == "" {
		t.Errorf("exit = %+v, want did not start", exit)
	}
}

func TestF60TotalLimitEndsTheGroup(t *testing.T) {
	for _, play := range []string{"crowd", "stubborn"} {
		t.Run(play, func(t *testing.T) {
			c := newCommand(t, play)
			c.q.Total = time.Second
			exit := c.run()
			if exit.Reason != work.TimedOut || exit.Code != -1 || !strings.HasPrefix(c.output(), "ready") {
				t.Errorf("exit = %+v after %q, want timed out", exit, c.output())
			}
			if want := map[string]string{"crowd": "terminated", "stubborn": "killed"}[play]; exit.Signal != want {
				t.Errorf("signal = %q, want %q", exit.Signal, want)
			}
			c.noneLeft()
		})
	}
}

func TestF62LeftoversAreEndedAndNamed(t *testing.T) {
	c := newCommand(t, "leave")
	exit := c.run()
	if !exit.OK() || exit.Reason != work.Exited || len(exit.Leftovers) != 1 || !strings.Contains(exit.Leftovers[0], filepath.Base(os.Args[0])) {
		t.Errorf("exit = %+v, want one leftover", exit)
	}
	c.noneLeft()
}

func TestF62LeftoversWithoutTheMark(t *testing.T) {
	c := newCommand(t, "scrub")
	c.start()
	c.said("ready")
	c.stop(work.Stopped)
	if exit := c.end(); exit.Reason != work.Stopped || len(exit.Leftovers) != 1 {
		t.Errorf("exit = %+v, want one leftover", exit)
	}
}

func TestF64FinishedAndStayed(t *testing.T) {
	c := newCommand(t, "stay")
	c.start()
	c.said(`{"type":"result"}`)
	c.stop(work.Finished)
	if exit := c.end(); exit.Reason != work.Finished || !exit.OK() || exit.Signal != "terminated" {
		t.Errorf("exit = %+v, want finished, a success", exit)
	}
}

func TestF65NoOutputIsLost(t *testing.T) {
	c := newCommand(t, "blurt")
	if exit := c.run(); exit.Stdout != 200<<10 || len(c.output()) != 200<<10 {
		t.Errorf("%d bytes on record, %d in the file, want %d", exit.Stdout, len(c.output()), 200<<10)
	}
}

func TestF75SilenceWarnsAndEndsNothing(t *testing.T) {
	c := newCommand(t, "ponder")
	c.q.Silence = 200 * time.Millisecond
	c.start()
	c.eventually("the silence is seen", func() bool {
		st := c.look()
		return st.SilentSince != nil || st.Phase == Ended
	})
	if exit := c.end(); !exit.OK() || c.output() != "after long thought\n" {
		t.Errorf("exit = %+v after %q", exit, c.output())
	}
}

func TestF88BothEndsAreKept(t *testing.T) {
	c := newCommand(t, "grumble")
	if exit := c.run(); exit.Code != 1 || exit.Reason != work.Exited {
		t.Errorf("exit = %+v", exit)
	}
	stdout, stderr, err := LastOutput(c.dir, 8)
	if string(stdout) != " reason\n" || len(stderr) != 0 || err != nil {
		t.Errorf("LastOutput = %q, %q, %v", stdout, stderr, err)
	}
}

func TestSignalsToTheSupervisor(t *testing.T) {
	c := newCommand(t, "hang")
	c.start()
	c.eventually("it runs", func() bool { return c.look().Pid > 0 })
	signalPid(t, c.supervisor(), syscall.SIGHUP)
	signalPid(t, c.supervisor(), syscall.SIGTERM)
	if exit := c.end(); exit.Reason != work.Stopped {
		t.Errorf("exit = %+v, want cancelled: a hang-up is ignored, TERM is a wish", exit)
	}

	c = newCommand(t, "hangup")
	if exit := c.run(); exit.Signal != "hangup" {
		t.Errorf("exit = %+v: the command inherited what its supervisor ignores", exit)
	}
}

func TestF123DiskFull(t *testing.T) {
	disk := smallDisk(t)
	c := newCommandIn(t, filepath.Join(disk, "turn"), "fill")
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	c.start()
	pid := c.supervisor()
	born, err := proc.StartTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	c.eventually("the command has ended on a full disk", func() bool {
		free, err := proc.Free(disk)
		return err == nil && free == 0 && len(proc.Group(c.look().Pid, born)) == 0
	})
	if st := c.look(); st.Phase != Running || !proc.Alive(pid, born) {
		t.Errorf("status = %+v: the supervisor gave up", st)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if exit := c.end(); exit.Code != 9 || exit.Reason != work.Exited || exit.Stdout == 0 {
		t.Errorf("exit = %+v", exit)
	}
}
