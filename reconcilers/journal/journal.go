package journal

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"corehost/config/operatordb"
	"corehost/reconcilers"
)

const (
	// keep is how many events the journal holds; older ones are forgotten.
	keep = 20_000
	// trimEvery is how many events are appended between two trims.
	trimEvery = 256
	// stampFormat sorts as text: fixed width, UTC.
	stampFormat = "2006-01-02T15:04:05.000000000Z07:00"
)

// Journal is the history of one host. It is safe for concurrent use.
type Journal struct {
	db  *operatordb.DB
	now func() time.Time

	mu      sync.Mutex
	last    int64
	trimmed int64 // last id at the time of the last trim
	readers map[*Subscription]struct{}
}

// Open reads where the history ended. now stamps events that carry no time.
func Open(ctx context.Context, db *operatordb.DB, now func() time.Time) (*Journal, error) {
	j := &Journal{db: db, now: now, readers: map[*Subscription]struct{}{}}
	var last sql.NullInt64
	// AUTOINCREMENT remembers the highest id ever given, also after a trim.
	row := db.QueryRowContext(ctx, `SELECT max(seq) FROM sqlite_sequence WHERE name = 'events'`)
	if err := row.Scan(&last); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j.last = last.Int64
	return j, nil
}

// Append writes events in one transaction and hands them to the subscribers.
// An event without a time gets the present one; ids are set on the copies the
// subscribers and later pages see. When it fails, none was written.
func (j *Journal) Append(ctx context.Context, events ...reconcilers.Event) error {
	if len(events) == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	written, err := j.write(ctx, events)
	if err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	j.last = written[len(written)-1].ID
	for r := range j.readers {
		if !r.deliver(written) {
			j.drop(r)
		}
	}
	return nil
}

// Last is the id of the newest event; 0 when there never was one.
func (j *Journal) Last() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

func (j *Journal) write(ctx context.Context, events []reconcilers.Event) ([]reconcilers.Event, error) {
	tx, err := j.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	written := make([]reconcilers.Event, len(events))
	for i, e := range events {
		if e.Time.IsZero() {
			e.Time = j.now()
		}
		e.Time = e.Time.UTC()
		if e.ID, err = insert(ctx, tx, e); err != nil {
			return nil, err
		}
		written[i] = e
	}
	newest := written[len(written)-1].ID
	trim := newest-j.trimmed >= trimEvery
	if trim {
		if _, err := tx.ExecContext(ctx, `DELETE FROM events WHERE id <= ?`, newest-keep); err != nil {
			return nil, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	if trim {
		j.trimmed = newest
	}
	return written, nil
}

func insert(ctx context.Context, tx *sql.Tx, e reconcilers.Event) (int64, error) {
	res, err := tx.ExecContext(ctx,
		`INSERT INTO events (at, reconciler, kind, object, field, old, new, message, actor, revision)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.Time.Format(stampFormat), e.Reconciler, string(e.Kind), e.Object, e.Field, e.From, e.To,
		e.Message, e.Actor, e.Revision)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}
