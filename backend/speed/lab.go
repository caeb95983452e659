package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"offrun/backend/config"
	"offrun/backend/httpapi"
	"offrun/backend/ops"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// Who commits in the lab.
const userName, userMail = "Speed", "speed@localhost"

const (
	bigFiles   = 11_000
	smallFiles = 300
)

// A lab is a folder that holds everything that is measured, and an environment
// that nothing of the user's reaches.
type lab struct {
	dir    string
	offrun string // the program that is measured
	self   string // this program, which plays the agents
	homes  []string
}

// newLab makes the folder and turns the environment of this process into that of
// the lab.
func newLab(ctx context.Context, offrun string) (*lab, error) {
	l := &lab{}
	var err error
	if l.offrun, err = filepath.Abs(offrun); err != nil {
		return nil, err
	}
	if l.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if l.dir, err = os.MkdirTemp("", "offrun-speed-"); err != nil {
		return nil, err
	}
	if l.dir, err = filepath.EvalSymlinks(l.dir); err != nil {
		return nil, err
	}
	if err := l.furnish(ctx); err != nil {
		return nil, errors.Join(err, l.close(ctx))
	}
	return l, nil
}

func (l *lab) furnish(ctx context.Context) error {
	path := os.Getenv("PATH")
	os.Clearenv()
	for name, value := range map[string]string{
		"PATH": path, "HOME": l.path("user"), "TMPDIR": l.path("tmp"), "LC_ALL": "C",
		"SHELL": "", // no login shell is asked for its PATH
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	for _, dir := range []string{"user", "tmp"} {
		if err := os.Mkdir(l.path(dir), 0o755); err != nil {
			return err
		}
	}
	identity := fmt.Sprintf("[user]\n\tname = %s\n\temail = %s\n", userName, userMail)
	if err := os.WriteFile(filepath.Join(l.path("user"), ".gitconfig"), []byte(identity), 0o644); err != nil {
		return err
	}
	return errors.Join(makeRepository(ctx, l.path("big"), bigFiles), makeRepository(ctx, l.path("small"), smallFiles))
}

// path is where something of the lab lies.
func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

// close ends what a trial that was cut off has left running, and deletes the lab.
func (l *lab) close(ctx context.Context) error {
	var errs []error
	for _, home := range l.homes {
		id, err := config.InstallID(home)
		if err == nil {
			_, err = proc.KillMarked(ctx, id, time.Second)
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, os.RemoveAll(l.dir))...)
}

// A desk is a bench that runs in the lab, and a client of it.
type desk struct {
	*httpapi.Client
	process *exec.Cmd
	log     *bytes.Buffer
	ended   chan struct{}
}

// open starts a bench on the data folder called home.
func (l *lab) open(ctx context.Context, home string) (*desk, error) {
	folder := l.path(home)
	if err := config.Make(folder); err != nil {
		return nil, err
	}
	// As many at once as any trial needs: what waits for its turn is not measured.
	if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte("parallel: 20\n"), 0o644); err != nil {
		return nil, err
	}
	l.homes = append(l.homes, folder)
	socket, err := config.Socket(folder)
	if err != nil {
		return nil, err
	}
	d := &desk{Client: httpapi.Dial(socket), log: &bytes.Buffer{}, ended: make(chan struct{})}
	d.process = exec.CommandContext(ctx, l.offrun, "serve", "--keep")
	d.process.Env = l.environ(home)
	d.process.Stderr = d.log
	d.process.Cancel = func() error { return d.process.Process.Signal(syscall.SIGTERM) }
	if err := d.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = d.process.Wait() // how it ended is in ProcessState
		close(d.ended)
	}()
	if err := d.answers(ctx); err != nil {
		return nil, fmt.Errorf("the bench does not answer: %w: %s", err, d.log)
	}
	return d, nil
}

// environ is the environment of a command that works on the data folder called home.
func (l *lab) environ(home string) []string {
	return append(os.Environ(), "OFFRUN_HOME="+l.path(home))
}

func (d *desk) answers(ctx context.Context) error {
	return await(ctx, 20*time.Second, soon, func() (bool, error) {
		select {
		case <-d.ended:
			return false, errors.New("it has ended")
		default:
		}
		_, err := ops.BenchShow.Ask(ctx, d, ops.None{})
		return err == nil, nil
	})
}

// pid is the process of the bench.
func (d *desk) pid() int { return d.process.Process.Pid }

// close ends the bench.
func (d *desk) close() error {
	if err := d.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-d.ended
	d.Close()
	return nil
}

// add opens the repository in dir as a project, trusted as it is, with the agents
// of the lab and a card to start.
func (l *lab) add(ctx context.Context, d *desk, dir string, agents string) (work.ProjectID, error) {
	files := map[string]string{
		".offrun/project.yaml": "trunk: main\n" + agents,
		"tasks/do.md":          "# Task: do something\n\n## Goal\n\nSomething is done.\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	in := ops.ProjectAt{}
	in.Body.Path, in.Body.Trust = dir, true
	state, err := ops.ProjectAdd.Ask(ctx, d, in)
	return state.Project.ID, err
}

// agent describes an agent that this program plays, for the settings of a project.
func (l *lab) agent(id, format string, args ...string) string {
	cmd := fmt.Sprintf("%q, \"agent\"", l.self)
	for _, a := range args {
		cmd += fmt.Sprintf(", %q", a)
	}
	return fmt.Sprintf("agents:\n  - id: %s\n    cmd: [%s]\n    output: %s\n", id, cmd, format)
}

// start begins a run of the lab's card.
func (d *desk) start(ctx context.Context, project work.ProjectID, agents ...string) (work.Run, error) {
	in := ops.StartRun{ProjectRef: ops.ProjectRef{Project: project}}
	in.Body.Task, in.Body.Agents = "do", agents
	return ops.RunStart.Ask(ctx, d, in)
}

// finish waits until nothing is worked on any more, and returns the run.
func (d *desk) finish(ctx context.Context, id work.RunID, limit time.Duration) (work.Run, error) {
	err := await(ctx, limit, lazily, func() (bool, error) {
		state, err := ops.BenchShow.Ask(ctx, d, ops.None{})
		return state.Working == 0, err
	})
	if err != nil {
		return work.Run{}, err
	}
	return ops.RunShow.Ask(ctx, d, ops.RunRef{Run: id})
}

// How often await asks: what only reads files may be asked often; a bench should
// not be kept busy with answers.
const (
	soon   = 2 * time.Millisecond
	lazily = 200 * time.Millisecond
)

// await asks every so often until done says yes.
func await(ctx context.Context, limit, every time.Duration, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not within %v", limit))
	defer cancel()
	for {
		if ok, err := done(); err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(every):
		}
	}
}
