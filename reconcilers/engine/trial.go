package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"corehost/config/home"
	"corehost/reconcilers"
)

// tryState is where a try stands.
type tryState string

// A try begins as running and ends once: confirmed or reverted. Rows of other
// states than running are history.
const (
	tryRunning   tryState = "running"
	tryConfirmed tryState = "confirmed"
	tryReverted  tryState = "reverted"
)

// attempt is one try with what a revert needs. It is on disk before anything
// changes.
type attempt struct {
	reconcilers.Try
	Boot     string        // kernel boot id of Mono
	Mono     time.Duration // the deadline on CLOCK_MONOTONIC: a clock jump moves nothing
	Existed  bool          // config.yaml was there
	Document bool          // the try brought a document of its own

	before []byte // config.yaml, byte for byte
}

// left is the time until the deadline; the wall clock decides only over a
// reboot.
func (a attempt) left(now moment) time.Duration {
	return moment{Wall: a.Deadline, Mono: a.Mono, Boot: a.Boot}.since(now)
}

// trial keeps the one try that can run. Its methods only keep the books; who
// changes the host on its word holds the door.
type trial struct {
	records records
	clock   clock

	mu      sync.Mutex
	present *attempt // nil: none runs
}

// openTrial finds the try that a former process left running.
func openTrial(ctx context.Context, r records, c clock) (*trial, error) {
	t := &trial{records: r, clock: c}
	var text string
	var id int64
	var before []byte
	row := r.db.QueryRowContext(ctx, `SELECT id, json, before FROM tries WHERE state = ? ORDER BY id DESC LIMIT 1`, tryRunning)
	err := row.Scan(&id, &text, &before)
	if errors.Is(err, sql.ErrNoRows) {
		return t, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read tries: %w", err)
	}
	a := &attempt{before: before}
	if err := json.Unmarshal([]byte(text), a); err != nil {
		return nil, fmt.Errorf("read try %d: %w", id, err)
	}
	a.ID = id
	t.present = a
	return t, nil
}

// begin puts a try on disk. Nothing of it has happened yet when it returns.
func (t *trial) begin(ctx context.Context, a attempt, file home.File) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present != nil {
		return ErrTryRunning
	}
	a.before, a.Existed = file.Data, file.Sum != home.NoFile
	text, _ := json.Marshal(a)
	res, err := t.records.db.ExecContext(ctx, `INSERT INTO tries (state, json, before) VALUES (?, ?, ?)`, tryRunning, string(text), a.before)
	if err != nil {
		return fmt.Errorf("put the try on disk: %w", err)
	}
	if a.ID, err = res.LastInsertId(); err != nil {
		return fmt.Errorf("put the try on disk: %w", err)
	}
	t.present = &a
	return nil
}

// tried notes the revision that is being tried.
func (t *trial) tried(ctx context.Context, revision int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present == nil {
		return ErrNoTry
	}
	next := *t.present
	next.Revision = revision
	text, _ := json.Marshal(next)
	t.present = &next
	return t.records.commit(ctx, []statement{{`UPDATE tries SET json = ? WHERE id = ?`, []any{string(text), next.ID}}})
}

// end closes the running try. When the disk refuses a confirmation the try
// runs on: a process that dies now would revert it, so nobody is told that it
// is kept. A revert has happened, whatever the disk says.
func (t *trial) end(ctx context.Context, state tryState) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present == nil {
		return ErrNoTry
	}
	id := t.present.ID
	err := t.records.commit(ctx, []statement{
		{`UPDATE tries SET state = ?, before = NULL WHERE id = ?`, []any{state, id}},
		{`DELETE FROM tries WHERE id <= ?`, []any{id - keepTries}},
	})
	if err == nil || state == tryReverted {
		t.present = nil
	}
	return err
}

// keepTries bounds the history of tries.
const keepTries = 200

// get is the running try; false: none runs.
func (t *trial) get() (attempt, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present == nil {
		return attempt{}, false
	}
	return *t.present, true
}

// running is the running try as people see it; nil: none.
func (t *trial) running() *reconcilers.Try {
	a, ok := t.get()
	if !ok {
		return nil
	}
	return &a.Try
}

// overdue reports whether a try runs whose time is up, and else how long it
// has left; 0, false: none runs.
func (t *trial) overdue() (left time.Duration, due bool) {
	a, ok := t.get()
	if !ok {
		return 0, false
	}
	left = a.left(t.clock.at())
	return max(left, 0), left <= 0
}
