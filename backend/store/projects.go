package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"

	"offrun/backend/work"
)

// Projects returns all projects, ordered by id.
func (db *DB) Projects(ctx context.Context) ([]work.Project, error) {
	return rows[work.Project](ctx, db, "select data from projects order by id")
}

// PutProject adds p, or replaces the project of the same id.
func (db *DB) PutProject(ctx context.Context, p work.Project) error {
	return db.change(ctx, func(tx change) error { return tx.putProject(p) })
}

func (c change) putProject(p work.Project) error {
	data, err := text(p)
	if err != nil {
		return err
	}
	return c.exec("insert into projects (id, data) values (?, ?) on conflict do update set data = excluded.data", p.ID, data)
}

// DeleteProject removes the project and everything that the database knows of
// it. No file is touched. Events about it stay.
func (db *DB) DeleteProject(ctx context.Context, id work.ProjectID) error {
	return db.change(ctx, func(tx change) error {
		return firstOf(
			tx.exec("delete from projects where id = ?", id),
			tx.exec("delete from runs where project = ?", id),
			tx.exec("delete from baselines where project = ?", id),
		)
	})
}

// Baseline returns what commands said on the commit base, if that is known.
func (db *DB) Baseline(ctx context.Context, project work.ProjectID, base string, commands []string) (_ work.Tests, known bool, _ error) {
	key, err := commandsKey(commands)
	if err != nil {
		return work.Tests{}, false, err
	}
	var data []byte
	err = db.read.QueryRowContext(ctx, "select data from baselines where project = ? and base = ? and commands = ?", project, base, key).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return work.Tests{}, false, nil
	}
	if err != nil {
		return work.Tests{}, false, db.explain(err)
	}
	var tests work.Tests
	err = json.Unmarshal(data, &tests)
	return tests, err == nil, err
}

// PutBaseline records what commands said on the commit base.
func (db *DB) PutBaseline(ctx context.Context, project work.ProjectID, base string, commands []string, tests work.Tests) error {
	key, err := commandsKey(commands)
	if err != nil {
		return err
	}
	data, err := text(tests)
	if err != nil {
		return err
	}
	return db.change(ctx, func(tx change) error {
		return tx.exec("insert or replace into baselines (project, base, commands, data) values (?, ?, ?, ?)", project, base, key, data)
	})
}

func commandsKey(commands []string) (string, error) {
	b, err := json.Marshal(append([]string{}, commands...)) // nil and empty are the same list
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
