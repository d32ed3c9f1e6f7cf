package operatordb

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations bring a database from version i to i+1. An entry is never
// changed after a release; a new one is added. Times are RFC 3339 with
// nanoseconds, UTC.
var migrations = []string{
	// Ids are AUTOINCREMENT so that a number never comes again, also after the
	// oldest entries are pruned.
	`CREATE TABLE revisions (
		number INTEGER PRIMARY KEY AUTOINCREMENT,
		at     TEXT NOT NULL,
		author TEXT NOT NULL,
		note   TEXT NOT NULL DEFAULT '',
		sum    TEXT NOT NULL,
		text   BLOB NOT NULL -- last: the others are read without it
	);
	-- The one write to desired.yaml that is under way.
	CREATE TABLE intents (
		id     INTEGER PRIMARY KEY CHECK (id = 1),
		at     TEXT NOT NULL,
		author TEXT NOT NULL,
		note   TEXT NOT NULL DEFAULT '',
		sum    TEXT NOT NULL,
		text   BLOB NOT NULL
	);
	CREATE TABLE events (
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		at         TEXT NOT NULL,
		reconciler TEXT NOT NULL DEFAULT '',
		kind       TEXT NOT NULL,
		object     TEXT NOT NULL DEFAULT '',
		field      TEXT NOT NULL DEFAULT '',
		old        TEXT NOT NULL DEFAULT '',
		new        TEXT NOT NULL DEFAULT '',
		message    TEXT NOT NULL DEFAULT '',
		actor      TEXT NOT NULL DEFAULT '',
		revision   INTEGER NOT NULL DEFAULT 0
	);
	CREATE TABLE conditions (
		scope TEXT NOT NULL,
		type  TEXT NOT NULL,
		json  TEXT NOT NULL,
		PRIMARY KEY (scope, type)
	);
	-- The last value of each field the operator itself saw converged.
	CREATE TABLE converged (
		field      TEXT PRIMARY KEY,
		object     TEXT NOT NULL DEFAULT '',
		reconciler TEXT NOT NULL DEFAULT '',
		value      TEXT NOT NULL,
		revision   INTEGER NOT NULL DEFAULT 0,
		at         TEXT NOT NULL
	);
	CREATE TABLE drift (
		field TEXT PRIMARY KEY,
		json  TEXT NOT NULL
	);
	CREATE TABLE tries (
		id     INTEGER PRIMARY KEY AUTOINCREMENT,
		state  TEXT NOT NULL,
		json   TEXT NOT NULL,
		before BLOB
	);
	-- Every value config.yaml had, with wall time and CLOCK_MONOTONIC (ns) of
	-- one boot: the restart ledger compares unit starts with it.
	CREATE TABLE config_values (
		id       INTEGER PRIMARY KEY AUTOINCREMENT,
		field    TEXT NOT NULL,
		value    TEXT NOT NULL,
		at       TEXT NOT NULL,
		boot     TEXT NOT NULL DEFAULT '',
		mono     INTEGER NOT NULL DEFAULT 0,
		revision INTEGER NOT NULL DEFAULT 0
	);
	CREATE INDEX config_values_field ON config_values (field, id);
	CREATE TABLE facts (
		key   TEXT PRIMARY KEY,
		value TEXT NOT NULL
	);`,
}

// migrate brings the database to the newest version in one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	version, err := versionOf(ctx, db)
	if err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("%w: the file has version %d, this program knows %d", ErrNewer, version, len(migrations))
	}
	if version == len(migrations) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	for i := version; i < len(migrations); i++ {
		if _, err := tx.ExecContext(ctx, migrations[i]); err != nil {
			return fmt.Errorf("migrate to version %d: %w", i+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func versionOf(ctx context.Context, db *sql.DB) (int, error) {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, fmt.Errorf("read the version: %w", err)
	}
	return version, nil
}
