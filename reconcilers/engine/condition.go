package engine

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/reconcilers"
)

// Reasons of the conditions, besides those a Blocked error brings.
const (
	reasonConverged = "Converged"
	reasonApplying  = "Applying"
	reasonRetrying  = "Retrying"
	reasonSuspended = "Suspended"
	reasonDrift     = "DriftReported"
	reasonIgnored   = "DriftIgnored"
	reasonAbsent    = "Absent"
	reasonIdle      = "Idle"
	reasonStarting  = "Starting"
	reasonFighting  = "Fighting"
	reasonUnsettled = "NotConverging"
)

// maxMessage bounds a condition's message (the Kubernetes API allows 32768).
const maxMessage = 1024

// outcome is what one pass of one reconciler came to.
type outcome struct {
	revision int64
	applying bool              // changes are being made right now
	problems []problem         // what failed
	held     map[string]string // fields left alone, and why
	waiting  bool              // the same attempt failed a while ago; its time has not come
	applied  []reconcilers.PlannedChange
}

// failed reports whether the outcome must be retried by the queue.
func (o outcome) failed() bool {
	w, ok := worst(o.problems)
	return ok && w.severity >= retry
}

// conditions is an outcome in the Kubernetes convention. It is pure; times of
// transition are the board's.
func (o outcome) conditions() []metav1.Condition {
	ready, reconciling, stalled := o.verdict()
	list := []metav1.Condition{ready, reconciling, stalled}
	for i, t := range []string{reconcilers.Ready, reconcilers.Reconciling, reconcilers.Stalled} {
		list[i].Type, list[i].ObservedGeneration = t, o.revision
		list[i].Message = bounded(list[i].Message)
	}
	return list
}

func (o outcome) verdict() (ready, reconciling, stalled metav1.Condition) {
	idle := is(metav1.ConditionFalse, reasonIdle, "")
	w, bad := worst(o.problems)
	switch {
	case o.applying:
		return is(metav1.ConditionFalse, reasonApplying, "changes are being made"),
			is(metav1.ConditionTrue, reasonApplying, "changes are being made"), idle
	case bad && w.severity >= blocked:
		return is(metav1.ConditionFalse, w.reason, o.messages()), idle,
			is(metav1.ConditionTrue, w.reason, w.message)
	case bad && w.severity == retry:
		return is(metav1.ConditionFalse, w.reason, o.messages()),
			is(metav1.ConditionTrue, w.reason, w.message), idle
	case len(o.held) > 0:
		reason, message := heldReason(o.held)
		return is(metav1.ConditionFalse, reason, message), idle, idle
	case bad:
		return is(metav1.ConditionTrue, reasonAbsent, o.messages()), idle, idle
	default:
		return is(metav1.ConditionTrue, reasonConverged, "the host is as desired"), idle, idle
	}
}

func (o outcome) messages() string {
	var out []string
	for _, p := range o.problems {
		if p.object != "" && !strings.Contains(p.message, p.object) {
			out = append(out, p.object+": "+p.message)
			continue
		}
		out = append(out, p.message)
	}
	return strings.Join(out, "; ")
}

func heldReason(held map[string]string) (reason, message string) {
	suspended, reported, ignored := 0, 0, 0
	for _, why := range held {
		switch why {
		case heldSuspended:
			suspended++
		case heldDrift:
			reported++
		default:
			ignored++
		}
	}
	switch {
	case suspended > 0:
		return reasonSuspended, fmt.Sprintf("%s while the host is suspended", waits(suspended))
	case reported > 0:
		return reasonDrift, fmt.Sprintf("%s: edited by hand, and drift is only reported", waits(reported))
	default:
		return reasonIgnored, fmt.Sprintf("%s: the drift is ignored for now", waits(ignored))
	}
}

func waits(n int) string {
	if n == 1 {
		return "1 value waits"
	}
	return fmt.Sprintf("%d values wait", n)
}

func is(status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Status: status, Reason: reason, Message: message}
}

// bounded keeps a message within its limit, at a character's end.
func bounded(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage-len("…")], "") + "…"
}
