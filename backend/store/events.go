package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"offrun/backend/work"
)

// Append numbers the events, without a gap, and stores all of them or none. An
// event without a time gets the present one. It returns them as stored.
func (db *DB) Append(ctx context.Context, events ...work.Event) ([]work.Event, error) {
	return db.changeAndAppend(ctx, events, func(change) error { return nil })
}

// EventsAfter returns up to limit events with numbers above seq, in order. The
// oldest events are forgotten in time: if the first one returned is not number
// seq+1, those between are gone.
func (db *DB) EventsAfter(ctx context.Context, seq int64, limit int) ([]work.Event, error) {
	return rows[work.Event](ctx, db, "select data from events where seq > ? order by seq limit ?", seq, limit)
}

// LastSeq returns the number of the newest event, 0 before the first.
func (db *DB) LastSeq(ctx context.Context) (int64, error) {
	if db.write != nil {
		db.mu.Lock()
		defer db.mu.Unlock()
		return db.last, nil
	}
	last, err := lastSeq(ctx, db.read)
	return last, db.explain(err)
}

// Epoch names the log. Numbers of events compare only within one epoch; a Reset
// begins a new one.
func (db *DB) Epoch() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.epoch
}

// changeAndAppend runs do and appends the events in one transaction.
func (db *DB) changeAndAppend(ctx context.Context, events []work.Event, do func(tx change) error) ([]work.Event, error) {
	stored := make([]work.Event, len(events))
	err := db.change(ctx, func(tx change) error {
		if err := do(tx); err != nil {
			return err
		}
		for i, e := range events {
			if e.At.IsZero() {
				e.At = db.now().UTC()
			}
			db.last++
			e.Seq = db.last
			data, err := text(e)
			if err != nil {
				return err
			}
			if err := tx.exec("insert into events (seq, data) values (?, ?)", e.Seq, data); err != nil {
				return err
			}
			stored[i] = e
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// clear empties every table and begins the epoch.
func (c change) clear(epoch string) error {
	return firstOf(
		c.exec("delete from projects"),
		c.exec("delete from runs"), // and attempts with them
		c.exec("delete from baselines"),
		c.exec("delete from events"),
		c.exec("update meta set value = ? where name = 'epoch'", epoch),
	)
}

// querier is what a database and a transaction have in common.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func lastSeq(ctx context.Context, q querier) (last int64, err error) {
	err = q.QueryRowContext(ctx, "select coalesce(max(seq), 0) from events").Scan(&last)
	return last, err
}

func epoch(ctx context.Context, q querier) (name string, err error) {
	err = q.QueryRowContext(ctx, "select value from meta where name = 'epoch'").Scan(&name)
	return name, err
}

// rows reads the JSON in the first column of every row.
func rows[T any](ctx context.Context, db *DB, query string, args ...any) (_ []T, err error) {
	rs, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.explain(err)
	}
	defer func() { err = firstOf(err, rs.Close()) }()
	found := []T{}
	for rs.Next() {
		var data []byte
		if err := rs.Scan(&data); err != nil {
			return nil, db.explain(err)
		}
		found = append(found, *new(T))
		if err := json.Unmarshal(data, &found[len(found)-1]); err != nil {
			return nil, err
		}
	}
	return found, db.explain(rs.Err())
}
