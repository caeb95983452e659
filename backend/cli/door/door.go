// Package door finds who answers a command: the bench that listens on the socket
// of the data folder; or, for questions that only read, this very process; or a
// bench that it starts, which stays when the command has ended.
package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"offrun/backend/bench"
	"offrun/backend/cli/screen"
	"offrun/backend/config"
	"offrun/backend/httpapi"
	"offrun/backend/ops"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// Options say whose door it is. All of them are required.
type Options struct {
	Getenv  func(string) string
	Environ []string // of a bench that is started, "K=V"
	Self    []string // argument list that runs this program, to be followed by "serve"
	Version string
	Notes   io.Writer           // gets what happened when the bench opened
	Code    func(int) work.Code // what an exit status of ours stands for
}

// A Door is an ops.Door to the bench of the data folder. It may be asked from
// several goroutines once Open was called.
type Door struct {
	Options
	home     string
	client   *httpapi.Client
	answered atomic.Bool

	mu    sync.Mutex // held while the database is opened, or a bench started
	local *bench.Bench
}

// New returns a door; nothing is opened yet.
func New(o Options) *Door { return &Door{Options: o} }

// startPatience is how long another process may hold the data folder without
// answering, when it begins or ends, before that is an error.
const startPatience = 20 * time.Second

// Close lets go of connections and of the database.
func (d *Door) Close() {
	if d.client != nil {
		d.client.Close()
	}
	if d.local != nil {
		_ = d.local.Close() // it was only read from
	}
}

// Open finds the data folder and its socket.
func (d *Door) Open() error {
	if d.client != nil {
		return nil
	}
	home, err := config.Dir(d.Getenv)
	if err != nil {
		return err
	}
	socket, err := config.Socket(home)
	if err != nil {
		return err
	}
	d.home, d.client = home, httpapi.Dial(socket)
	return nil
}

// Ask asks the running bench, or answers, or starts one.
func (d *Door) Ask(ctx context.Context, row ops.Row, in, out any) error {
	err := d.Running(ctx, row, in, out)
	// A bench that is killed takes the question with it. To look again is safe.
	for try := 1; row.Method == "GET" && gone(err) && try < 5; try++ {
		if err := pause(ctx, time.Duration(try)*50*time.Millisecond); err != nil {
			return err
		}
		err = d.Running(ctx, row, in, out)
	}
	if !httpapi.NotServing(err) {
		if !gone(err) || d.answered.Load() {
			return err
		}
		// Nobody answered, nor ever has. If the folder is to blame, that says it best.
		return cmp.Or(config.Make(d.home), err)
	}
	if row.Read && d.readHere(ctx) == nil {
		err := ops.Local{Bench: d.local}.Ask(ctx, row, in, out)
		if err == nil || work.CodeOf(err) != work.Internal {
			return err
		}
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	return d.Running(ctx, row, in, out)
}

// gone reports whether err says that a bench was there and gave no answer. A
// running bench answers with that code, too, if something of the machine is
// missing; looking again does no harm then.
func gone(err error) bool {
	return work.CodeOf(err) == work.Unavailable && !httpapi.NotServing(err)
}

// pause waits for d, unless ctx is done first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Running asks the bench that runs; httpapi.NotServing tells if none does.
func (d *Door) Running(ctx context.Context, row ops.Row, in, out any) error {
	if err := d.Open(); err != nil {
		return err
	}
	err := d.client.Ask(ctx, row, in, out)
	if err == nil || work.CodeOf(err) != work.Unavailable {
		d.answered.Store(true)
	}
	return err
}

// readHere opens the database for reading. Whatever is wrong with it, a bench can
// mend it, or says it better.
func (d *Door) readHere(ctx context.Context) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.local == nil {
		d.local, err = bench.OpenReadOnly(ctx, bench.Options{Home: d.home, Version: d.Version})
	}
	return err
}

