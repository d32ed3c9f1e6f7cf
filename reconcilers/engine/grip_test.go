package engine

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/observers"
	"corehost/reconcilers"
	"corehost/reconcilers/unit"
)

// restarting wants the gateway up, with the newest values.
func restarting(model string) string {
	return document("  model: {default: " + model + "}\n  units:\n    - {name: core-gateway, state: running, restartOnConfigChange: true}\n")
}

func newRestartingHost(t *testing.T) *host {
	m := newMachine(gateway)
	return newHost(t, setup{
		desired: restarting("claude-sonnet-4-5"), config: firstConfig, units: m,
		reconcilers: []reconcilers.Reconciler{unit.New(m, "")},
	})
}

func TestARestartOfOnesOwnIsNoDriftAndNoNews(t *testing.T) {
	ctx := context.Background()
	h := newRestartingHost(t)
	h.converge()
	h.desire(restarting("claude-opus-4-1"))
	var group sync.WaitGroup
	h.units.between = func() {
		_ = h.hub.Refresh(ctx, unitObserver)
		h.engine.overview.look(ctx)
		if plan, _ := h.engine.Plan(ctx); len(plan.Changes)+len(plan.Problems) > 0 {
			t.Errorf("planned in the middle of a restart: %+v", plan)
		}
		looked := make(chan struct{})
		group.Go(func() { h.engine.passes(ctx, true); close(looked) })
		select {
		case <-looked:
		case <-time.After(time.Second):
			t.Error("a pass waits for the restart to end")
		}
	}
	h.converge()
	group.Wait()
	h.units.between = nil
	h.converge()
	for _, e := range h.events(reconcilers.EventObserved, reconcilers.EventDrifted, reconcilers.EventHealed, reconcilers.EventFailed) {
		t.Errorf("told %s: %s", e.Kind, e.Message)
	}
	for _, e := range h.events(reconcilers.EventApplied) {
		if e.Object == gateway {
			t.Errorf("told %s: %s", e.Kind, e.Message)
		}
	}
	if calls := strings.Join(h.units.calls, ", "); calls != "restart core-gateway" {
		t.Errorf("done: %s", calls)
	}
	if s := h.engine.Status(); !s.Converged || len(s.Restart)+len(s.Drift) > 0 {
		t.Errorf("status %+v", s)
	}
}

// TestWhatWasPlannedBeforeARestartIsNotDoneInTheMiddle: a change that already
// waits at the door when the gate takes the unit is planned anew.
func TestWhatWasPlannedBeforeARestartIsNotDoneInTheMiddle(t *testing.T) {
	h := newRestartingHost(t)
	h.converge()
	w := h.engine.workers[len(h.engine.workers)-1]
	h.engine.gate.grip.take(gateway, h.hub.Snapshot().Version)
	err := w.change(context.Background(), reconcilers.Change{Object: gateway}, 1)
	wantErr(t, err, reconcilers.ErrStale)
}

func TestAUnitTheGateCouldNotKeepUpIsLeftToTheLoops(t *testing.T) {
	h := newRestartingHost(t)
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	h.units.onRestart = func(_ string, u *observers.Unit) { u.Active, u.Sub = "inactive", "dead" }
	if result, err := h.engine.RestartUnit(context.Background(), gateway, "cli:0"); err != nil || result.Healthy {
		t.Fatalf("result %+v, %v", result, err)
	}
	h.awaitEvent(reconcilers.EventObserved, "core-gateway is down")
	h.awaitEvent(reconcilers.EventHealed, "units[core-gateway].state is running again")
}

func TestOneRestartForEachRevision(t *testing.T) {
	ctx := context.Background()
	h := newRestartingHost(t)
	h.converge()
	h.desire(restarting("claude-opus-4-1"))
	h.engine.passes(ctx, false)
	h.desire(restarting("claude-haiku-4-5")) // before anything was restarted
	h.engine.restarter.once(ctx)
	h.converge()
	told := h.events(reconcilers.EventRestarted)
	if len(told) != 1 || told[0].Revision != 3 || h.units.restarts() != 1 {
		t.Errorf("%d restarts, told %+v; want one, for revision 3", h.units.restarts(), told)
	}
	h.converge()
	if n := h.units.restarts(); n != 1 {
		t.Errorf("%d restarts, want 1", n)
	}
}

func TestARevisionThatCameInTheMiddleOfARestartIsServedByTheNext(t *testing.T) {
	h := newRestartingHost(t)
	h.converge()
	h.desire(restarting("claude-opus-4-1"))
	h.units.between = func() { h.units.between = nil; h.desire(restarting("claude-haiku-4-5")) }
	h.converge()
	h.converge()
	h.converge()
	var revisions []int64
	for _, e := range h.events(reconcilers.EventRestarted) {
		revisions = append(revisions, e.Revision)
	}
	if len(revisions) != 2 || revisions[0] != 2 || revisions[1] != 3 {
		t.Errorf("restarted for revisions %v, want each once", revisions)
	}
	if s := h.engine.Status(); len(s.Restart) > 0 {
		t.Errorf("an old value is still held: %+v", s.Restart)
	}
}

func TestARestartSomebodyElseMadeMeanwhileIsNotMadeAgain(t *testing.T) {
	ctx := context.Background()
	h := newRestartingHost(t)
	h.converge()
	h.desire(restarting("claude-opus-4-1"))
	h.engine.passes(ctx, false)
	h.units.set(gateway, func(u *observers.Unit) { *u = h.units.started(*u) }) // not read yet
	h.engine.restarter.once(ctx)
	if n := h.units.restarts(); n != 0 {
		t.Errorf("%d restarts of a unit that has the new values", n)
	}
}
