package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/platform"
	"corehost/observers"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// at is a moment s seconds into a boot, on a wall clock that may be off.
func at(boot string, s int, off time.Duration) moment {
	d := time.Duration(s) * time.Second
	return moment{Wall: day.Add(d + off), Mono: d, Boot: boot}
}

func modelSeen(model string, read, modified time.Time) *observers.Snapshot {
	s := &observers.Snapshot{At: read}
	s.Platform = observers.Reading[observers.Platform]{At: read, Interval: time.Minute, Value: observers.Platform{
		Exists: true, ModTime: modified, Config: platform.Config{Provider: "p", Model: model},
	}}
	return s
}

func TestLedger(t *testing.T) {
	const jump = 1000 * time.Hour
	type step struct {
		model    string
		now      moment
		modified time.Time // zero: now
	}
	tests := []struct {
		name    string
		steps   []step
		started moment
		running string // the model the unit runs; the notice exists when it is not the last
	}{
		{"started before the change", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}}, at("x", 15, 0), "a"},
		{"started after the change", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}}, at("x", 25, 0), "b"},
		{"started before anything was known", []step{{"a", at("x", 10, 0), time.Time{}}}, at("x", 1, 0), "a"},
		{"changed and changed back", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}, {"a", at("x", 30, 0), time.Time{}}}, at("x", 15, 0), "a"},
		{"in the middle of three", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}, {"c", at("x", 30, 0), time.Time{}}}, at("x", 25, 0), "b"},
		{"the clock was set forward between", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}}, at("x", 15, jump), "a"},
		{"the clock was set back between", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}}, at("x", 25, -jump), "b"},
		{"rebooted since", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 20, 0), time.Time{}}}, at("y", 5, time.Hour), "b"},
		{"read late, started between change and reading", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 30, 0), day.Add(20 * time.Second)}}, at("x", 25, 0), "b"},
		{"an old file moved into place", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 30, 0), day.Add(-time.Hour)}}, at("x", 25, 0), "a"},
		{"a file from the future", []step{{"a", at("x", 10, 0), time.Time{}}, {"b", at("x", 30, 0), day.Add(time.Hour)}}, at("x", 25, 0), "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLedger(map[string][]entry{})
			last := ""
			for i, s := range tt.steps {
				modified := s.modified
				if modified.IsZero() {
					modified = s.now.Wall
				}
				l.observe(modelSeen(s.model, s.now.Wall, modified), s.now, int64(i+1))
				last = s.model
			}
			got, ok := l.running(platform.KeyModel, tt.started)
			if !ok || got.value != tt.running {
				t.Errorf("runs %q, want %q", got.value, tt.running)
			}
			notices := l.notices([]runner{{"u", tt.started, true}, {"off", tt.started, false}})
			if want := tt.running != last; (len(notices) == 1) != want {
				t.Errorf("notices %+v, want one: %v", notices, want)
			}
		})
	}
}

func TestLedgerOutlivesTheProcess(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	h.desire(wantModel("claude-opus-4-1"))
	h.converge()
	got, err := records{db: h.db}.entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.engine.overview.ledger.mu.Lock()
	defer h.engine.overview.ledger.mu.Unlock()
	if diff := cmp.Diff(h.engine.overview.ledger.entries, got, cmp.AllowUnexported(entry{}), cmp.Comparer(func(a, b moment) bool {
		return a.Wall.Equal(b.Wall) && a.Mono == b.Mono && a.Boot == b.Boot
	})); diff != "" {
		t.Errorf("on disk (+) and in memory (-) differ:\n%s", diff)
	}
}

func TestSteady(t *testing.T) {
	now := at("x", 100, 0)
	tests := []struct {
		name string
		unit observers.Unit
		ok   bool
		wait time.Duration
	}{
		{"not installed", observers.Unit{Load: "not-found", Active: "inactive"}, true, 0},
		{"stopped", observers.Unit{Load: "loaded", Active: "inactive"}, true, 0},
		{"failed", observers.Unit{Load: "loaded", Active: "failed"}, false, 0},
		{"about to restart", observers.Unit{Load: "loaded", Active: "activating", Sub: "auto-restart"}, false, 0},
		{"up for long", observers.Unit{Load: "loaded", Active: "active", StartedMono: 90 * time.Second}, true, 0},
		{"just started", observers.Unit{Load: "loaded", Active: "active", StartedMono: 98 * time.Second}, false, 3 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.unit.Name = gateway
			have := &observers.Snapshot{}
			have.Units.Value = observers.Units{BootID: "x", Units: []observers.Unit{tt.unit}}
			wait, ok := steady([]string{gateway, "self"}, "self", have, now, 5*time.Second)
			if ok != tt.ok || wait != tt.wait {
				t.Errorf("steady %v, wait %v; want %v, %v", ok, wait, tt.ok, tt.wait)
			}
		})
	}
}
