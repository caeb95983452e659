package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"offrun/backend/work"
)

//go:embed migrations/*.sql
var migrations embed.FS

func embedded() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// upgrade brings the database at path to the newest version, or makes it. It
// works on a copy that takes the place of the original when it is complete and
// sound: a failure or a kill at any moment leaves the original as it was.
func upgrade(ctx context.Context, path string, steps fs.FS) error {
	latest, err := latestVersion(steps)
	if err != nil {
		return err
	}
	there := exists(path)
	if there {
		version, err := soundVersion(ctx, path)
		if err != nil || version == latest {
			return err
		}
		if version > latest {
			return newerThanUs(path, version, latest)
		}
	}
	next := path + ".new"
	if err := removeAll(next, next+"-journal"); err != nil {
		return err
	}
	// SQLite gives its other files the permissions of this one.
	f, err := os.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return cannotWrite(err, path)
	}
	if err := f.Close(); err != nil {
		return err
	}
	if there {
		err = copyTo(ctx, path, next)
	}
	if err == nil {
		err = migrate(ctx, next, steps)
	}
	if err != nil {
		return firstOf(cannotUpgrade(err, path), removeAll(next, next+"-journal"))
	}
	return replace(path, next)
}

// soundVersion checks the database at path and returns its schema's version.
func soundVersion(ctx context.Context, path string) (version int64, err error) {
	db, err := connect(path, writeParams())
	if err != nil {
		return 0, err
	}
	defer func() { err = firstOf(err, db.Close()) }()
	if err := check(ctx, db); err != nil {
		return 0, err
	}
	return schemaVersion(ctx, db)
}

// copyTo copies the database at path to the empty file next, and empties its
// write-ahead log.
func copyTo(ctx context.Context, path, next string) (err error) {
	db, err := connect(path, writeParams())
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "vacuum into ?", next); err != nil {
		return err
	}
	var busy, pages, moved int
	if err := db.QueryRowContext(ctx, "pragma wal_checkpoint(truncate)").Scan(&busy, &pages, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return inUse(errors.New("wal_checkpoint"), path)
	}
	return nil
}

// migrate runs the steps that the database at path lacks, and checks the outcome.
func migrate(ctx context.Context, path string, steps fs.FS) (err error) {
	db, err := connect(path, url.Values{"_foreign_keys": {"on"}})
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, db.Close()) }()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, steps, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return err
	}
	if err := check(ctx, db); err != nil {
		return err
	}
	var table string
	switch err := db.QueryRowContext(ctx, `select "table" from pragma_foreign_key_check limit 1`).Scan(&table); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("a row of %s lost what it belongs to", table)
}

// replace puts next in the place of the database at path, whose log has been
// folded into it. A reader that still has the old one open keeps the old files.
func replace(path, next string) error {
	if err := syncPath(next); err != nil {
		return err
	}
	if err := removeAll(path+"-wal", path+"-shm"); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// syncPath opens a file that no connection has open, or a folder.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return firstOf(f.Sync(), f.Close())
}

// schemaVersion returns the number of the newest step that db has seen, 0 if none.
func schemaVersion(ctx context.Context, db *sql.DB) (int64, error) {
	var tables, version int64
	err := db.QueryRowContext(ctx, "select count(*) from sqlite_schema where name = 'goose_db_version'").Scan(&tables)
	if err != nil || tables == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "select coalesce(max(version_id), 0) from goose_db_version where is_applied").Scan(&version)
	return version, err
}

func latestVersion(steps fs.FS) (int64, error) {
	names, err := fs.Glob(steps, "*.sql")
	if err != nil || len(names) == 0 {
		return 0, err
	}
	return goose.NumericComponent(names[len(names)-1]) // Glob sorts
}

func newerThanUs(path string, version, latest int64) error {
	return work.Errorf(work.Conflict, "the database %s was made by a newer version of Offrun (schema %d, this one knows %d)", path, version, latest).
		Do("Use the newer Offrun, or set OFFRUN_HOME to another folder.")
}

func cannotUpgrade(err error, path string) error {
	if _, ok := errors.AsType[*work.Error](explain(err, path)); ok {
		return explain(err, path) // a full disk says more
	}
	return work.Hide(work.Unavailable, err, fmt.Sprintf("the database %s cannot be upgraded; it stays as it was", path)).
		Do("Run `offrun reindex`: it makes a new database from the files and keeps the old one beside it.")
}

func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
