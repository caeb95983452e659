// Package feed is the one ordered log of events, and the doorbell for those who
// follow it. The log is the truth: a reader asks for everything after the last
// number it has seen, so a slow, late or returning reader needs no special care
// and loses nothing.
package feed

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"offrun/backend/store"
	"offrun/backend/work"
)

// recentSize is how many events are kept in memory for the readers that are up
// to date, which is nearly all of them nearly always.
const recentSize = 2048

// maxText is the length, in bytes, that the text of an event is cut to.
const maxText = 500

// A Feed is the log of one open database. All events of that database must go
// through it.
type Feed struct {
	db *store.DB

	mu     sync.Mutex
	bell   chan struct{} // closed and replaced when the log changes
	last   int64
	recent []work.Event // the newest, without a gap; may be empty
	epoch  string
}

// New returns the feed of db.
func New(ctx context.Context, db *store.DB) (*Feed, error) {
	last, err := db.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	return &Feed{db: db, bell: make(chan struct{}), last: last, epoch: db.Epoch()}, nil
}

// A Cursor is a place in the log: after the event numbered Seq of Epoch. An
// Epoch of "" is the present one.
type Cursor struct {
	Epoch string
	Seq   int64
}

// Now returns the cursor after the newest event.
func (f *Feed) Now() Cursor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Cursor{f.epoch, f.last}
}

// Append numbers and stores the events, all or none, and wakes the readers.
// Texts are cut to 500 bytes.
func (f *Feed) Append(ctx context.Context, events ...work.Event) error {
	return f.record(events, func(events []work.Event) ([]work.Event, error) {
		return f.db.Append(ctx, events...)
	})
}

// PutRun stores r together with the events that tell of it.
func (f *Feed) PutRun(ctx context.Context, r work.Run, events ...work.Event) error {
	return f.record(events, func(events []work.Event) ([]work.Event, error) {
		return f.db.PutRun(ctx, r, events...)
	})
}

// PutAttempt stores a together with the events that tell of it.
func (f *Feed) PutAttempt(ctx context.Context, project work.ProjectID, a work.Attempt, events ...work.Event) error {
	return f.record(events, func(events []work.Event) ([]work.Event, error) {
		return f.db.PutAttempt(ctx, project, a, events...)
	})
}

// Reset is store.DB.Reset. Readers get work.Conflict and begin again.
func (f *Feed) Reset(ctx context.Context, projects []work.Project, runs iter.Seq[work.Run]) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.db.Reset(ctx, projects, runs); err != nil {
		return err
	}
	f.last, f.recent, f.epoch = 0, nil, f.db.Epoch()
	f.ring()
	return nil
}

func (f *Feed) record(events []work.Event, store func([]work.Event) ([]work.Event, error)) error {
	events = slices.Clone(events)
	for i := range events {
		if len(events[i].Text) > maxText {
			events[i].Text = strings.ToValidUTF8(events[i].Text[:maxText], "")
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	stored, err := store(events)
	if err != nil || len(stored) == 0 {
		return err
	}
	f.last = stored[len(stored)-1].Seq
	f.recent = append(f.recent, stored...)
	if len(f.recent) > 2*recentSize {
		f.recent = slices.Clone(f.recent[len(f.recent)-recentSize:])
	}
	f.ring()
	return nil
}

// ring wakes all who wait. f.mu is held.
func (f *Feed) ring() {
	close(f.bell)
	f.bell = make(chan struct{})
}

// Wait returns the events after c, at most limit, as soon as there is one. If
// the first is not number c.Seq+1, those between were forgotten for their age.
// The error is work.Conflict if c is not a place in this log: the log has been
// rebuilt, and the reader should read everything anew from Now.
func (f *Feed) Wait(ctx context.Context, c Cursor, limit int) ([]work.Event, error) {
	if c.Epoch == "" {
		c.Epoch = f.Now().Epoch
	}
	for {
		events, last, bell, err := f.look(c, limit)
		switch {
		case err != nil || len(events) > 0:
			return events, err
		case last > c.Seq:
			events, err := f.db.EventsAfter(ctx, c.Seq, limit)
			if f.Now().Epoch != c.Epoch {
				continue // the log was rebuilt meanwhile: look says so
			}
			return events, err
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look returns what is known without the database: events if they are recent,
// the newest number, and the bell that rings when there is more.
func (f *Feed) look(c Cursor, limit int) (events []work.Event, last int64, bell chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Epoch != f.epoch || c.Seq > f.last || c.Seq < 0 {
		return nil, 0, nil, work.Errorf(work.Conflict, "event %d of %q is not in the log", c.Seq, c.Epoch).
			Do("The log has been rebuilt: read the state anew, then follow the events from the present.")
	}
	if first := f.last - int64(len(f.recent)); c.Seq >= first {
		events = f.recent[c.Seq-first:]
		events = slices.Clone(events[:min(limit, len(events))])
	}
	return events, f.last, f.bell, nil
}

// After yields the events after c, and goes on with each new one until ctx is
// done or the log is rebuilt, which it yields as the error.
func (f *Feed) After(ctx context.Context, c Cursor) iter.Seq2[work.Event, error] {
	return func(yield func(work.Event, error) bool) {
		if c.Epoch == "" {
			c.Epoch = f.Now().Epoch
		}
		for {
			events, err := f.Wait(ctx, c, 500)
			if err != nil {
				yield(work.Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				c.Seq = e.Seq
			}
		}
	}
}
