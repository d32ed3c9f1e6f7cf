package engine

import (
	"context"
	"sync"
	"time"

	"corehost/config/home"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/hub"
	"corehost/reconcilers"
)

// lookLimit bounds how long a plan waits for fresh readings; older ones carry
// their age.
const lookLimit = 2 * time.Second

// Observers whose readings the engine itself looks at.
const (
	unitObserver     = "unit"
	platformObserver = "platform"
)

// planner shows what would be done, without doing it.
type planner struct {
	store       *store.Store
	hub         *hub.Hub
	reconcilers []reconcilers.Reconciler
	tracker     *tracker
	grip        *grip
}

// now is the plan of the document in force.
func (p planner) now(ctx context.Context) reconcilers.Plan {
	p.look(ctx)
	state := p.store.Current()
	return p.plan(state, state.Host, nil)
}

// preview is the plan of another document, and how that differs from the one
// in force. The error is a *desired.Invalid.
func (p planner) preview(ctx context.Context, text []byte) (reconcilers.Plan, []desired.FieldChange, error) {
	host, err := store.Check(text)
	if err != nil {
		return reconcilers.Plan{}, nil, err
	}
	p.look(ctx)
	state := p.store.Current()
	return p.plan(state, host, text), desired.Diff(state.Host, host), nil
}

func (p planner) plan(state store.State, want *desired.Host, document []byte) reconcilers.Plan {
	have, _ := p.grip.veil(p.hub.Snapshot())
	suspended, _ := suspension(want, have.At)
	h := holder{suspended: suspended, policy: want.Spec.Drift, drift: p.tracker.all(), now: have.At}
	out := reconcilers.Plan{Revision: state.Revision.Number, Changes: []reconcilers.PlannedChange{}}
	var all []reconcilers.Change
	for _, r := range p.reconcilers {
		changes, err := planOf(r, want, have)
		held := h.held(changes)
		for _, c := range changes {
			out.Changes = append(out.Changes, show(c, held)...)
		}
		all = append(all, changes...)
		out.Problems = append(out.Problems, shownProblems(r.Name(), problemsOf("", err))...)
	}
	out.ETag = etag(state.Revision.Number, all, configSum(have), document)
	return out
}

// look has the observers read now what plans and the ledger are made from.
func (p planner) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	names := []string{unitObserver, platformObserver}
	for _, r := range p.reconcilers {
		names = append(names, r.Watches()...)
	}
	var group sync.WaitGroup
	for _, name := range unique(names) {
		// What cannot be read is unknown, and the plan says so.
		group.Go(func() { _ = p.hub.Refresh(ctx, name) })
	}
	group.Wait()
}

func configSum(s *observers.Snapshot) home.Sum { return s.Platform.Value.Sum }

func shownProblems(name string, problems []problem) []reconcilers.PlanProblem {
	var out []reconcilers.PlanProblem
	for _, p := range problems {
		out = append(out, reconcilers.PlanProblem{Reconciler: name, Reason: p.reason, Message: bounded(p.message)})
	}
	return out
}

func unique(names []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
