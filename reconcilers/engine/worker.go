package engine

import (
	"context"
	"time"

	"corehost/desired/store"
	"corehost/observers/hub"
	"corehost/reconcilers"
)

// worker runs the passes of one reconciler, one at a time, and remembers
// between them what failed.
type worker struct {
	shop
	reconciler reconcilers.Reconciler
	turn       door // one pass at a time
	backoff    *backoff
	owned      func(field) bool

	// What the turn guards.
	looked   bool              // the observers were asked once
	revision int64             // of the last pass
	failed   map[string]bool   // aims that failed when the backoff was set
	told     map[string]string // failures already in the journal, by aim
	waits    string            // what was last told to wait while suspended
	heals    []time.Time       // within fightWindow
}

// shop is what all workers share.
type shop struct {
	store   *store.Store
	hub     *hub.Hub
	door    door
	tracker *tracker
	board   *board
	clock   clock
	grip    *grip
	applied func([]reconcilers.PlannedChange)                       // told of every change made
	tell    func(context.Context, []reconcilers.Event, []statement) // told of every pass
}

func newWorker(r reconcilers.Reconciler, s shop, owners map[string]string) *worker {
	return &worker{
		shop: s, reconciler: r, turn: newDoor(), backoff: &backoff{},
		owned:  func(f field) bool { return owners[f.owner] == r.Name() },
		failed: map[string]bool{}, told: map[string]string{},
	}
}

// run makes one pass. force is a person's word: the backoff is not waited for
// and reported drift is put back. The error is that of ctx; what the pass
// itself ran into is in the outcome.
func (w *worker) run(ctx context.Context, force bool) (outcome, error) {
	if err := w.turn.enter(ctx); err != nil {
		return outcome{}, err
	}
	defer w.turn.leave()
	if !w.looked {
		// Later readings come by themselves. An observer that is not there
		// leaves its reading unknown, which the plan will say.
		_ = w.hub.Refresh(ctx, w.reconciler.Watches()...)
		w.looked = ctx.Err() == nil
	}
	p := &pass{worker: w, force: force, failures: map[string]problem{}}
	p.converge(ctx)
	return p.conclude(ctx), ctx.Err()
}

// change passes the door with one change, when its plan is still of the
// document in force and the health gate has not taken the unit meanwhile.
func (w *worker) change(ctx context.Context, c reconcilers.Change, revision int64) (err error) {
	if err := w.door.enter(ctx); err != nil {
		return err
	}
	defer w.door.leave()
	if w.store.Current().Revision.Number != revision || w.grip.has(c.Object) {
		return reconcilers.ErrStale
	}
	flight, end := inFlight(ctx)
	defer end()
	defer guard(&err)
	return w.reconciler.Apply(flight, c)
}
