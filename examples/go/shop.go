package main

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // SQLite without C
)

const tables = `
create table if not exists processed_events (id text primary key);
create table if not exists orders (id text primary key, paid integer not null default 0);`

// openShop opens the database of a small shop, with the ids of the events that it has processed.
func openShop(path string) (*sql.DB, error) {
	// Take SQLite's write lock at the begin, and wait for it: two requests may come at the same time.
	database, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)")
	if err != nil {
		return nil, err
	}
	_, err = database.Exec(tables)
	return database, err
}

// processOnce processes an event once: its id and its work are committed together, or neither is. So an event whose
// work failed is processed by the next attempt, and one that comes again after a lost answer is not.
func processOnce(ctx context.Context, database *sql.DB, id string, received event) error {
	tx, err := database.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // without effect after the commit
	inserted, err := tx.ExecContext(ctx, "insert into processed_events (id) values (?) on conflict do nothing", id)
	if err != nil {
		return err
	}
	isNew, err := inserted.RowsAffected()
	if err != nil {
		return err
	}
	if isNew == 1 {
		if err := process(ctx, tx, received); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// process is your work. Decide by fields of the body, which is signed; of the headers only webhook-id and
// webhook-timestamp are.
func process(ctx context.Context, tx *sql.Tx, received event) error {
	switch received.Type {
	case "order.created":
		_, err := tx.ExecContext(ctx, "insert into orders (id) values (?) on conflict do nothing", received.Order)
		return err
	case "order.paid":
		updated, err := tx.ExecContext(ctx, "update orders set paid = paid + ? where id = ?", received.Amount, received.Order)
		if err != nil {
			return err
		}
		count, err := updated.RowsAffected()
		if err == nil && count == 0 {
			// Events come in any order: the next attempt may find the order.
			return fmt.Errorf("there is no order %s yet", received.Order)
		}
		return err
	}
	// An event of another type, such as a test delivery, needs no work.
	return nil
}
