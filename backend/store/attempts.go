package store

import (
	"context"

	"offrun/backend/work"
)

// PutAttempt adds a to its run, or replaces what is known of it. The events are
// appended in the same transaction, and returned with their numbers. The error
// is work.NotFound if its run was not put before.
func (db *DB) PutAttempt(ctx context.Context, project work.ProjectID, a work.Attempt, events ...work.Event) ([]work.Event, error) {
	return db.changeAndAppend(ctx, events, func(tx change) error { return tx.putAttempt(project, a) })
}

func (c change) putAttempt(project work.ProjectID, a work.Attempt) error {
	a.Live = nil
	run := work.Run{Attempts: []work.Attempt{a}}
	s := run.Summary().Attempts[0]
	summary, err := text(s)
	if err != nil {
		return err
	}
	data, err := text(a)
	if err != nil {
		return err
	}
	done, err := c.tx.ExecContext(c.ctx, `insert into attempts (run, name, state, active, summary, data)
		select n, ?, ?, ?, ?, ? from runs where project = ? and id = ?
		on conflict (run, name) do update set state = excluded.state, active = excluded.active, summary = excluded.summary, data = excluded.data`,
		a.Name, s.State, active(a), summary, data, project, a.Run)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return work.Errorf(work.NotFound, "no run %q in project %q", a.Run, project)
}

// active reports whether the bench still has something to do for a. Its state
// alone does not tell: a program that asked a question may live on.
func active(a work.Attempt) bool {
	if !a.State().Final() || a.WakeAt != nil {
		return true
	}
	t := a.Turn()
	return a.Failure == nil && t != nil && t.StartedAt != nil && t.EndedAt == nil
}
