package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"syscall"
	"time"

	"corehost/config/home"
	"corehost/config/operatordb"
)

// Bounds of the history. The revision in force and the last good one are kept
// in any case.
const (
	maxRevisions = 1000
	maxBytes     = 64 << 20 // of texts, among those larger than maxBytes/maxRevisions
	maxPage      = 200
)

const columns = "number, at, author, note, text, sum"

// Get returns one revision, or ErrNoRevision.
func (s *Store) Get(ctx context.Context, number int64) (Revision, error) {
	row := s.DB.QueryRowContext(ctx, "SELECT "+columns+" FROM revisions WHERE number = ?", number)
	r, err := scan(row)
	if errors.Is(err, sql.ErrNoRows) {
		return Revision{}, fmt.Errorf("revision %d: %w", number, ErrNoRevision)
	}
	if err != nil {
		return Revision{}, fmt.Errorf("read revision %d: %w", number, err)
	}
	return r, nil
}

// List returns up to limit (at most 200) revisions, newest first: those before
// a number, or from the newest when before is 0.
func (s *Store) List(ctx context.Context, before int64, limit int) ([]Revision, error) {
	rows, err := s.DB.QueryContext(ctx, "SELECT "+columns+` FROM revisions
		WHERE ?1 = 0 OR number < ?1 ORDER BY number DESC LIMIT ?2`, before, min(max(limit, 0), maxPage))
	if err != nil {
		return nil, fmt.Errorf("list revisions: %w", err)
	}
	defer rows.Close()
	var list []Revision
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("list revisions: %w", err)
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// load puts the newest revision in force that is valid by today's rules, and
// finds a write that was announced and not recorded.
func (s *Store) load(ctx context.Context) error {
	if err := s.loadNewest(ctx); err != nil {
		return err
	}
	var at string
	var r Revision
	err := s.DB.QueryRowContext(ctx, "SELECT at, author, note, text, sum FROM intents").Scan(&at, &r.Author, &r.Note, &r.Text, &r.Sum)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Time, _ = time.Parse(time.RFC3339Nano, at)
	s.pending = &r
	return nil
}

func (s *Store) loadNewest(ctx context.Context) error {
	rows, err := s.DB.QueryContext(ctx, "SELECT "+columns+" FROM revisions ORDER BY number DESC")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return err
		}
		if host, err := Check(r.Text); err == nil {
			s.state = State{Host: document(host, r.Number), Revision: r, Since: r.Time}
			return nil
		}
	}
	return rows.Err()
}

// announce writes down what is about to be written to the file and by whom,
// so that a crash in between does not lose the author.
func (s *Store) announce(ctx context.Context, r Revision) error {
	_, err := s.DB.ExecContext(ctx, `INSERT INTO intents (id, at, author, note, text, sum) VALUES (1, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET at = excluded.at, author = excluded.author, note = excluded.note,
			text = excluded.text, sum = excluded.sum`, stamp(r.Time), r.Author, r.Note, r.Text, r.Sum)
	if err != nil {
		return fmt.Errorf("record the intent: %w", cause(err))
	}
	s.pending = &r
	return nil
}

// withdraw forgets the announced write.
func (s *Store) withdraw(ctx context.Context) error {
	s.pending = nil
	if _, err := s.DB.ExecContext(ctx, "DELETE FROM intents"); err != nil {
		return fmt.Errorf("withdraw the intent: %w", err)
	}
	return nil
}

// record makes a content that lies in the file a revision.
func (s *Store) record(ctx context.Context, r Revision) (Revision, error) {
	number, err := s.insert(ctx, r)
	if err != nil {
		return r, fmt.Errorf("record the revision: %w", cause(err))
	}
	r.Number = number
	return r, nil
}

// insert does not wait for the disk: the content is in the file, and its
// author in the intent, so after a lost power the next start records the same
// again. The first write of events, a moment later, brings it to disk.
func (s *Store) insert(ctx context.Context, r Revision) (int64, error) {
	conn, err := s.DB.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = NORMAL"); err != nil {
		return 0, err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous = FULL") }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }()
	result, err := tx.ExecContext(ctx, "INSERT INTO revisions (at, author, note, text, sum) VALUES (?, ?, ?, ?, ?)",
		stamp(r.Time), r.Author, r.Note, r.Text, r.Sum)
	if err != nil {
		return 0, err
	}
	number, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	if s.pending != nil {
		if _, err := tx.ExecContext(ctx, "DELETE FROM intents"); err != nil {
			return 0, err
		}
	}
	if err := prune(ctx, tx, number, len(r.Text)); err != nil {
		return 0, err
	}
	return number, tx.Commit()
}

// cause lets a full disk be told by errors.Is(err, syscall.ENOSPC), whoever
// met it.
func cause(err error) error {
	if operatordb.NoSpace(err) {
		return fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	}
	return err
}

const butLastGood = " AND number <> coalesce((SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'last_good_revision'), 0)"

// prune bounds the history after the newest revision was added.
func prune(ctx context.Context, tx *sql.Tx, newest int64, size int) error {
	if newest > maxRevisions {
		if _, err := tx.ExecContext(ctx, "DELETE FROM revisions WHERE number <= ?"+butLastGood, newest-maxRevisions); err != nil {
			return err
		}
	}
	if size <= maxBytes/maxRevisions {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM revisions WHERE number < ?1 AND number IN (
		SELECT number FROM (SELECT number, sum(length(text)) OVER (ORDER BY number DESC) AS total FROM revisions)
		WHERE total > ?2)`+butLastGood, newest, maxBytes)
	return err
}

func scan(row interface{ Scan(dest ...any) error }) (Revision, error) {
	var r Revision
	var at string
	if err := row.Scan(&r.Number, &at, &r.Author, &r.Note, &r.Text, &r.Sum); err != nil {
		return Revision{}, err
	}
	r.Time, _ = time.Parse(time.RFC3339Nano, at)
	return r, nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// knownSum reports whether a revision has this content.
func (s *Store) knownSum(ctx context.Context, sum home.Sum) (bool, error) {
	var known bool
	err := s.DB.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM revisions WHERE sum = ?)", sum).Scan(&known)
	return known, err
}
