package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"corehost/desired"
)

// Origin returns the revision that gave a field its present value, named as in
// desired.Diff; of a field that is absent, the one since which it is. Where
// that is no longer kept, it is the oldest one since then. ErrNoRevision
// before the first.
func (s *Store) Origin(ctx context.Context, field string) (Revision, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.origins == nil {
		s.origins = map[string]int64{}
	}
	if _, known := s.origins[field]; !known {
		if err := s.trace(ctx, field); err != nil {
			return Revision{}, fmt.Errorf("trace %s: %w", field, err)
		}
	}
	row := s.DB.QueryRowContext(ctx, "SELECT "+columns+" FROM revisions WHERE number >= ? ORDER BY number LIMIT 1", s.origins[field])
	r, err := scan(row)
	if errors.Is(err, sql.ErrNoRows) {
		return Revision{}, fmt.Errorf("trace %s: %w", field, ErrNoRevision)
	}
	return r, err
}

// trace walks back until field and every value in force have changed.
func (s *Store) trace(ctx context.Context, field string) error {
	current := s.Current()
	now := desired.Fields(current.Host)
	open := map[string]bool{field: true}
	for name := range now {
		open[name] = true
	}
	rows, err := s.DB.QueryContext(ctx, "SELECT "+columns+" FROM revisions WHERE number <= ? ORDER BY number DESC", current.Revision.Number)
	if err != nil {
		return err
	}
	defer rows.Close()
	for len(open) > 0 && rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return err
		}
		host, err := Check(r.Text)
		if err != nil {
			break // an older program's rules; further back is not to be told
		}
		then := desired.Fields(host)
		for name := range open {
			value, has := now[name]
			old, had := then[name]
			if has == had && value == old {
				s.origins[name] = r.Number
			} else {
				delete(open, name)
			}
		}
	}
	return rows.Err()
}
