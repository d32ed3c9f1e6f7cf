package reconcilertest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/reconcilers"
)

func testConverges(t *testing.T, h Host) {
	h.pending(t)
	h.converge(t)
	state := h.State(t)
	h.converge(t)
	if diff := cmp.Diff(state, h.State(t)); diff != "" {
		t.Errorf("a converged host changed (-before +after):\n%s", diff)
	}
}

func testTwice(t *testing.T, h Host) {
	for _, change := range h.pending(t) {
		if err := h.Reconciler.Apply(t.Context(), change); err != nil {
			t.Fatalf("apply to %s: %v", change.Object, err)
		}
		state := h.State(t)
		if err := h.Reconciler.Apply(t.Context(), change); err != nil {
			t.Errorf("apply to %s a second time: %v", change.Object, err)
		}
		if diff := cmp.Diff(state, h.State(t)); diff != "" {
			t.Errorf("applying to %s twice changed the host (-once +twice):\n%s", change.Object, diff)
		}
	}
	if left := h.plan(t); len(left) > 0 {
		t.Errorf("after applying the plan, %d changes are left: %+v", len(left), left)
	}
}

// testCancelled cancels before the last change; what was made stays, the rest
// is made by a later run.
func testCancelled(t *testing.T, h Host) {
	changes := h.pending(t)
	for _, change := range changes[:len(changes)-1] {
		if err := h.Reconciler.Apply(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	state := h.State(t)
	if err := h.Reconciler.Apply(ctx, changes[len(changes)-1]); !errors.Is(err, context.Canceled) {
		t.Errorf("apply with a cancelled context: %v, want context.Canceled", err)
	}
	if diff := cmp.Diff(state, h.State(t)); diff != "" {
		t.Errorf("a cancelled change changed the host (-before +after):\n%s", diff)
	}
	h.converge(t)
}

func testMoved(t *testing.T, h Host) {
	changes := h.pending(t)
	h.Move(t)
	state := h.State(t)
	for _, change := range changes {
		err := h.Reconciler.Apply(t.Context(), change)
		if !errors.Is(err, reconcilers.ErrStale) {
			t.Errorf("apply to %s after the host moved: %v, want ErrStale", change.Object, err)
		}
	}
	if diff := cmp.Diff(state, h.State(t)); diff != "" {
		t.Errorf("a stale change changed the host (-before +after):\n%s", diff)
	}
	h.converge(t)
}
