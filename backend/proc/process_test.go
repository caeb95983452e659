package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startFake starts c with its output in a file, and ends its group with the test.
func startFake(t *testing.T, c Cmd) (p *Process, output func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err = Start(c, Files{Stdout: f, Stderr: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.SignalGroup(syscall.SIGKILL)
		<-p.Done()
	})
	return p, func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

func ready(t *testing.T, output func() string) {
	t.Helper()
	eventually(t, "the program is ready", func() bool { return strings.HasPrefix(output(), "ready") })
}

func TestF65OutputGoesStraightToFile(t *testing.T) {
	p, output := startFake(t, fake("blurt"))
	if code, signal, _ := p.Exit(); code != 0 || signal != "" {
		t.Errorf("Exit = %d, %q", code, signal)
	}
	if n := len(output()); n != 200<<10 {
		t.Errorf("%d bytes arrived, want %d", n, 200<<10)
	}
}

func TestStartReadsNull(t *testing.T) {
	p, _ := startFake(t, Cmd{Argv: []string{"cat"}})
	if code, _, _ := p.Exit(); code != 0 {
		t.Errorf("cat of nothing: exit status %d", code)
	}
}

func TestStartErrors(t *testing.T) {
	for _, c := range []Cmd{
		{Argv: []string{"no-such-program"}},
		{Argv: []string{"/no/such/program"}},
		{Argv: []string{"true"}, Dir: "/no/such/dir"},
		{},
	} {
		if _, err := Start(c, Files{}); err == nil {
			t.Errorf("%v in %q was started", c.Argv, c.Dir)
		}
	}
}

func TestExit(t *testing.T) {
	p, _ := startFake(t, sh("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 7"))
	if code, signal, cpu := p.Exit(); code != 7 || signal != "" || cpu <= 0 {
		t.Errorf("Exit = %d, %q, %v", code, signal, cpu)
	}
	p, _ = startFake(t, sh("kill -TERM $$"))
	if code, signal, _ := p.Exit(); code != -1 || signal != "terminated" {
		t.Errorf("Exit = %d, %q; want -1, terminated", code, signal)
	}
}

func TestGroupOutlivesItsLeader(t *testing.T) {
	p, output := startFake(t, fake("abandon"))
	<-p.Done()
	ready(t, output)
	if group := p.Group(); len(group) != 1 || group[0].Pid == p.Pid() {
		t.Fatalf("group = %v, want the child alone", group)
	}
	if err := p.SignalGroup(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	eventually(t, "the group has ended", func() bool { return !p.GroupAlive() })
	if err := p.SignalGroup(syscall.SIGTERM); err != nil {
		t.Errorf("signal to a group that is gone: %v", err)
	}
}

func TestF75GroupCPUCountsOtherSessions(t *testing.T) {
	mark := newMark(t)
	p, _ := startFake(t, marked(mark, "toil"))
	eventually(t, "the grandchild's time is counted", func() bool { return p.GroupCPU() > 200*time.Millisecond })
}

func TestFamilyIncludesOtherSessions(t *testing.T) {
	p, _ := startFake(t, marked(newMark(t), "toil"))
	eventually(t, "both are there", func() bool { return len(p.Family()) == 2 && len(p.Group()) == 1 })
}

func TestDetachOutlivesItsParent(t *testing.T) {
	mark := newMark(t)
	out, err := marked(mark, "detach").Output(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	e, err := process(pid)
	if err != nil {
		t.Fatal(err)
	}
	if e.ppid == os.Getpid() || e.pgid != pid {
		t.Errorf("parent %d, group %d: want an orphan that leads its group", e.ppid, e.pgid)
	}
}
