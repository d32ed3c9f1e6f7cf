package operatordb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
)

// openMemory makes a database in memory and loads what can be read of path.
func openMemory(ctx context.Context, path string) (*sql.DB, error) {
	db, err := connect("file::memory:?_txlock=immediate")
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db); err != nil {
		_ = db.Close()
		return nil, err
	}
	load(ctx, db, path)
	return db, nil
}

// load copies table by table, so that damage in one does not cost the others.
// A read-only folder has no room for SQLite's shared memory: immutable reads
// the file alone then. What cannot be read stays out; the Reason of the
// database already says that the file is in trouble.
func load(ctx context.Context, db *sql.DB, path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	for _, query := range []string{"mode=ro", "mode=ro&immutable=1"} {
		if loadFrom(ctx, db, locate(path, query)) {
			return
		}
	}
}

func loadFrom(ctx context.Context, db *sql.DB, uri string) bool {
	if _, err := db.ExecContext(ctx, "ATTACH ? AS disk", uri); err != nil {
		return false
	}
	defer func() { _, _ = db.ExecContext(context.WithoutCancel(ctx), "DETACH disk") }()
	tables, err := names(ctx, db, "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		return false
	}
	loaded := false
	for _, table := range tables {
		loaded = copyTable(ctx, db, table) == nil || loaded
	}
	return loaded
}

// copyTable copies the columns both sides know.
func copyTable(ctx context.Context, db *sql.DB, table string) error {
	columns, err := names(ctx, db, `SELECT name FROM pragma_table_info(?1, 'main')
		WHERE name IN (SELECT name FROM pragma_table_info(?1, 'disk'))`, table)
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		return fmt.Errorf("read table %q: no such columns", table)
	}
	list := strings.Join(columns, ", ")
	_, err = db.ExecContext(ctx, fmt.Sprintf("INSERT OR IGNORE INTO main.%[1]s (%[2]s) SELECT %[2]s FROM disk.%[1]s", table, list))
	return err
}

func names(ctx context.Context, db *sql.DB, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, rows.Err()
}
