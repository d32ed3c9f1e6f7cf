package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/reconcilers"
)

// Waiting for the host to follow.
const (
	pollInterval = 150 * time.Millisecond
	patience     = 3 // failed attempts in a row after which waiting is of no use
)

// converge waits until the host is what a revision says, and puts what became
// of it into result. A person is told why it did not happen; the loops go on
// in any case.
func (a *app) converge(ctx context.Context, l *link, line *progress, result *api.ApplyResult) error {
	for !result.Converged {
		status, err := l.Status(ctx)
		if err != nil {
			return interrupted(ctx, err, l)
		}
		if status.Revision > result.Revision {
			return failed("cli history shows it", "revision %d took the place of revision %d meanwhile", status.Revision, result.Revision)
		}
		result.Converged, result.Restart, result.Try = status.Converged, status.Restart, status.Try
		if result.Converged {
			return nil
		}
		obstacle, final := obstacle(status.Status)
		if final || l.direct {
			return failed("cli status says what to do", "the host is not as revision %d says: %s", result.Revision, obstacle)
		}
		line.say("waiting for the host: " + obstacle)
		select {
		case <-ctx.Done():
			return interrupted(ctx, ctx.Err(), l)
		case <-time.After(pollInterval):
		}
	}
	return nil
}

// obstacle says what keeps the host from being converged, and whether it will
// go on doing so without a person.
func obstacle(status reconcilers.Status) (why string, final bool) {
	if c := holds(status.Conditions, reconcilers.Suspended); c != nil {
		return "suspended: " + c.Message, true
	}
	for _, r := range status.Reconcilers {
		if c := holds(r.Conditions, reconcilers.Stalled); c != nil {
			return fmt.Sprintf("%s is stalled: %s", r.Name, c.Message), true
		}
	}
	for _, r := range status.Reconcilers {
		if c := holds(r.Conditions, reconcilers.Reconciling); c != nil {
			return fmt.Sprintf("%s: %s", r.Name, c.Message), r.Attempts >= patience
		}
	}
	return "changes are on their way", false
}

// inForce fails while desired.yaml, as it stands, is not what the host is
// brought to: that the host is as the last good revision says is then no
// answer to who has just edited the file.
func inForce(ctx context.Context, l *link) error {
	status, err := l.Status(ctx)
	if err != nil {
		return interrupted(ctx, err, l)
	}
	for _, c := range status.Conditions {
		if c.Type == reconcilers.DesiredValid && c.Status == metav1.ConditionFalse {
			return failed(fmt.Sprintf("mend the file; revision %d stays in force until then", status.Revision), "%s", c.Message)
		}
	}
	return nil
}

// holds returns a condition that is True.
func holds(conditions []metav1.Condition, kind string) *metav1.Condition {
	for i, c := range conditions {
		if c.Type == kind && c.Status == metav1.ConditionTrue {
			return &conditions[i]
		}
	}
	return nil
}

// interrupted says what an interrupt leaves behind.
func interrupted(ctx context.Context, err error, l *link) error {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if l.direct {
		return failed("cli apply goes on", "interrupted; without the daemon nothing goes on by itself")
	}
	return failed("cli status shows how far it is", "stopped waiting; the host goes on converging")
}
