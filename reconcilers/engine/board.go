package engine

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/desired/store"
	"corehost/reconcilers"
)

// hostScope is the scope of the host's own conditions in operator.db.
const hostScope = "host"

// board holds the status in memory. A condition keeps the time of its last
// transition; a reader is woken when anything it can see differs.
type board struct {
	now   func() time.Time
	state func() store.State
	names []string

	mu          sync.Mutex
	reconcilers map[string]reconcilers.ReconcilerStatus
	host        []metav1.Condition
	picture     picture
	status      reconcilers.Status
	changed     chan struct{}
}

// picture is what the board shows besides the reconcilers' own conditions.
type picture struct {
	restart    []reconcilers.RestartNotice
	drift      []reconcilers.Drift
	try        *reconcilers.Try
	lastGood   int64
	journaling error // nil: operator.db can be written
}

// newBoard starts from the conditions of the last run, so that a transition
// keeps its time over a restart. None of them counts as observed now.
func newBoard(now func() time.Time, state func() store.State, names []string, saved map[string][]metav1.Condition) *board {
	b := &board{
		now: now, state: state, names: names,
		reconcilers: map[string]reconcilers.ReconcilerStatus{},
		host:        saved[hostScope],
		changed:     make(chan struct{}),
	}
	for _, name := range names {
		r := reconcilers.ReconcilerStatus{Name: name, Conditions: saved[name]}
		for i := range r.Conditions {
			r.Conditions[i].ObservedGeneration = 0
		}
		b.reconcilers[name] = r
	}
	b.status = b.compose()
	return b
}

// Status is the newest status. The caller may keep it.
func (b *board) Status() reconcilers.Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

// Changed is closed at the next change of Status.
func (b *board) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// reconciler shows where one reconciler stands and returns the rows of the
// conditions that changed.
func (b *board) reconciler(name string, conditions []metav1.Condition, attempts int, next time.Time) []statement {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.reconcilers[name]
	merged, writes := b.merge(name, r.Conditions, conditions)
	r.Conditions, r.Attempts, r.NextTry = merged, attempts, nil
	if !next.IsZero() {
		utc := next.UTC()
		r.NextTry = &utc
	}
	b.reconcilers[name] = r
	return append(writes, b.publish()...)
}

// show replaces the picture and returns the rows of the host's conditions
// that changed.
func (b *board) show(p picture) []statement {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.picture = p
	return b.publish()
}

func (b *board) publish() []statement {
	var writes []statement
	b.host, writes = b.merge(hostScope, b.host, b.hostConditions())
	if next := b.compose(); !reflect.DeepEqual(next, b.status) {
		b.status = next
		close(b.changed)
		b.changed = make(chan struct{})
	}
	return writes
}

// merge sets conditions into a copy of the present ones; the time of a
// transition moves only when the status does.
func (b *board) merge(scope string, have, set []metav1.Condition) (merged []metav1.Condition, writes []statement) {
	merged = slices.Clone(have)
	for _, c := range set {
		c.LastTransitionTime = metav1.NewTime(b.now().UTC())
		if meta.SetStatusCondition(&merged, c) {
			writes = append(writes, saveCondition(scope, *meta.FindStatusCondition(merged, c.Type)))
		}
	}
	return merged, writes
}

func (b *board) compose() reconcilers.Status {
	inForce := b.state().Revision
	revision := inForce.Number
	s := reconcilers.Status{
		Revision: revision, Converged: true,
		Conditions: slices.Clone(b.host),
		Restart:    slices.Concat([]reconcilers.RestartNotice{}, b.picture.restart),
		Drift:      slices.Concat([]reconcilers.Drift{}, b.picture.drift),
		Try:        b.picture.try, LastGood: b.picture.lastGood,
		Reverted:    revertOf(inForce, b.now()),
		Reconcilers: []reconcilers.ReconcilerStatus{},
	}
	for _, name := range b.names {
		r := b.reconcilers[name]
		s.Reconcilers = append(s.Reconcilers, r)
		s.Converged = s.Converged && readyOn(r.Conditions, revision)
	}
	return s
}

