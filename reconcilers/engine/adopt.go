package engine

import (
	"context"
	"fmt"
	"time"

	"corehost/config/yamledit"
	"corehost/desired/store"
	"corehost/reconcilers"
)

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
