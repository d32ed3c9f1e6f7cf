package wire

import (
	"context"

	"corehost/reconcilers"
	"corehost/reconcilers/engine"
)

// stepper is an engine without loops: whoever waits for it makes the changes
// in that moment.
type stepper struct{ *engine.Engine }

// Wait makes one pass and reports whether it brought the host to the revision.
func (s stepper) Wait(ctx context.Context, revision int64) bool {
	if err := s.Converge(ctx); err != nil {
		return false
	}
	status := s.Status()
	return status.Converged && status.Revision >= revision
}

// Status says of the host what a plan made now says: no loop keeps its
// conditions up.
func (s stepper) Status() reconcilers.Status {
	status := s.Engine.Status()
	plan, err := s.Plan(context.Background())
	status.Converged = err == nil && len(plan.Changes) == 0 && len(plan.Problems) == 0
	return status
}
