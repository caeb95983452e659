package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"offrun/backend/work"
)

// PutRun adds r, or replaces what is known of it. It leaves r.Attempts aside:
// each is put by itself, after its run. The events are appended in the same
// transaction, and returned with their numbers.
func (db *DB) PutRun(ctx context.Context, r work.Run, events ...work.Event) ([]work.Event, error) {
	return db.changeAndAppend(ctx, events, func(tx change) error { return tx.putRun(r) })
}

func (c change) putRun(r work.Run) error {
	r.Attempts = nil
	summary, err := text(r.Summary())
	if err != nil {
		return err
	}
	data, err := text(r)
	if err != nil {
		return err
	}
	return c.exec(`insert into runs (project, id, started_at, summary, data) values (?, ?, ?, ?, ?)
		on conflict (project, id) do update set started_at = excluded.started_at, summary = excluded.summary, data = excluded.data`,
		r.Project, r.ID, r.StartedAt.UnixNano(), summary, data)
}

// Run returns a run with its attempts, in the order in which they were put.
// project may be "" if no other project has a run of that id; otherwise the
// error is work.Conflict.
func (db *DB) Run(ctx context.Context, project work.ProjectID, id work.RunID) (work.Run, error) {
	found, err := db.wholeRuns(ctx, "r.id = ?1 and (?2 = '' or r.project = ?2)", id, project)
	if err != nil {
		return work.Run{}, err
	}
	switch len(found) {
	case 0:
		return work.Run{}, work.Errorf(work.NotFound, "no run %q", id).Do("`offrun ps --all` lists the runs.")
	case 1:
		return found[0], nil
	}
	var names []string
	for _, r := range found {
		names = append(names, string(r.Project))
	}
	e := work.Errorf(work.Conflict, "several projects have a run %q", id).Do("Name the project: --project " + names[0])
	e.List = names
	return work.Run{}, e
}

// ActiveRuns returns the runs that have an active attempt, oldest first.
func (db *DB) ActiveRuns(ctx context.Context) ([]work.Run, error) {
	return db.wholeRuns(ctx, "r.n in (select run from attempts where active)")
}

// wholeRuns reads runs with their attempts in one query, so that no attempt can
// change between the two.
func (db *DB) wholeRuns(ctx context.Context, where string, args ...any) (_ []work.Run, err error) {
	rs, err := db.read.QueryContext(ctx, `select r.n, r.data, a.data from runs r
		left join attempts a on a.run = r.n where `+where+` order by r.started_at, r.n, a.n`, args...)
	if err != nil {
		return nil, db.explain(err)
	}
	defer func() { err = firstOf(err, rs.Close()) }()
	var found []work.Run
	last := int64(-1)
	for rs.Next() {
		var n int64
		var run, attempt []byte
		if err := rs.Scan(&n, &run, &attempt); err != nil {
			return nil, db.explain(err)
		}
		if n != last {
			last = n
			found = append(found, work.Run{})
			if err := json.Unmarshal(run, &found[len(found)-1]); err != nil {
				return nil, fmt.Errorf("run row %d: %w", n, err)
			}
		}
		if attempt == nil {
			continue
		}
		r := &found[len(found)-1]
		r.Attempts = append(r.Attempts, work.Attempt{})
		if err := json.Unmarshal(attempt, &r.Attempts[len(r.Attempts)-1]); err != nil {
			return nil, fmt.Errorf("attempt of run %s: %w", r.ID, err)
		}
	}
	return found, db.explain(rs.Err())
}

// A Filter chooses runs. Its zero value is the newest hundred.
type Filter struct {
	Project work.ProjectID // "" means all
	Card    work.CardID    // "" means all
	State   work.State     // runs with an attempt in that state; "" means all
	Active  bool           // only runs with an active attempt
	Before  time.Time      // runs that started before; zero means all
	Limit   int            // 0 means 100, less than 0 means all
}

// Runs returns summaries of the runs that f chooses, newest first.
func (db *DB) Runs(ctx context.Context, f Filter) (_ []work.RunSummary, err error) {
	query, args := f.query()
	rs, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.explain(err)
	}
	defer func() { err = firstOf(err, rs.Close()) }()
	found := []work.RunSummary{}
	for rs.Next() {
		var line []byte
		if err := rs.Scan(&line); err != nil {
			return nil, db.explain(err)
		}
		var s work.RunSummary
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, err
		}
		s.Final = !slices.ContainsFunc(s.Attempts, func(a work.AttemptSummary) bool { return !a.State.Final() })
		found = append(found, s)
	}
	return found, db.explain(rs.Err())
}

// query makes SQLite put each line together as one JSON text, which costs a
// third of reading every attempt as a row of its own.
func (f Filter) query() (string, []any) {
	var where []string
	var args []any
	add := func(condition string, arg ...any) {
		where = append(where, condition)
		args = append(args, arg...)
	}
	if f.Project != "" {
		add("r.project = ?", f.Project)
	}
	if f.Card != "" {
		add("r.summary ->> 'card' = ?", f.Card)
	}
	if f.State != "" {
		add("exists (select 1 from attempts a where a.run = r.n and a.state = ?)", f.State)
	}
	if f.Active {
		add("r.n in (select run from attempts where active)")
	}
	if !f.Before.IsZero() {
		add("r.started_at < ?", f.Before.UnixNano())
	}
	if f.Limit == 0 {
		f.Limit = 100
	}
	conditions := ""
	if where != nil {
		conditions = "where " + strings.Join(where, " and ")
	}
	// A summary ends with `"attempts":null}`.
	return `select substr(r.summary, 1, length(r.summary) - length('null}')) || '[' || coalesce(
			(select group_concat(a.summary, ',' order by a.n) from attempts a where a.run = r.n), '') || ']}'
		from runs r ` + conditions + ` order by r.started_at desc, r.n desc limit ?`, append(args, f.Limit)
}

// Reset replaces all projects, runs and attempts by those given, forgets all
// events and begins a new epoch. It happens as a whole or not at all.
func (db *DB) Reset(ctx context.Context, projects []work.Project, runs iter.Seq[work.Run]) error {
	return db.change(ctx, func(tx change) error {
		db.last, db.epoch = 0, rand.Text()
		if err := tx.clear(db.epoch); err != nil {
			return err
		}
		for _, p := range projects {
			if err := tx.putProject(p); err != nil {
				return err
			}
		}
		for r := range runs {
			if err := tx.putRun(r); err != nil {
				return err
			}
			for _, a := range r.Attempts {
				if err := tx.putAttempt(r.Project, a); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
