// Package store is the database: an index of projects, runs and attempts that
// can be rebuilt from the files under runs/, and the log of events, which
// exists nowhere else. Queries are plain SQL, one file per noun.
//
// One process at a time has it open for writing. Others may read along with
// OpenReadOnly. No code opens the database file by its path other than through
// SQLite: closing such a descriptor would drop the locks of this process.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// Options say how a database is opened. The zero value is right for a bench.
type Options struct {
	Fresh      bool             // move what is there aside and start empty, as if it were damaged
	KeepEvents int64            // older events are forgotten when the database is opened; 0 means 200,000
	Now        func() time.Time // nil means time.Now
	Log        *slog.Logger     // nil means discard

	migrations fs.FS // nil means the embedded ones
}

// A DB is an open database. Its methods may be called from several goroutines.
// Their errors are *work.Error where the user can do something about them.
type DB struct {
	path  string
	read  *sql.DB
	write *sql.DB        // a single connection; nil if read-only
	lock  *proc.FileLock // nil if read-only
	now   func() time.Time
	moved string

	mu    sync.Mutex // held while writing
	last  int64      // number of the newest event; of no use if read-only
	epoch string
}

// Moved returns the path that a damaged database was moved to when db was
// opened, or "". If it is not "", db started empty and wants a reindex.
func (db *DB) Moved() string { return db.moved }

// Close closes db. All other calls must have returned.
func (db *DB) Close() error {
	err := db.read.Close()
	if db.write != nil {
		// The last connection to close folds the write-ahead log into the file.
		err = firstOf(err, db.write.Close())
	}
	if db.lock != nil {
		err = firstOf(err, db.lock.Close())
	}
	return err
}

// Backup writes a consistent copy of db to the file to, which must not exist.
// It may be called while others read and write.
func (db *DB) Backup(ctx context.Context, to string) error {
	_, err := db.read.ExecContext(ctx, "vacuum into ?", to)
	return db.explain(err)
}

// change runs do in a transaction. Once begun it is finished, whatever becomes
// of ctx: a change is whole or absent.
func (db *DB) change(ctx context.Context, do func(tx change) error) error {
	if db.write == nil {
		return work.Errorf(work.Internal, "the database was opened for reading only")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	last, epoch := db.last, db.epoch
	err := db.inTx(context.WithoutCancel(ctx), do)
	if err != nil {
		db.last, db.epoch = last, epoch
	}
	return db.explain(err)
}

func (db *DB) inTx(ctx context.Context, do func(tx change) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(change{ctx, tx}); err != nil {
		_ = tx.Rollback() // err says why; a transaction that cannot roll back is dropped with its connection
		return err
	}
	return tx.Commit()
}

// change is an open transaction.
type change struct {
	ctx context.Context
	tx  *sql.Tx
}

func (c change) exec(query string, args ...any) error {
	_, err := c.tx.ExecContext(c.ctx, query, args...)
	return err
}

// text returns v as JSON in a string, so that SQLite stores it as text.
func text(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
