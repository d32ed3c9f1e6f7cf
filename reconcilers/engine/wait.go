package engine

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/reconcilers"
)

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
