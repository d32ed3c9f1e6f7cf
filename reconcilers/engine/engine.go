package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/reconcilers"
)

// Engine is the loops of one host and what can be asked of them. All methods
// are safe for concurrent use; Run is called at most once.
type Engine struct {
	config    Config
	workers   []*worker
	board     *board
	scribe    *scribe
	overview  *overview
	tracker   *tracker
	trial     *trial
	steward   *steward
	gate      *gate
	restarter *restarter
	planner   planner
	explainer *explainer
	alarm     *alarm
	audience  *audience
	looping   *looping
}

// New puts an engine together and reads what the last one left in
// operator.db. It refuses two owners of one value.
func New(ctx context.Context, c Config) (*Engine, error) { return newEngine(ctx, c, nil) }

// newEngine takes another clock for tests; nil: the machine's.
func newEngine(ctx context.Context, c Config, ticks *clock) (*Engine, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("make the engine: %w", err)
	}
	owned, err := owners(c.Reconcilers)
	if err != nil {
		return nil, fmt.Errorf("make the engine: %w", err)
	}
	now := newClock(c.Now)
	if ticks != nil {
		now = *ticks
	}
	kept, err := load(ctx, c, now)
	if err != nil {
		return nil, fmt.Errorf("make the engine: %w", err)
	}
	return assemble(c, now, owned, kept), nil
}

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
		log: c.Log, records: r, turn: newDoor(),
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
			store: c.Store, hub: c.Hub, door: door, tracker: e.tracker, board: e.board, clock: now,
			applied: e.audience.hear, tell: e.overview.tell,
		}, owned))
	}
	e.planner = planner{store: c.Store, hub: c.Hub, reconcilers: c.Reconcilers, tracker: e.tracker}
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

// Status is where the host stands, from memory.
func (e *Engine) Status() reconcilers.Status { return e.board.Status() }

// Changed is closed at the next change of Status. Take it before Status.
func (e *Engine) Changed() <-chan struct{} { return e.board.Changed() }

// Plan is what would be done now.
func (e *Engine) Plan(ctx context.Context) (reconcilers.Plan, error) {
	return e.planner.now(ctx), ctx.Err()
}

// Preview is what would be done if text were the document, and how it differs
// from the one in force. A text that cannot be in force is a *desired.Invalid.
func (e *Engine) Preview(ctx context.Context, text []byte) (reconcilers.Plan, []desired.FieldChange, error) {
	return e.planner.preview(ctx, text)
}

