package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"offrun/backend/bench"
	"offrun/backend/ops"
	"offrun/backend/work"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("OFFRUN_TEST_KNOCK"); path != "" {
		knock(path)
	}
	goleak.VerifyTestMain(m)
}

// serve opens a bench in a fresh data folder behind a socket, and returns a
// client, the socket, and a channel that gives what Serve returned.
func serve(t *testing.T, idle time.Duration) (*Client, string, <-chan error) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	b, err := bench.Open(ctx, bench.Options{Home: dir, Self: []string{"/nonexistent"}, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "offrun.sock")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- New(b, "test", b.Log).Serve(ctx, l, idle) }()
	c := Dial(path)
	t.Cleanup(func() {
		c.Close()
		cancel()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, path, done
}

func TestAskCarriesAnswersAndErrors(t *testing.T) {
	c, _, _ := serve(t, 0)
	state, err := ops.BenchShow.Ask(t.Context(), c, ops.None{})
	if err != nil || state.Version != "test" || state.PID != os.Getpid() {
		t.Errorf("bench.show = %+v, %v", state, err)
	}
	_, err = ops.ProjectShow.Ask(t.Context(), c, ops.ProjectRef{Project: "no/such one"})
	e := work.Public(err)
	if e.Code != work.NotFound || !strings.Contains(e.Msg, `"no/such one"`) || e.Next == "" {
		t.Errorf("project.show of nothing: %#v", e)
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	c, _, _ := serve(t, 0)
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://offrun/v1/projects", strings.NewReader(`{"path":"/","pth":1}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var p Problem
	if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.Code != "invalid" || res.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(strings.Join(p.List, " "), "pth") {
		t.Errorf("%s, %+v", res.Header.Get("Content-Type"), p)
	}
}

func TestOpenAPIHasEveryRow(t *testing.T) {
	c, _, _ := serve(t, 0)
	res, err := c.http.Get("http://offrun/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range ops.Table {
		if !strings.Contains(string(doc), `"operationId":"`+o.Info().Name+`"`) {
			t.Errorf("%s is not in the API's description", o.Info().Name)
		}
	}
}

func TestSocketIsForItsOwnerAlone(t *testing.T) {
	_, path, _ := serve(t, 0)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("socket: %v, %v; want 0600", info.Mode(), err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can knock as somebody else")
	}
	// The peer check must hold by itself, so the modes are opened up.
	for _, p := range []string{path, filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if err := os.Chmod(p, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	self := filepath.Join(filepath.Dir(path), "knock")
	if err := os.Link(mustExecutable(t), self); err != nil {
		b, err := os.ReadFile(mustExecutable(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(self, b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		uid  uint32
		want string
	}{{0, "200"}, {65534, "refused"}} {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "OFFRUN_TEST_KNOCK="+path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: tt.uid, Gid: tt.uid}}
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); got != tt.want {
			t.Errorf("uid %d: %q, %v; want %q", tt.uid, got, err, tt.want)
		}
	}
}

// knock is the other side of TestSocketIsForItsOwnerAlone, as another user.
func knock(path string) {
	c := Dial(path)
	_, err := ops.BenchShow.Ask(context.Background(), c, ops.None{})
	if err != nil {
		os.Stdout.WriteString("refused\n")
	} else {
		os.Stdout.WriteString("200\n")
	}
	if os.Getenv("OFFRUN_TEST_STOP") != "" {
		if _, err := ops.BenchReindex.Ask(context.Background(), c, ops.None{}); err != nil {
			os.Stdout.WriteString("refused\n")
		} else {
			os.Stdout.WriteString("200\n")
		}
	}
	os.Exit(0)
}

// An agent that finds the socket may look and change nothing.
func TestAttemptsOwnProgramsAreRefused(t *testing.T) {
	_, path, _ := serve(t, 0)
	for _, tt := range []struct{ env, want string }{{"NOTHING=", "200 200"}, {"OFFRUN_MARK=me/run/attempt/1", "200 refused"}} {
		cmd := exec.Command("/bin/sh", "-c", mustExecutable(t)+"; true") // a shell between, as agents have
		cmd.Env = append(os.Environ(), "OFFRUN_TEST_KNOCK="+path, "OFFRUN_TEST_STOP=1", tt.env)
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.env, got, err, tt.want)
		}
	}
}

func mustExecutable(t *testing.T) string {
	t.Helper()
	p, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStopEndsServing(t *testing.T) {
	c, path, done := serve(t, 0)
	if _, err := ops.BenchStop.Ask(t.Context(), c, ops.None{}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
	_, err := ops.BenchShow.Ask(t.Context(), Dial(path), ops.None{})
	if !NotServing(err) {
		t.Errorf("asked a bench that has ended: %v", err)
	}
}

func TestNotServing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"no socket": filepath.Join(dir, "offrun.sock"), "no folder": filepath.Join(dir, "none", "offrun.sock"),
		"a file for a folder": filepath.Join(file, "offrun.sock"), "a file for a socket": file,
	} {
		if _, err := ops.BenchShow.Ask(t.Context(), Dial(path), ops.None{}); !NotServing(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIdleBenchEnds(t *testing.T) {
	_, _, done := serve(t, 20*time.Millisecond)
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
}

// A long poll ends when something happens, not when its time is up.
func TestEventsWakeALongPoll(t *testing.T) {
	c, _, _ := serve(t, 0)
	got := make(chan work.EventPage, 1)
	go func() {
		page, err := ops.EventList.Ask(t.Context(), c, ops.EventQuery{After: 0, WaitSeconds: 60})
		if err != nil {
			t.Error(err)
		}
		got <- page
	}()
	repo := t.TempDir()
	git := exec.Command("git", "init", "-q", "-b", "main", repo)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	in := ops.ProjectAt{}
	in.Body.Path = repo
	if _, err := ops.ProjectAdd.Ask(t.Context(), c, in); err != nil {
		t.Fatal(err)
	}
	if page := <-got; len(page.Events) == 0 || page.Events[0].Kind != work.ProjectChanged {
		t.Errorf("page = %+v", page)
	}
}
