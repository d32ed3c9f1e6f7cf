package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/config/operatordb"
	"corehost/reconcilers"
)

// records are the engine's rows in operator.db. Reading happens once, at the
// start; from then on memory is ahead and the rows follow in transactions.
type records struct{ db *operatordb.DB }

// statement is one row to write.
type statement struct {
	query string
	args  []any
}

// commit writes all statements or none.
func (r records) commit(ctx context.Context, writes []statement) error {
	if len(writes) == 0 {
		return nil
	}
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, w := range writes {
		if _, err := tx.ExecContext(ctx, w.query, w.args...); err != nil {
			return fmt.Errorf("record: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

func saveFact(key, value string) statement {
	return statement{`INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, []any{key, value}}
}

// fact reads one fact; empty: it was never written.
func (r records) fact(ctx context.Context, key string) (string, error) {
	var value string
	err := r.db.QueryRowContext(ctx, `SELECT value FROM facts WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read fact %s: %w", key, err)
	}
	return value, nil
}

func saveCondition(scope string, c metav1.Condition) statement {
	text, _ := json.Marshal(c) // strings, a number and a time always marshal
	return statement{`INSERT INTO conditions (scope, type, json) VALUES (?, ?, ?) ON CONFLICT (scope, type) DO UPDATE SET json = excluded.json`, []any{scope, c.Type, string(text)}}
}

func (r records) conditions(ctx context.Context) (map[string][]metav1.Condition, error) {
	out := map[string][]metav1.Condition{}
	err := r.each(ctx, `SELECT scope, json FROM conditions ORDER BY scope, type`, func(rows *sql.Rows) error {
		var scope, text string
		var c metav1.Condition
		if err := rows.Scan(&scope, &text); err != nil {
			return err
		}
		if json.Unmarshal([]byte(text), &c) == nil {
			out[scope] = append(out[scope], c)
		}
		return nil
	})
	return out, err
}

func saveDrift(d reconcilers.Drift) statement {
	text, _ := json.Marshal(d)
	return statement{`INSERT INTO drift (field, json) VALUES (?, ?) ON CONFLICT (field) DO UPDATE SET json = excluded.json`, []any{d.Field, string(text)}}
}

func dropDrift(field string) statement {
	return statement{`DELETE FROM drift WHERE field = ?`, []any{field}}
}

func (r records) drift(ctx context.Context) (map[string]reconcilers.Drift, error) {
	out := map[string]reconcilers.Drift{}
	err := r.each(ctx, `SELECT json FROM drift`, func(rows *sql.Rows) error {
		var text string
		var d reconcilers.Drift
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if json.Unmarshal([]byte(text), &d) == nil {
			out[d.Field] = d
		}
		return nil
	})
	return out, err
}

// settled is the last value the operator itself saw converged.
type settled struct {
	object, reconciler, value string
	revision                  int64
}

func saveSettled(field string, s settled, at time.Time) statement {
	return statement{`INSERT INTO converged (field, object, reconciler, value, revision, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (field) DO UPDATE SET object = excluded.object, reconciler = excluded.reconciler,
		value = excluded.value, revision = excluded.revision, at = excluded.at`,
		[]any{field, s.object, s.reconciler, s.value, s.revision, stamp(at)}}
}

func (r records) settled(ctx context.Context) (map[string]settled, error) {
	out := map[string]settled{}
	err := r.each(ctx, `SELECT field, object, reconciler, value, revision FROM converged`, func(rows *sql.Rows) error {
		var name string
		var s settled
		err := rows.Scan(&name, &s.object, &s.reconciler, &s.value, &s.revision)
		out[name] = s
		return err
	})
	return out, err
}

func (r records) each(ctx context.Context, query string, scan func(*sql.Rows) error) error {
	rows, err := r.db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("read records: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
