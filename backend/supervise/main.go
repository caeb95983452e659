package supervise

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// beat is how often the supervisor looks at its files.
const beat = 100 * time.Millisecond

// Main is the supervisor: it runs the request in dir to its end and returns the
// exit status of this process, which says nothing about the command. environ is
// the whole environment for the command but for the mark.
//
// A hang-up is ignored. TERM, an interrupt, or the end of ctx are taken as the
// user's wish to end the command.
func Main(ctx context.Context, dir string, environ []string) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	// Taken and not ignored: the command would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	wish, cancel := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer cancel()

	before := func() bool { return there(dir, startedFile) || there(dir, exitFile) }
	l, err := lockFolder(ctx, dir, before)
	if before() {
		log.Info("the command was started before")
		return 0
	}
	if err != nil {
		log.Error("no lock", "error", err)
		return 1
	}
	defer func() { _ = l.Close() }()
	s := supervisor{dir: dir, env: environ, log: log, startedAt: time.Now().UTC(), kin: map[int]proc.Found{}}
	s.record(s.run(wish))
	return 0
}

// A supervisor is the state of Main.
type supervisor struct {
	dir       string
	env       []string
	log       *slog.Logger
	q         Request
	startedAt time.Time
	files     proc.Files
	command   *proc.Process
	kin       map[int]proc.Found // by pid: all descendants that were met while the command lived
}

// run starts the command and stays with it until nothing of it is left. wish is
// done when the command is to end.
func (s *supervisor) run(wish context.Context) work.Exit {
	var err error
	if s.q, err = read[Request](s.dir, requestFile); err != nil {
		return s.notStarted(err)
	}
	if early, err := read[stop](s.dir, stopFile); err == nil {
		exit := s.q.exit(s.startedAt, early.Reason)
		exit.Text = "it was ended before it was started"
		return exit
	}
	if err := s.start(); err != nil {
		return s.notStarted(err)
	}
	reason, text := s.stay(wish)
	// What is left is ended also when the wish to end it is what brought us here.
	left, err := s.finish(context.WithoutCancel(wish), reason)
	if err != nil {
		s.log.Error("leftovers", "error", err)
		text = strings.TrimPrefix(text+"; "+err.Error(), "; ")
	}
	return s.exit(reason, text, left)
}

// start starts the command. started.json is written before, so that no later
// supervisor starts it again, however this one ends.
func (s *supervisor) start() error {
	if err := s.open(); err != nil {
		return err
	}
	if err := write(s.dir, startedFile, started{StartedAt: s.startedAt}); err != nil {
		return err
	}
	c := proc.Cmd{Argv: s.q.Argv, Dir: s.q.Dir, Env: s.env}
	if s.q.Mark != "" {
		c.Env = append(slices.Clone(s.env), proc.MarkVar+"="+s.q.Mark)
	}
	p, err := proc.Start(c, s.files)
	if err != nil {
		return s.explain(err)
	}
	s.command = p
	err = write(s.dir, startedFile, started{StartedAt: s.startedAt, Pid: p.Pid(), Born: p.Started()})
	if err != nil {
		s.log.Error("the pid is not on record", "error", err) // its mark is
	}
	return nil
}

// open opens the command's files; they stay open until this process ends.
func (s *supervisor) open() (err error) {
	if s.q.Stdin != "" {
		if s.files.Stdin, err = os.Open(s.q.Stdin); err != nil {
			return err
		}
	}
	if s.files.Stdout, err = openOutput(s.q.Stdout); err != nil {
		return err
	}
	if s.q.Stderr == s.q.Stdout {
		s.files.Stderr = s.files.Stdout
		return nil
	}
	s.files.Stderr, err = openOutput(s.q.Stderr)
	return err
}

// openOutput opens for appending: the command's children write there as well, and
// none overwrites another's.
func openOutput(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600)
}

// explain puts into words why the command could not be started: the system says
// "no such file" of the program, its interpreter and its folder alike.
func (s *supervisor) explain(err error) error {
	if st, dirErr := os.Stat(s.q.Dir); dirErr != nil || !st.IsDir() {
		return fmt.Errorf("the folder %s is not there", s.q.Dir)
	}
	if len(s.q.Argv) == 0 {
		return err
	}
	name := s.q.Argv[0]
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(s.q.Dir, name)
	}
	if _, findErr := proc.Find(name, pathOf(s.env)); findErr != nil {
		return findErr
	}
	return err
}

// pathOf returns the PATH of an environment.
func pathOf(env []string) string {
	var path string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	return path
}

func (s *supervisor) notStarted(err error) work.Exit {
	exit := s.q.exit(s.startedAt, work.NotStarted)
	exit.Text = err.Error()
	return exit
}

// exit returns the record of a command that ran, of which left had to be ended.
func (s *supervisor) exit(reason work.ExitReason, text string, left []proc.Found) work.Exit {
	for _, f := range []*os.File{s.files.Stdout, s.files.Stderr} {
		if err := f.Sync(); err != nil { // the record is not to be older than what it is about
			s.log.Error("output may not be on the disk", "error", err)
		}
	}
	os.Remove(filepath.Join(s.dir, silentFile))
	exit := s.q.exit(s.startedAt, reason)
	var cpu time.Duration
	exit.Code, exit.Signal, cpu = s.command.Exit()
	exit.CPU, exit.Text, exit.Leftovers = work.SecondsOf(cpu), text, words(left)
	return exit
}

// record writes the exit record, for as long as it takes: the disk may be full,
// and without it nobody would ever know that the command has ended. It gives up
// only when somebody has taken the folder away.
func (s *supervisor) record(exit work.Exit) {
	for pause := beat; ; pause = min(2*pause, 5*time.Second) {
		err := write(s.dir, exitFile, exit)
		if err == nil || !there(s.dir, ".") {
			return
		}
		s.log.Error("the exit record cannot be written; trying again", "error", err, "pause", pause)
		time.Sleep(pause)
	}
}
