package reconcilertest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

func testWords(t *testing.T, h Host) {
	r := h.Reconciler
	if r.Name() == "" || len(r.Watches()) == 0 || len(r.Owns()) == 0 {
		t.Errorf("name %q, watches %q, owns %q: none may be empty", r.Name(), r.Watches(), r.Owns())
	}
}

func testDeterministic(t *testing.T, h Host) {
	have := h.Observe(t)
	first, err := h.Reconciler.Plan(h.Want, have)
	if err != nil || len(first) == 0 {
		t.Fatalf("plan: %d changes, %v", len(first), err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range repeats {
		if h.Shuffle != nil {
			h.Shuffle(have, random)
		}
		again, err := h.Reconciler.Plan(h.Want, have)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatalf("plan %d differs from the first (-first +again):\n%s", i+2, diff)
		}
	}
}

// testNoClock plans in a bubble whose clock stands in the year 2000.
func testNoClock(t *testing.T, h Host) {
	have := h.Observe(t)
	first, err := h.Reconciler.Plan(h.Want, have)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			again, err := h.Reconciler.Plan(h.Want, have)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, again); diff != "" {
				t.Fatalf("the plan depends on the clock (-now +2000):\n%s", diff)
			}
			time.Sleep(100 * 24 * time.Hour)
		}
	})
}

func testPure(t *testing.T, h Host) {
	have := h.Observe(t)
	before, state := text(t, []any{h.Want, have}), h.State(t)
	changes, err := h.Reconciler.Plan(h.Want, have)
	if err != nil {
		t.Fatal(err)
	}
	for i := range changes {
		changes[i].Needs.Restart = append(changes[i].Needs.Restart[:0], "somebody else's unit")
		changes[i].Fields[0].To = "somebody else's value"
	}
	if diff := cmp.Diff(before, text(t, []any{h.Want, have})); diff != "" {
		t.Errorf("planning changed its inputs (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(state, h.State(t)); diff != "" {
		t.Errorf("planning changed the host (-before +after):\n%s", diff)
	}
}

func testOwns(t *testing.T, h Host) {
	for _, c := range h.pending(t) {
		if c.Reconciler != h.Reconciler.Name() || c.Object == "" || c.Action == "" || len(c.Fields) == 0 {
			t.Errorf("change lacks its reconciler, object, action or fields: %+v", c)
		}
		for _, f := range c.Fields {
			if !owned(h.Reconciler.Owns(), f.Field) {
				t.Errorf("%s changes %s but owns %q", c.Reconciler, f.Field, h.Reconciler.Owns())
			}
			if f.From == f.To {
				t.Errorf("%s: from and to are both %q", f.Field, f.To)
			}
		}
	}
}

// owned reports whether a field falls under one of the patterns: the list
// field units[core-gateway].state under unit.*.state, and
// backups[core-….tar.gz] under backup.file.*.
func owned(patterns []string, field string) bool {
	path := strings.NewReplacer("units[", "unit.", "backups[", "backup.file.", "]", "").Replace(field)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		before, after, wild := strings.Cut(pattern, "*")
		if !wild {
			return pattern == path
		}
		return len(path) > len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after)
	})
}

func testUnmanaged(t *testing.T, h Host) {
	for name, have := range map[string]*observers.Snapshot{"known": h.Observe(t), "nothing read": {At: h.Observe(t).At}} {
		changes, err := h.Reconciler.Plan(&desired.Host{}, have)
		if len(changes) > 0 || err != nil {
			t.Errorf("%s: a document that manages nothing gives %d changes, %v", name, len(changes), err)
		}
	}
}

func testUnknown(t *testing.T, h Host) {
	have := &observers.Snapshot{At: h.Observe(t).At}
	changes, err := h.Reconciler.Plan(h.Want, have)
	if len(changes) > 0 {
		t.Errorf("%d changes were planned from nothing", len(changes))
	}
	if err == nil || errors.Is(err, reconcilers.ErrBlocked) || errors.Is(err, reconcilers.ErrAbsent) {
		t.Errorf("got %v, want an error that is retried", err)
	}
}