// Converge makes one pass over everything and returns when it is told: the
// whole work of a process without loops. The error names what did not
// converge; what is held back or not on this host is none.
func (e *Engine) Converge(ctx context.Context) error {
	defer e.scribe.flush(ctx)
	if err := e.steward.revertDue(ctx); err != nil {
		return err
	}
	e.planner.look(ctx)
	problems := e.passes(ctx, false)
	e.restarter.once(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	var errs []error
	for _, p := range problems {
		if p.Reason != reasonAbsent {
			errs = append(errs, fmt.Errorf("%s: %s", p.Reconciler, p.Message))
		}
	}
	return errors.Join(errs...)
}

// Apply does now what is pending, or puts a document in force and does what
// that asks for, and returns when it is done. Reported drift is put back when
// no document is given: asking is the answer to the report. See the errors.
func (e *Engine) Apply(ctx context.Context, r ApplyRequest) (ApplyResult, error) {
	heard, leave := e.audience.join()
	defer leave()
	defer e.scribe.flush(ctx)
	result, err := e.steward.accept(ctx, r)
	if err != nil {
		return result, err
	}
	result.Problems = e.passes(ctx, r.Document == nil)
	if !e.looping.yes() {
		e.restarter.once(ctx)
	}
	result.Applied = heard()
	status := e.Status()
	result.Converged = status.Converged && status.Revision >= result.Revision
	return result, ctx.Err()
}

// Wait waits until the host is converged on at least a revision. It is false
// when that will not come by itself, because a reconciler waits for a person
// or what is left to do is held back, or when ctx ends first.
func (e *Engine) Wait(ctx context.Context, revision int64) bool {
	defer e.scribe.flush(ctx)
	for {
		changed := e.Changed()
		status := e.Status()
		if status.Revision >= revision && status.Converged {
			return true
		}
		if landed(status) && (stalledOn(status, revision) || restsOn(status, revision)) {
			return false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// Confirm keeps the running try. ErrNoTry when none runs or its time is up.
func (e *Engine) Confirm(ctx context.Context, actor string) (reconcilers.Try, error) {
	defer e.scribe.flush(ctx)
	return e.steward.confirm(ctx, actor)
}

// Revert takes the running try back now.
func (e *Engine) Revert(ctx context.Context, actor string) (reconcilers.Try, error) {
	defer e.scribe.flush(ctx)
	t, err := e.steward.revert(ctx, actor, "it was taken back by "+actor)
	if err == nil {
		e.passes(ctx, false)
	}
	return t, err
}

// Explain is everything known about a field, by its name on the host or in
// the document.
func (e *Engine) Explain(ctx context.Context, field string) (reconcilers.Explanation, error) {
	return e.explainer.explain(ctx, field)
}

// Drift lists the managed values that were changed by hand.
func (e *Engine) Drift() []reconcilers.Drift { return e.tracker.list() }

// Adopt writes a drifted value into the document.
func (e *Engine) Adopt(ctx context.Context, field, actor string) (store.Revision, error) {
	d, f, err := e.drifted(field)
	if err != nil {
		return store.Revision{}, err
	}
	if _, running := e.trial.get(); running {
		return store.Revision{}, ErrTryRunning
	}
	r, err := e.config.Store.Edit(ctx, store.Write{Author: actor, Note: "adopt " + f.spec},
		yamledit.Set(f.path, f.adoptable(d.Actual)))
	if err != nil {
		return store.Revision{}, err
	}
	e.overview.tell(ctx, []reconcilers.Event{{
		Kind: reconcilers.EventAdopted, Reconciler: d.Reconciler, Object: d.Object, Field: d.Field,
		From: d.Desired, To: d.Actual, Actor: actor, Revision: r.Number,
		Message: fmt.Sprintf("%s: %s is desired now", d.Field, orNothing(d.Actual)),
	}}, nil)
	e.passes(ctx, false)
	e.scribe.flush(ctx)
	return r, nil
}

// Ignore leaves a drifted value alone until a time; a time that has passed
// ends that.
func (e *Engine) Ignore(ctx context.Context, field string, until time.Time, actor string) error {
	d, _, err := e.drifted(field)
	if err != nil {
		return err
	}
	utc := until.UTC()
	d.IgnoredUntil, d.IgnoredBy = &utc, actor
	e.overview.tell(ctx, []reconcilers.Event{{
		Kind: reconcilers.EventIgnored, Reconciler: d.Reconciler, Object: d.Object, Field: d.Field,
		From: d.Desired, To: d.Actual, Actor: actor, Revision: e.Status().Revision,
		Message: fmt.Sprintf("%s is left at %s until %s", d.Field, orNothing(d.Actual), utc.Format(time.RFC3339)),
	}}, []statement{e.tracker.put(d, 0)})
	e.passes(ctx, false)
	e.scribe.flush(ctx)
	return nil
}

// RestartUnit restarts a unit and watches whether it stays up.
func (e *Engine) RestartUnit(ctx context.Context, name, actor string) (UnitResult, error) {
	defer e.scribe.flush(ctx)
	if name == e.config.Self {
		return UnitResult{}, ErrSelf
	}
	if suspended, _ := suspension(e.config.Store.Current().Host, e.board.now()); suspended {
		return UnitResult{}, ErrSuspended
	}
	u, ok := e.config.Hub.Snapshot().Units.Value.Find(name)
	if !ok || !u.Installed() || e.config.Units == nil {
		_ = e.config.Hub.Refresh(ctx, unitObserver)
		u, ok = e.config.Hub.Snapshot().Units.Value.Find(name)
	}
	if !ok || !u.Installed() || e.config.Units == nil {
		return UnitResult{}, fmt.Errorf("%w: %s", ErrNoUnit, name)
	}
	return e.gate.restart(ctx, name, actor)
}

// passes runs every worker once, side by side; the door lets one change at a
// time through.
func (e *Engine) passes(ctx context.Context, force bool) []reconcilers.PlanProblem {
	found := make([][]reconcilers.PlanProblem, len(e.workers))
	var group sync.WaitGroup
	for i, w := range e.workers {
		group.Go(func() {
			out, err := w.run(ctx, force)
			if err == nil {
				found[i] = shownProblems(w.reconciler.Name(), out.problems)
			}
		})
	}
	group.Wait()
	var all []reconcilers.PlanProblem
	for _, list := range found {
		all = append(all, list...)
	}
	return all
}

// drifted finds the drift of a field, by either of its names.
func (e *Engine) drifted(name string) (reconcilers.Drift, field, error) {
	f, ok := fieldOf(name)
	if !ok {
		return reconcilers.Drift{}, field{}, fmt.Errorf("%w: %q", ErrUnknownField, name)
	}
	d, ok := e.tracker.find(f.name)
	if !ok {
		return reconcilers.Drift{}, field{}, fmt.Errorf("%w: %s", ErrNoDrift, f.name)
	}
	return d, f, nil
}

// restsOn reports whether every reconciler has looked at a revision and none
// is making changes or will try again by itself.
func restsOn(status reconcilers.Status, revision int64) bool {
	for _, r := range status.Reconcilers {
		c := meta.FindStatusCondition(r.Conditions, reconcilers.Reconciling)
		if c == nil || c.ObservedGeneration < revision || c.Status == metav1.ConditionTrue {
			return false
		}
	}
	return true
}

// stalledOn reports whether a reconciler waits for a person on a revision.
func stalledOn(status reconcilers.Status, revision int64) bool {
	for _, r := range status.Reconcilers {
		c := meta.FindStatusCondition(r.Conditions, reconcilers.Stalled)
		if c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration >= revision {
			return true
		}
	}
	return false
}