// start starts a bench and waits until one answers: ours, or that of another
// command that came first.
func (d *Door) start(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Running(ctx, ops.BenchShow.Row, ops.None{}, &work.BenchState{}) == nil {
		return nil // the other goroutine's doing
	}
	if err := config.Make(d.home); err != nil {
		return err
	}
	for giveUp := time.Now().Add(startPatience); ; {
		log, err := openLog(filepath.Join(d.home, "serve.log"))
		if err != nil {
			return err
		}
		child, err := proc.Detach(proc.Cmd{
			Argv: append(slices.Clone(d.Self), "serve"), Dir: d.home, Env: d.environ(),
		}, log.File)
		if err != nil {
			log.Close()
			return err
		}
		err = d.await(ctx, child)
		why := log.since()
		log.Close()
		if err == nil || ctx.Err() != nil {
			return err
		}
		code, _, _ := child.Exit()
		// Busy: another bench is about to answer, or about to end.
		if d.Code(code) == work.Busy && time.Now().Before(giveUp) {
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return err
			}
			continue
		}
		if said := d.readError(why, code); said != nil {
			return said
		}
		return work.Hide(work.Unavailable, err, "the bench could not be started").
			Do("Read " + log.Name() + ", or run offrun serve to see what it says.")
	}
}

// environ is the environment of the bench. It is nobody's attempt, even if it is
// an agent that runs this command: what an attempt leaves behind is ended.
func (d *Door) environ() []string {
	env := slices.DeleteFunc(slices.Clone(d.Environ), func(kv string) bool {
		return strings.HasPrefix(kv, proc.MarkVar+"=") || strings.HasPrefix(kv, "OFFRUN_HOME=")
	})
	return append(env, "OFFRUN_HOME="+d.home)
}

var errEnded = errors.New("the bench ended at once")

// await waits until a bench answers or child has ended.
func (d *Door) await(ctx context.Context, child *proc.Process) error {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if d.greet(ctx) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-child.Done():
			// It may have ended because another came first and answers by now.
			if d.greet(ctx) {
				return nil
			}
			return errEnded
		case <-time.After(wait):
		}
	}
}

// greet reports whether a bench answers, and passes on what happened when it
// opened.
func (d *Door) greet(ctx context.Context) bool {
	var b work.BenchState
	if d.Running(ctx, ops.BenchShow.Row, ops.None{}, &b) != nil {
		return false
	}
	for _, n := range b.Notices {
		fmt.Fprintln(d.Notes, "offrun: note:", screen.Line(n))
	}
	return true
}

// maxLog is the size in bytes at which serve.log is begun anew.
const maxLog = 8 << 20

// A serveLog is serve.log, opened to be written to by a bench that we start.
type serveLog struct {
	*os.File
	from int64
}

func openLog(path string) (serveLog, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return serveLog{}, err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return serveLog{}, work.Hide(work.Unavailable, err, path+" cannot be written").Do("Make it writable for you.")
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return serveLog{}, err
	}
	return serveLog{f, info.Size()}, nil
}

// since returns what was written since the log was opened, at most its end.
func (l serveLog) since() string {
	info, err := l.Stat()
	if err != nil {
		return ""
	}
	from := max(l.from, info.Size()-64<<10)
	b, err := io.ReadAll(io.NewSectionReader(l, from, info.Size()-from))
	if err != nil {
		return ""
	}
	return string(b)
}

// readError reads the last error of a log, as screen.Error writes it, for a
// command that ended with status exit. It is nil if the log holds none.
func (d *Door) readError(log string, exit int) error {
	var e *work.Error
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if msg, ok := strings.CutPrefix(line, "offrun: "); ok {
			e = &work.Error{Code: d.Code(exit), Msg: msg}
		} else if next, ok := strings.CutPrefix(line, "next: "); ok && e != nil {
			e.Next = next
		} else if item, ok := strings.CutPrefix(line, "  "); ok && e != nil {
			e.List = append(e.List, item)
		}
	}
	if e == nil {
		return nil
	}
	return e
}

// Home returns the data folder.
func (d *Door) Home() string { return d.home }

// Answered reports whether a bench has answered anything yet. What was read in
// this process may be out of date.
func (d *Door) Answered() bool { return d.answered.Load() }

// Here returns a door that answers in this process, from the database as it is.
// It is for questions that are not worth a bench.
func (d *Door) Here(ctx context.Context) (ops.Door, error) {
	if err := d.Open(); err != nil {
		return nil, err
	}
	if err := d.readHere(ctx); err != nil {
		return nil, err
	}
	return ops.Local{Bench: d.local}, nil
}
