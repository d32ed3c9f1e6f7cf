package reconcilertest

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// Bounds of the suite: how often a plan is made again, and in how many rounds
// a reconciler must have converged.
const (
	repeats = 1000
	rounds  = 8
)

// Case makes hosts for one reconciler. Each part of the suite takes a fresh
// one.
type Case struct {
	New func(t *testing.T) Host
}

// Host is one host that is not what its document wants: planning on it gives
// at least one change.
type Host struct {
	Reconciler reconcilers.Reconciler
	Want       *desired.Host
	// Observe reads the host now.
	Observe func(t *testing.T) *observers.Snapshot
	// Move changes the host behind the reconciler's back, so that every change
	// planned before is stale and still more is to be done.
	Move func(t *testing.T)
	// State is everything the reconciler may touch, in a form to compare.
	State func(t *testing.T) string
	// Shuffle reorders what has no order on the host; nil: nothing has.
	Shuffle func(have *observers.Snapshot, r *rand.Rand)
}

// Run runs the suite.
func Run(t *testing.T, c Case) {
	parts := []struct {
		name string
		run  func(*testing.T, Host)
	}{
		{"says what it is", testWords},
		{"plans the same again", testDeterministic},
		{"plans without a clock", testNoClock},
		{"leaves its inputs alone", testPure},
		{"changes only what it owns", testOwns},
		{"leaves the unmanaged alone", testUnmanaged},
		{"retries while nothing is known", testUnknown},
		{"converges", testConverges},
		{"applies twice", testTwice},
		{"stops when cancelled and converges later", testCancelled},
		{"refuses a host that moved", testMoved},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.run(t, c.New(t)) })
	}
}

// plan is the plan of the host as it is now; it must not fail.
func (h Host) plan(t *testing.T) []reconcilers.Change {
	t.Helper()
	changes, err := h.Reconciler.Plan(h.Want, h.Observe(t))
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	return changes
}

// pending is a plan that has something to do.
func (h Host) pending(t *testing.T) []reconcilers.Change {
	t.Helper()
	changes := h.plan(t)
	if len(changes) == 0 {
		t.Fatal("the host of the case is converged already; the suite would prove nothing")
	}
	return changes
}

// converge applies plans until one is empty.
func (h Host) converge(t *testing.T) {
	t.Helper()
	for range rounds {
		changes := h.plan(t)
		if len(changes) == 0 {
			return
		}
		for _, change := range changes {
			if err := h.Reconciler.Apply(t.Context(), change); err != nil {
				t.Fatalf("apply %s to %s: %v", change.Action, change.Object, err)
			}
		}
	}
	t.Fatalf("not converged after %d rounds", rounds)
}

// text is a value in a form to compare and to print.
func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
