// Package bench does the main job: it takes a card, lets several agents try it
// side by side, and keeps what came of it. The path of one attempt is told from
// top to bottom in path.go; the other files hold one verb each.
//
// A bench owns its data folder alone. It owns no long command: those belong to
// their supervisors, so a bench may end at any instant, and the next one goes on
// from the facts in the files.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"offrun/backend/agent"
	"offrun/backend/config"
	"offrun/backend/feed"
	"offrun/backend/governor"
	"offrun/backend/pool"
	"offrun/backend/proc"
	"offrun/backend/redact"
	"offrun/backend/store"
	"offrun/backend/work"
)

// Options say what a bench is made of. Home is required, and so is Self unless
// the bench is only read from.
type Options struct {
	Home    string   // the data folder, absolute
	Self    []string // argument list that runs this program, to be followed by "supervise" or "simulate"
	Version string
	Log     *slog.Logger     // nil means discard
	Now     func() time.Time // nil means time.Now
	Secrets *redact.Known    // learns which values must not be shown; nil means one of its own
}

// A Bench is one open bench. Close it to let go of the data folder; attempts go
// on without it.
type Bench struct {
	Options
	db       *store.DB
	feed     *feed.Feed
	cfg      atomic.Pointer[config.Config]
	words    *agent.Words // of the user
	install  string       // marks what is ours
	lock     *proc.FileLock
	slots    *governor.Governor
	notices  []string
	programs *programs
	pool     *pool.Pool

	ctx     context.Context // lives until Close
	end     context.CancelFunc
	stopped chan struct{} // closed by Stop
	once    sync.Once
	wg      sync.WaitGroup
	making  atomic.Int32 // worktrees that are being made

	settings sync.Mutex // held while what agents' settings were is looked at

	mu    sync.Mutex
	jobs  map[jobKey]*job
	bases map[string]*sync.Mutex // one baseline at a time for each project
}

