package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// busyTimeout is how long SQLite waits for a lock of another process.
const busyTimeout = 5 * time.Second

var errCheck = errors.New("quick_check")

// Open opens the database at path for reading and writing, and makes it if it
// is not there. Its folder must exist.
//
// A damaged database is moved aside, and an empty one takes its place: see
// Moved. One of an older version is upgraded; if that fails it stays as it was.
// The error is work.Busy if another process has it open for writing, and
// work.Conflict if it was made by a newer version.
func Open(ctx context.Context, path string, o Options) (_ *DB, err error) {
	o = o.withDefaults()
	lock, err := proc.Lock(path + ".lock")
	if err != nil {
		return nil, explain(err, path)
	}
	db := &DB{path: path, lock: lock, now: o.Now}
	defer func() {
		if err != nil {
			err = firstOf(explain(err, path), lock.Close())
		}
	}()
	if o.Fresh {
		if db.moved, err = moveAside(path, o.Now()); err != nil {
			return nil, err
		}
	}
	err = db.open(ctx, o)
	if damaged(err) {
		o.Log.Warn("the database is damaged", "path", path, "err", err)
		if db.moved, err = moveAside(path, o.Now()); err != nil {
			return nil, err
		}
		err = db.open(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

// OpenReadOnly opens the database at path as it is: nothing is made, upgraded
// or repaired. It may be called while another process writes. The error is
// work.NotFound if there is no database.
func OpenReadOnly(ctx context.Context, path string) (*DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, work.Hide(work.NotFound, err, "there is no database "+path).Do("Run a command that starts the bench, such as `offrun project add`.")
	}
	read, err := connect(path, readParams())
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, read: read, now: time.Now}
	if err := db.loadReadOnly(ctx); err != nil {
		return nil, firstOf(db.explain(err), db.Close())
	}
	return db, nil
}

func (o Options) withDefaults() Options {
	if o.KeepEvents == 0 {
		o.KeepEvents = 200_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.migrations == nil {
		o.migrations = embedded()
	}
	return o
}

// open leaves no connection behind if it fails.
func (db *DB) open(ctx context.Context, o Options) (err error) {
	if err := upgrade(ctx, db.path, o.migrations); err != nil {
		return err
	}
	if db.write, err = connect(db.path, writeParams()); err != nil {
		return err
	}
	db.write.SetMaxOpenConns(1)
	if db.read, err = connect(db.path, readParams()); err != nil {
		return firstOf(err, db.write.Close())
	}
	if err := db.load(ctx, o.KeepEvents); err != nil {
		return firstOf(err, db.read.Close(), db.write.Close())
	}
	return nil
}

// load reads what the writer keeps in memory, and forgets old events.
func (db *DB) load(ctx context.Context, keep int64) error {
	return db.inTx(ctx, func(tx change) error {
		err := tx.exec("insert or ignore into meta (name, value) values ('epoch', ?)", rand.Text())
		if err != nil {
			return err
		}
		if db.epoch, err = epoch(ctx, tx.tx); err != nil {
			return err
		}
		if db.last, err = lastSeq(ctx, tx.tx); err != nil {
			return err
		}
		return tx.exec("delete from events where seq <= ?", db.last-keep)
	})
}

func (db *DB) loadReadOnly(ctx context.Context) error {
	latest, err := latestVersion(embedded())
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, db.read)
	if err != nil {
		return err
	}
	if version > latest {
		return newerThanUs(db.path, version, latest)
	}
	if version < latest {
		return work.Errorf(work.Conflict, "the database %s was made by an older version of Offrun", db.path).
			Do("Run `offrun serve`: it upgrades the database.")
	}
	db.epoch, err = epoch(ctx, db.read)
	return err
}

func connect(path string, params url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	params.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	u := url.URL{Scheme: "file", Path: abs, RawQuery: params.Encode()}
	return sql.Open("sqlite3", u.String())
}

// writeParams: in WAL mode, NORMAL may lose the newest commits when the power
// fails, and never damages the file. The files under runs/ still have them.
func writeParams() url.Values {
	return url.Values{
		"_txlock":          {"immediate"},
		"_journal_mode":    {"WAL"},
		"_synchronous":     {"NORMAL"},
		"_foreign_keys":    {"on"},
		"_stmt_cache_size": {"32"},
	}
}

func readParams() url.Values {
	return url.Values{"mode": {"ro"}, "_stmt_cache_size": {"32"}}
}

// check returns an error for which damaged holds if the file is not sound.
func check(ctx context.Context, db *sql.DB) error {
	var said string
	if err := db.QueryRowContext(ctx, "pragma quick_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("%w: %s", errCheck, said)
	}
	return nil
}

// moveAside renames the database and its companions, so that SQLite can still
// open them under the new name, which it returns: "" if nothing was there. The
// database itself goes last: a new one must never meet the old log.
func moveAside(path string, now time.Time) (string, error) {
	to := path + ".damaged-" + now.UTC().Format("20060102-150405")
	for n := 2; exists(to); n++ {
		to = fmt.Sprintf("%s.damaged-%s-%d", path, now.UTC().Format("20060102-150405"), n)
	}
	found := exists(path)
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Rename(path+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("move the damaged database aside: %w", err)
		}
	}
	if !found {
		return "", nil
	}
	return to, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
