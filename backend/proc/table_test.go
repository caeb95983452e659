package proc

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

func TestAlive(t *testing.T) {
	p, _ := startFake(t, fake("sleep"))
	started, err := StartTime(p.Pid())
	if age := time.Since(started); err != nil || age < -startSlack || age > time.Minute {
		t.Fatalf("StartTime = %v, %v", started, err)
	}
	if !Alive(p.Pid(), started) {
		t.Error("a running process is not alive")
	}
	if Alive(p.Pid(), started.Add(-time.Hour)) {
		t.Error("another process with the same pid is taken for it")
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", ":"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Wait()
	started, err := StartTime(p.Pid)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process is a zombie", func() bool {
		e, err := process(p.Pid)
		return err == nil && e.zombie
	})
	if Alive(p.Pid, started) {
		t.Error("a zombie is alive")
	}
}

func TestStartTimeOfNobody(t *testing.T) {
	p, _ := startFake(t, sh(":"))
	<-p.Done()
	if _, err := StartTime(p.Pid()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want not exist", err)
	}
	if Alive(p.Pid(), time.Now()) {
		t.Error("nobody is alive")
	}
}

func TestFoundString(t *testing.T) {
	for _, tt := range []struct {
		f    Found
		want string
	}{
		{Found{Pid: 7}, "7"},
		{Found{Pid: 7, Argv: []string{"node", "server.js"}}, "7 node server.js"},
		{Found{Pid: 7, Argv: []string{strings.Repeat("ä", 300)}}, "7 " + strings.Repeat("ä", 100) + "…"},
	} {
		if got := tt.f.String(); got != tt.want {
			t.Errorf("%v = %q, want %q", tt.f.Argv, got, tt.want)
		}
	}
}
