package engine

import (
	"context"
	"errors"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/reconcilers"
)

// kept is what the last engine of this home left.
type kept struct {
	conditions map[string][]metav1.Condition
	settled    map[string]settled
	drift      map[string]reconcilers.Drift
	entries    map[string][]entry
	trial      *trial
	herald     *herald
	lastGood   int64
	gate       *gate
}

func load(ctx context.Context, c Config, now clock) (k kept, err error) {
	r := records{db: c.DB}
	errs := make([]error, 8)
	k.conditions, errs[0] = r.conditions(ctx)
	k.settled, errs[1] = r.settled(ctx)
	k.drift, errs[2] = r.drift(ctx)
	k.entries, errs[3] = r.entries(ctx)
	k.trial, errs[4] = openTrial(ctx, r, now)
	k.herald, errs[5] = newHerald(ctx, c.Store, r)
	good, err := r.fact(ctx, factLastGood)
	errs[6] = err
	k.lastGood, _ = strconv.ParseInt(good, 10, 64)
	k.gate = &gate{
		units: c.Units, store: c.Store, hub: c.Hub, readers: c.Readers, settle: c.Settle,
		log: c.Log, records: r, turn: newDoor(), grip: newGrip(),
	}
	errs[7] = k.gate.load(ctx)
	return k, errors.Join(errs...)
}

// assemble wires the parts. It is the only place that knows all of them.
func assemble(c Config, now clock, owned map[string]string, k kept) *Engine {
	names := make([]string, 0, len(c.Reconcilers))
	for _, r := range c.Reconcilers {
		names = append(names, r.Name())
	}
	started := now.at().ago(c.Started)
	e := &Engine{config: c, trial: k.trial, gate: k.gate, audience: &audience{}, looping: &looping{}}
	e.scribe = newScribe(c.Journal, records{db: c.DB}, c.Log)
	e.board = newBoard(now.now, c.Store.Current, names, k.conditions)
	e.tracker = &tracker{settled: k.settled, open: k.drift, since: map[string]uint64{}}
	e.overview = &overview{
		store: c.Store, hub: c.Hub, board: e.board, scribe: e.scribe, herald: k.herald,
		ledger: newLedger(k.entries), tracker: e.tracker, trial: k.trial, gate: k.gate, clock: now,
		readers: c.Readers, self: c.Self, started: started, settle: c.Settle, lastGood: k.lastGood,
		later: make(chan struct{}, 1),
	}
	if c.DB.Memory {
		e.overview.memory = c.DB.Reason
	}
	door := newDoor()
	for _, r := range c.Reconcilers {
		e.workers = append(e.workers, newWorker(r, shop{
			store: c.Store, hub: c.Hub, door: door, tracker: e.tracker, board: e.board, clock: now, grip: k.gate.grip,
			applied: e.audience.hear, tell: e.overview.tell,
		}, owned))
	}
	e.planner = planner{store: c.Store, hub: c.Hub, reconcilers: c.Reconcilers, tracker: e.tracker, grip: k.gate.grip}
	e.steward = &steward{
		store: c.Store, platform: c.Platform, door: door, trial: k.trial, planner: e.planner, tracker: e.tracker,
		clock: now, memory: e.overview.memory, good: e.overview.good, tell: e.overview.tell,
	}
	e.alarm = &alarm{
		store: c.Store, board: e.board, overview: e.overview, tracker: e.tracker, trial: k.trial,
		steward: e.steward, log: c.Log,
	}
	e.gate.door, e.gate.good, e.gate.tell = door, e.overview.good, e.overview.tell
	e.gate.takeBack, e.gate.converge = e.steward.retreat, func(ctx context.Context) { e.passes(ctx, false) }
	e.restarter = &restarter{store: c.Store, board: e.board, gate: e.gate, self: c.Self, log: c.Log, tried: map[string]string{}}
	e.explainer = &explainer{
		store: c.Store, hub: c.Hub, board: e.board, ledger: e.overview.ledger, tracker: e.tracker, planner: e.planner,
		readers: c.Readers, self: c.Self, started: started,
	}
	return e
}
