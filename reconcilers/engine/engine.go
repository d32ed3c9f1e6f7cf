package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"corehost/desired"
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