// Open takes the data folder and picks up every attempt that is not final. The
// error is work.Busy if another bench has it.
func Open(ctx context.Context, o Options) (*Bench, error) {
	b := fresh(o)
	if err := config.Make(b.Home); err != nil {
		return nil, err
	}
	lock, err := takeOver(ctx, filepath.Join(b.Home, "bench.lock"))
	if err != nil {
		return nil, heldOrBroken(err, b.Home)
	}
	b.lock = lock
	if err := b.open(ctx); err != nil {
		lock.Close()
		return nil, err
	}
	b.ctx, b.end = context.WithCancel(ctx)
	if err := b.recover(b.ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// takeOver takes the data folder's lock. A bench that was killed may live on for
// a moment in a child that it was about to start, so it is asked for more than once.
func takeOver(ctx context.Context, path string) (*proc.FileLock, error) {
	for end := time.Now().Add(2 * time.Second); ; {
		lock, err := proc.Lock(path)
		if work.CodeOf(err) != work.Busy || time.Now().After(end) {
			return lock, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func heldOrBroken(err error, home string) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return work.Hide(work.Unavailable, err, fmt.Sprintf("the data folder %s is not writable", home)).
			Do("Make it writable, or set OFFRUN_HOME to another folder.")
	}
	return err
}

func (b *Bench) open(ctx context.Context) (err error) {
	cfg, err := config.Load(b.Home)
	if err != nil {
		return err
	}
	b.cfg.Store(&cfg)
	if b.words, err = agent.LoadWords(config.Words(b.Home)); err != nil {
		return err
	}
	b.learn(cfg.Agents)
	if b.install, err = config.InstallID(b.Home); err != nil {
		return err
	}
	_, missing := os.Stat(config.Database(b.Home))
	if b.db, err = store.Open(ctx, config.Database(b.Home), store.Options{Now: b.Now, Log: b.Log}); err != nil {
		return err
	}
	b.slots = governor.New(cfg.Parallel)
	b.programs = newPrograms(ctx)
	if b.pool, err = b.openPool(ctx); err != nil {
		return errors.Join(err, b.db.Close())
	}
	if b.feed, err = feed.New(ctx, b.db); err == nil {
		err = b.rebuild(ctx, missing != nil)
	}
	if err != nil {
		return errors.Join(err, b.db.Close())
	}
	return nil
}

// rebuild fills a database that is empty because the old one was damaged and
// moved aside, or deleted: the files know everything but the events.
func (b *Bench) rebuild(ctx context.Context, missing bool) error {
	moved := b.db.Moved()
	if moved == "" && !missing {
		return nil
	}
	if moved != "" {
		b.notices = append(b.notices, "the database was damaged and lies in "+moved+" now; it was rebuilt from the files")
		b.Log.Warn("damaged database moved aside", "to", moved)
	}
	_, err := b.reindex(ctx)
	return err
}

// OpenReadOnly opens the database for questions alone: nothing is recovered,
// nothing written, and a running bench is not disturbed.
func OpenReadOnly(ctx context.Context, o Options) (*Bench, error) {
	b := fresh(o)
	db, err := store.OpenReadOnly(ctx, config.Database(b.Home))
	if err != nil {
		return nil, err
	}
	b.db = db
	if cfg, err := config.Load(b.Home); err == nil { // a mistake in it is told by a bench that needs it
		b.cfg.Store(&cfg)
		b.learn(cfg.Agents)
	}
	b.ctx, b.end = context.WithCancel(ctx)
	return b, nil
}

func fresh(o Options) *Bench {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Secrets == nil {
		o.Secrets = &redact.Known{}
	}
	b := &Bench{Options: o, stopped: make(chan struct{}), jobs: map[jobKey]*job{}, bases: map[string]*sync.Mutex{}}
	b.cfg.Store(&config.Config{})
	return b
}

// Close lets go of the data folder. Agents, setups and tests go on under their
// supervisors.
func (b *Bench) Close() error {
	b.end()
	b.wg.Wait()
	err := b.db.Close()
	if b.lock != nil {
		err = errors.Join(err, b.lock.Close())
	}
	return err
}

// Stop asks whoever serves the bench to end. It may be called more than once.
func (b *Bench) Stop() { b.once.Do(func() { close(b.stopped) }) }

// Stopped is closed when Stop was called.
func (b *Bench) Stopped() <-chan struct{} { return b.stopped }

// Working returns how many attempts are being worked on.
func (b *Bench) Working() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.jobs)
}

// State describes the bench.
func (b *Bench) State() work.BenchState {
	return work.BenchState{Version: b.Version, PID: os.Getpid(), Home: b.Home, Working: b.Working(), Notices: b.notices}
}

// tell appends an event; an event that cannot be stored is worth a line in the
// log, not the attempt it tells of.
func (b *Bench) tell(ctx context.Context, e work.Event) {
	e.At = b.Now().UTC()
	if err := b.feed.Append(context.WithoutCancel(ctx), e); err != nil {
		b.Log.Error("event lost", "kind", e.Kind, "run", e.Run, "attempt", e.Attempt, "err", err)
	}
}

// Events returns what follows after, waiting up to wait for something to come.
// after -1 returns no events, only the newest number.
func (b *Bench) Events(ctx context.Context, after int64, wait time.Duration, limit int) (work.EventPage, error) {
	at := b.feed.Now()
	page := work.EventPage{Epoch: at.Epoch, Last: at.Seq, Events: []work.Event{}}
	if after < 0 || after >= at.Seq && wait <= 0 {
		return page, nil
	}
	if limit <= 0 {
		limit = 1000
	}
	if after < at.Seq {
		wait = time.Minute // there is something: it comes at once
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	events, err := b.feed.Wait(waiting, feed.Cursor{Epoch: at.Epoch, Seq: after}, limit)
	switch {
	case err != nil && waiting.Err() == nil:
		return page, err
	case ctx.Err() != nil:
		return page, ctx.Err()
	case len(events) > 0:
		page.Events = events
		page.Last = max(page.Last, events[len(events)-1].Seq)
	}
	return page, nil
}
