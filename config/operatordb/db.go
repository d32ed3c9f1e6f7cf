package operatordb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"modernc.org/sqlite" // also the driver
	sqlite3 "modernc.org/sqlite/lib"
)

// Why a database is kept in memory, besides errors of the file system.
var (
	// ErrDamaged: the file is not a whole SQLite database.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNewer: a newer program wrote the file.
	ErrNewer = errors.New("a newer version of this program wrote the file")
	// ErrNotRegular: a folder, symlink, pipe or device stands in its place.
	ErrNotRegular = errors.New("not a regular file")
)

// busyTimeout is how long a statement waits for another process, in ms.
const busyTimeout = 5000

// DB is the open database. It holds one connection, in a file as in memory:
// statements of all goroutines wait for each other, so close rows before the
// next statement and use nothing but the transaction inside one.
type DB struct {
	*sql.DB
	Memory bool  // nothing is kept beyond this process
	Reason error // why; nil when Memory is false
}

// Open opens or creates the database with mode 0600 and brings it to the
// newest version. Whatever keeps the file from being used makes a database in
// memory with the Reason, filled with what could be read; the file is then
// left as it is. An error means that not even that was possible.
func Open(ctx context.Context, path string) (*DB, error) {
	db, reason := openFile(ctx, path)
	if reason == nil {
		return &DB{DB: db}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open operator.db: %w", err)
	}
	db, err := openMemory(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open operator.db in memory: %w", err)
	}
	return &DB{DB: db, Memory: true, Reason: fmt.Errorf("open operator.db: %w", reason)}, nil
}

// openFile looks at the file without a way to change it before it opens it
// for writing.
func openFile(ctx context.Context, path string) (*sql.DB, error) {
	if err := examine(ctx, path); err != nil {
		return nil, err
	}
	if err := create(path); err != nil {
		return nil, err
	}
	query := fmt.Sprintf("_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)", busyTimeout)
	db, err := connect(locate(path, query))
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, db); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// examine refuses a file that is no whole database of a known version.
func examine(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	if info.Size() == 0 {
		return nil
	}
	db, err := connect(locate(path, fmt.Sprintf("mode=ro&_pragma=busy_timeout(%d)", busyTimeout)))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	version, err := versionOf(ctx, db)
	if err != nil {
		return damaged(err)
	}
	if version > len(migrations) {
		return fmt.Errorf("%w: it has version %d, this one knows %d", ErrNewer, version, len(migrations))
	}
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return damaged(err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return nil
}

// create makes an empty file that only its owner may read; SQLite gives the
// files beside it the same mode.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// prepare migrates and makes sure that a write reaches the disk: a database
// of a read-only or full file system opens without complaint.
func prepare(ctx context.Context, db *sql.DB) error {
	if err := migrate(ctx, db); err != nil {
		return err
	}
	const probe = `INSERT INTO facts (key, value) VALUES ('opened', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`
	if _, err := db.ExecContext(ctx, probe); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func connect(dsn string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// locate names a file as a SQLite URI, so that no character of the path is
// taken for a parameter.
func locate(path, query string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: query}
	return u.String()
}

// damaged tells a file that is no whole database from a read that failed for
// another reason.
func damaged(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// NoSpace reports that a statement failed because the disk is full; nothing
// was changed then.
func NoSpace(err error) bool { return code(err) == sqlite3.SQLITE_FULL }

// code is the primary result code of SQLite (sqlite.org/rescode.html), 0 when
// err is not of SQLite.
func code(err error) int {
	var cause *sqlite.Error
	if !errors.As(err, &cause) {
		return sqlite3.SQLITE_OK
	}
	return cause.Code() & 0xff
}
