package journal

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"corehost/reconcilers"
)

// maxPage bounds one page.
const maxPage = 1000

// Query selects a page of events.
type Query struct {
	Before int64                   // only ids below; 0: no bound
	After  int64                   // only ids above; 0: no bound
	Limit  int                     // at most this many; 0 or more than 1000: 1000
	Kinds  []reconcilers.EventKind // only these; empty: all
	Object string                  // only of this object; empty: all
	Oldest bool                    // oldest first; else newest first
}

// Page returns the events a query selects and whether there are more of them
// beyond the limit.
func (j *Journal) Page(ctx context.Context, q Query) (events []reconcilers.Event, more bool, err error) {
	if q.Limit <= 0 || q.Limit > maxPage {
		q.Limit = maxPage
	}
	text, args := q.sql()
	rows, err := j.db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, false, fmt.Errorf("read journal: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			return nil, false, fmt.Errorf("read journal: %w", err)
		}
		events = append(events, e)
	}
	if err := rows.Err(); err != nil {
		return nil, false, fmt.Errorf("read journal: %w", err)
	}
	if len(events) > q.Limit {
		return events[:q.Limit], true, nil
	}
	return events, false, nil
}

// sql asks for one event more than the limit, to know whether there is one.
func (q Query) sql() (string, []any) {
	var where []string
	var args []any
	add := func(cond string, values ...any) {
		where = append(where, cond)
		args = append(args, values...)
	}
	if q.Before > 0 {
		add("id < ?", q.Before)
	}
	if q.After > 0 {
		add("id > ?", q.After)
	}
	if q.Object != "" {
		add("object = ?", q.Object)
	}
	if len(q.Kinds) > 0 {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(q.Kinds)), ", ")
		kinds := make([]any, len(q.Kinds))
		for i, k := range q.Kinds {
			kinds[i] = string(k)
		}
		add("kind IN ("+marks+")", kinds...)
	}
	text := "SELECT id, at, reconciler, kind, object, field, old, new, message, actor, revision FROM events"
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	order := "DESC"
	if q.Oldest {
		order = "ASC"
	}
	return text + " ORDER BY id " + order + " LIMIT ?", append(args, q.Limit+1)
}

func scan(rows *sql.Rows) (reconcilers.Event, error) {
	var e reconcilers.Event
	var at string
	err := rows.Scan(&e.ID, &at, &e.Reconciler, &e.Kind, &e.Object, &e.Field, &e.From, &e.To,
		&e.Message, &e.Actor, &e.Revision)
	if err != nil {
		return e, err
	}
	e.Time, err = time.Parse(time.RFC3339Nano, at)
	return e, err
}
