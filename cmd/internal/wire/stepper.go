package wire

import (
	"context"

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