// readyOn reports whether a reconciler is Ready on a revision.
func readyOn(conditions []metav1.Condition, revision int64) bool {
	c := meta.FindStatusCondition(conditions, reconcilers.Ready)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == revision
}

func (b *board) hostConditions() []metav1.Condition {
	state := b.state()
	list := []metav1.Condition{
		b.hostReady(state.Revision.Number), restartRequired(b.picture.restart),
		suspendedCondition(state, b.now()), desiredValid(state), journaling(b.picture.journaling),
	}
	for i := range list {
		list[i].ObservedGeneration = state.Revision.Number
		list[i].Message = bounded(list[i].Message)
	}
	return list
}

func (b *board) hostReady(revision int64) metav1.Condition {
	var starting, unready []string
	reasons := map[string]bool{}
	for _, name := range b.names {
		c := meta.FindStatusCondition(b.reconcilers[name].Conditions, reconcilers.Ready)
		switch {
		case c == nil || c.ObservedGeneration != revision:
			starting = append(starting, name)
		case c.Status != metav1.ConditionTrue:
			unready = append(unready, name+": "+c.Message)
			reasons[c.Reason] = true
		}
	}
	switch {
	case len(unready) > 0:
		return typed(reconcilers.Ready, is(metav1.ConditionFalse, oneReason(reasons), strings.Join(unready, "; ")))
	case len(starting) > 0:
		return typed(reconcilers.Ready, is(metav1.ConditionUnknown, reasonStarting, "not looked at yet: "+strings.Join(starting, ", ")))
	default:
		return typed(reconcilers.Ready, is(metav1.ConditionTrue, reasonConverged, "the host is as desired"))
	}
}

func oneReason(reasons map[string]bool) string {
	if len(reasons) == 1 {
		return slices.Collect(maps.Keys(reasons))[0]
	}
	return "NotConverged"
}

func restartRequired(notices []reconcilers.RestartNotice) metav1.Condition {
	if len(notices) == 0 {
		return typed(reconcilers.RestartRequired, is(metav1.ConditionFalse, "UpToDate", "every running unit has the configured values"))
	}
	var units, fields []string
	for _, n := range notices {
		if !slices.Contains(units, n.Unit) {
			units = append(units, n.Unit)
		}
		if !slices.Contains(fields, n.Field) {
			fields = append(fields, n.Field)
		}
	}
	verb := " still runs"
	if len(units) > 1 {
		verb = " still run"
	}
	return typed(reconcilers.RestartRequired, is(metav1.ConditionTrue, "ConfigChanged",
		strings.Join(units, ", ")+verb+" an old "+strings.Join(fields, ", ")))
}

func suspendedCondition(state store.State, now time.Time) metav1.Condition {
	active, until := suspension(state.Host, now)
	if !active {
		return typed(reconcilers.Suspended, is(metav1.ConditionFalse, "Active", ""))
	}
	message := state.Host.Spec.Suspend.Reason
	if !until.IsZero() {
		message = strings.TrimSpace(message + " (until " + until.UTC().Format(time.RFC3339) + ")")
	}
	return typed(reconcilers.Suspended, is(metav1.ConditionTrue, reasonSuspended, message))
}

func desiredValid(state store.State) metav1.Condition {
	switch {
	case state.Invalid != nil:
		return typed(reconcilers.DesiredValid, is(metav1.ConditionFalse, "Invalid", state.Invalid.Error()))
	case state.Problem != nil:
		return typed(reconcilers.DesiredValid, is(metav1.ConditionFalse, "Unreadable", state.Problem.Error()))
	default:
		return typed(reconcilers.DesiredValid, is(metav1.ConditionTrue, "Valid", ""))
	}
}

func journaling(err error) metav1.Condition {
	if err != nil {
		return typed(reconcilers.Journaling, is(metav1.ConditionFalse, "NotWritable", err.Error()))
	}
	return typed(reconcilers.Journaling, is(metav1.ConditionTrue, "Written", ""))
}

func typed(t string, c metav1.Condition) metav1.Condition {
	c.Type = t
	return c
}
