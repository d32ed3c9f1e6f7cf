package operatordb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"corehost/config/operatordb"
)

const insertRevision = `INSERT INTO revisions (at, author, text, sum) VALUES ('2026-01-02T03:04:05Z', 'file', ?, 'x')`

func open(t *testing.T, path string) *operatordb.DB {
	t.Helper()
	db, err := operatordb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func count(t *testing.T, db *operatordb.DB, table string) int {
	t.Helper()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// seed writes a database with 200 revisions and closes it.
func seed(t *testing.T, path string) {
	t.Helper()
	db, err := operatordb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if _, err := db.Exec(insertRevision, []byte(strings.Repeat(fmt.Sprintln("line", i), 100))); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenKeepsWhatWasWritten(t *testing.T) {
	for _, name := range []string{"operator.db", "odd name ?a=b#c%41&mode=memory.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			seed(t, path)
			db := open(t, path)
			if db.Memory || db.Reason != nil {
				t.Fatalf("memory %v: %v", db.Memory, db.Reason)
			}
			if n := count(t, db, "revisions"); n != 200 {
				t.Errorf("%d revisions, want 200", n)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, want 0600", info.Mode())
			}
		})
	}
}

func TestEveryCommitIsDurable(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "operator.db"))
	var mode, sync string
	if err := errors.Join(db.QueryRow("PRAGMA journal_mode").Scan(&mode), db.QueryRow("PRAGMA synchronous").Scan(&sync)); err != nil {
		t.Fatal(err)
	}
	if mode != "wal" || sync != "2" {
		t.Errorf("journal %s, synchronous %s; want wal, 2 (FULL)", mode, sync)
	}
}

// TestUnusableFileIsLeftAlone opens what cannot be used: the database works in
// memory, says why, and the file keeps every byte.
func TestUnusableFileIsLeftAlone(t *testing.T) {
	cases := []struct {
		name    string
		spoil   func(t *testing.T, path string)
		want    error
		history int // revisions that can still be read
	}{
		{"text", func(t *testing.T, path string) { write(t, path, []byte("this is not a database at all\n")) }, operatordb.ErrDamaged, 0},
		{"cut short", func(t *testing.T, path string) { truncate(t, path, 20000) }, operatordb.ErrDamaged, -1},
		{"page overwritten", overwrite, operatordb.ErrDamaged, -1},
		{"newer version", func(t *testing.T, path string) { pragma(t, path, "PRAGMA user_version = 9999") }, operatordb.ErrNewer, 200},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "operator.db")
			seed(t, path)
			c.spoil(t, path)
			before := read(t, path)
			db := open(t, path)
			if !db.Memory || !errors.Is(db.Reason, c.want) {
				t.Fatalf("memory %v, reason %v; want %v", db.Memory, db.Reason, c.want)
			}
			if n := count(t, db, "revisions"); c.history >= 0 && n != c.history {
				t.Errorf("%d revisions loaded, want %d", n, c.history)
			}
			if _, err := db.Exec(insertRevision, []byte("in memory")); err != nil {
				t.Errorf("write in memory: %v", err)
			}
			db.Close()
			if string(read(t, path)) != string(before) {
				t.Error("the file was touched")
			}
		})
	}
}

func TestSomethingElseInItsPlace(t *testing.T) {
	cases := []struct {
		name string
		make func(path string) error
	}{
		{"folder", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"pipe", func(path string) error { return unix.Mkfifo(path, 0o600) }},
		{"symlink", func(path string) error { return os.Symlink("/etc/hostname", path) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "operator.db")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			if db := open(t, path); !db.Memory || !errors.Is(db.Reason, operatordb.ErrNotRegular) {
				t.Errorf("memory %v, reason %v", db.Memory, db.Reason)
			}
		})
	}
}

func TestNoFolder(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "missing", "operator.db"))
	if !db.Memory || !errors.Is(db.Reason, os.ErrNotExist) {
		t.Errorf("memory %v, reason %v", db.Memory, db.Reason)
	}
}

// TestNumbersNeverComeAgain: in memory as on disk, also after pruning.
func TestNumbersNeverComeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operator.db")
	seed(t, path)
	pragma(t, path, "PRAGMA user_version = 9999") // forces memory
	db := open(t, path)
	if _, err := db.Exec("DELETE FROM revisions"); err != nil {
		t.Fatal(err)
	}
	result, err := db.Exec(insertRevision, []byte("next"))
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := result.LastInsertId(); id != 201 {
		t.Errorf("the next revision is %d, want 201", id)
	}
}

func TestCancelledOpenIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if db, err := operatordb.Open(ctx, filepath.Join(t.TempDir(), "operator.db")); err == nil {
		db.Close()
		t.Error("opened with a cancelled context")
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string) {
	t.Helper()
	data := read(t, path)
	for i := 4096; i < 3*4096; i++ {
		data[i] = 0xa5
	}
	write(t, path, data)
}

func pragma(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}
