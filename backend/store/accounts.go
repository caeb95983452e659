package store

import (
	"context"

	"offrun/backend/work"
)

// Accounts returns what is known of all accounts, ordered by agent and name.
func (db *DB) Accounts(ctx context.Context) ([]work.Account, error) {
	return rows[work.Account](ctx, db, "select data from accounts order by agent, name")
}

// PutAccount stores what is known of a.
func (db *DB) PutAccount(ctx context.Context, a work.Account) error {
	data, err := text(a)
	if err != nil {
		return err
	}
	return db.change(ctx, func(tx change) error {
		return tx.exec("insert into accounts (agent, name, data) values (?, ?, ?) on conflict do update set data = excluded.data", a.Agent, a.Name, data)
	})
}

// DeleteAccount forgets an account.
func (db *DB) DeleteAccount(ctx context.Context, agent work.AgentID, name work.AccountName) error {
	return db.change(ctx, func(tx change) error {
		return tx.exec("delete from accounts where agent = ? and name = ?", agent, name)
	})
}
