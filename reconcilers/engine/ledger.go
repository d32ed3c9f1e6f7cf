package engine

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"time"

	"corehost/observers"
	"corehost/reconcilers"
)

// The bounds of the history of config.yaml's values: entries per value in
// memory, rows of all values on disk.
const (
	ledgerKeep = 256
	ledgerRows = 4096
)

// ledger knows every value config.yaml had and since when, and so which
// running unit still holds an old one: the value a unit runs is the newest
// that is not younger than the unit's start.
type ledger struct {
	mu      sync.Mutex
	entries map[string][]entry // by field, oldest first
	seen    moment             // when config.yaml was last looked at
}

// entry is one value and when it came. The first one of a field is from the
// beginning of time: what was before is not known.
type entry struct {
	value    string
	at       moment
	revision int64
}

// runner is a unit that reads config.yaml at its start.
type runner struct {
	name    string
	started moment
	active  bool
}

func newLedger(entries map[string][]entry) *ledger {
	return &ledger{entries: entries}
}

// observe enters the values of config.yaml that changed since it was last
// looked at. revision is the one in force.
func (l *ledger) observe(s *observers.Snapshot, now moment, revision int64) []statement {
	p := s.Platform
	if p.At.IsZero() || p.Err != nil || p.Value.Problem != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var writes []statement
	for _, f := range configFields {
		e := entry{value: configValue(p.Value.Config, f.name), revision: revision}
		list := l.entries[f.name]
		if len(list) > 0 {
			if list[len(list)-1].value == e.value {
				continue
			}
			e.at = changedAt(p.Value.ModTime, now, later(l.seen, list[len(list)-1].at))
		}
		l.entries[f.name] = lastOf(append(list, e), ledgerKeep)
		writes = append(writes, saveEntry(f.name, e))
	}
	l.seen = now.ago(p.At)
	if len(writes) > 0 {
		writes = append(writes, statement{`DELETE FROM config_values WHERE id <= (SELECT max(id) FROM config_values) - ?`, []any{ledgerRows}})
	}
	return writes
}

// changedAt is when a file changed that was seen unchanged at before: its
// time of modification, unless that is not between the two (a file moved into
// place keeps an old one); then now, so that a notice is rather given than
// missed.
func changedAt(modified time.Time, now, before moment) moment {
	at := now.ago(modified)
	if at.after(now) || !at.after(before) {
		return now
	}
	return at
}

func later(a, b moment) moment {
	if a.after(b) {
		return a
	}
	return b
}

// running is the value of a field that a unit started at a moment has read.
func (l *ledger) running(name string, started moment) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.entries[name]
	for _, e := range slices.Backward(list) {
		if !e.at.after(started) {
			return e, true
		}
	}
	if len(list) > 0 {
		return list[0], true
	}
	return entry{}, false
}

// notices lists what still runs old values, by unit and field.
func (l *ledger) notices(runners []runner) []reconcilers.RestartNotice {
	var out []reconcilers.RestartNotice
	for _, r := range runners {
		if !r.active {
			continue
		}
		for _, f := range configFields {
			has, ok := l.running(f.name, r.started)
			wants, _ := l.configured(f.name)
			if !ok || has.value == wants.value {
				continue
			}
			out = append(out, reconcilers.RestartNotice{
				Unit: r.name, Field: f.name, Running: has.value, Configured: wants.value,
				Since: wants.at.Wall.UTC(), Revision: wants.revision,
			})
		}
	}
	return out
}

// configured is the newest value of a field.
func (l *ledger) configured(name string) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.entries[name]
	if len(list) == 0 {
		return entry{}, false
	}
	return list[len(list)-1], true
}

// runners are the readers of config.yaml as far as they can be seen.
func runners(readers []string, self string, started moment, s *observers.Snapshot) []runner {
	var out []runner
	for _, name := range readers {
		if name == self {
			out = append(out, runner{name: name, started: started, active: true})
			continue
		}
		u, ok := s.Units.Value.Find(name)
		if !ok || !s.Units.Known(s.At) {
			continue
		}
		out = append(out, runner{name: name, started: startOf(u, s.Units.Value.BootID), active: u.Up()})
	}
	return out
}

func startOf(u observers.Unit, boot string) moment {
	if u.StartedMono == 0 {
		boot = ""
	}
	return moment{Wall: u.Started, Mono: u.StartedMono, Boot: boot}
}

func saveEntry(name string, e entry) statement {
	return statement{`INSERT INTO config_values (field, value, at, boot, mono, revision) VALUES (?, ?, ?, ?, ?, ?)`,
		[]any{name, e.value, stamp(e.at.Wall), e.at.Boot, int64(e.at.Mono), e.revision}}
}

// entries reads the history of config.yaml's values.
func (r records) entries(ctx context.Context) (map[string][]entry, error) {
	out := map[string][]entry{}
	err := r.each(ctx, `SELECT field, value, at, boot, mono, revision FROM config_values ORDER BY id`, func(rows *sql.Rows) error {
		var name, at string
		var e entry
		var mono int64
		if err := rows.Scan(&name, &e.value, &at, &e.at.Boot, &mono, &e.revision); err != nil {
			return err
		}
		wall, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			return fmt.Errorf("time of a config value: %w", err)
		}
		e.at.Wall, e.at.Mono = wall, time.Duration(mono)
		out[name] = lastOf(append(out[name], e), ledgerKeep)
		return nil
	})
	return out, err
}
