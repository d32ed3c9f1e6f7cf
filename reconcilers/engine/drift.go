package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"corehost/config/home"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// tracker knows which values the operator has seen right, and so which of
// them were moved by hand since. A value is drifted when it differs from what
// is desired although it was converged on that very desired value.
type tracker struct {
	mu      sync.Mutex
	settled map[string]settled
	open    map[string]reconcilers.Drift
	since   map[string]uint64 // version of the oldest snapshot that may end a drift; absent: any
}

// look is one plan of one reconciler beside what it was made from.
type look struct {
	reconciler string
	revision   int64
	want       *desired.Host
	have       *observers.Snapshot
	changes    []reconcilers.Change
	complete   bool                 // fields without a change are right
	owned      []field              // managed fields of this reconciler
	made       []reconcilers.Change // by this pass: what they changed is no surprise
	inHand     string               // the unit the health gate restarts: nothing is said of it
}

// changed reports whether this pass changed a field itself.
func (l look) changed(name string) bool {
	for _, c := range l.made {
		for _, f := range c.Fields {
			if f.Field == name {
				return true
			}
		}
	}
	return false
}

// finding is what a look brought to light.
type finding struct {
	events []reconcilers.Event
	writes []statement
}

// judge compares a plan with what was settled, and remembers.
func (t *tracker) judge(l look) finding {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out finding
	planned := map[string]bool{}
	for _, c := range l.changes {
		for _, f := range c.Fields {
			planned[f.Field] = true
			t.see(l, c, f, &out)
		}
	}
	if l.complete {
		t.verify(l, planned, &out)
		t.closeMissing(l, planned, &out)
		t.settleRest(l, planned, &out)
	}
	return out
}

// see judges one field that is not as desired.
func (t *tracker) see(l look, c reconcilers.Change, f desired.FieldChange, out *finding) {
	before, known := t.settled[f.Field]
	if !known || before.value != f.To {
		t.forget(f.Field, out) // a new desired value ends drift and ignore
		return
	}
	if d, ok := t.open[f.Field]; ok && d.Desired == f.To && d.Actual == f.From {
		return
	}
	d := reconcilers.Drift{
		Field: f.Field, Object: c.Object, Reconciler: l.reconciler,
		Desired: f.To, Actual: f.From, Seen: l.have.At.UTC(), By: writerOf(c.Object, l.have),
	}
	if old, ok := t.open[f.Field]; ok { // moved again: still the same drift
		d.Seen, d.IgnoredUntil, d.IgnoredBy = old.Seen, old.IgnoredUntil, old.IgnoredBy
	}
	t.open[f.Field] = d
	out.writes = append(out.writes, saveDrift(d))
	out.events = append(out.events, reconcilers.Event{
		Kind: reconcilers.EventDrifted, Reconciler: l.reconciler, Object: d.Object, Field: d.Field,
		From: d.Desired, To: d.Actual, Actor: d.By, Revision: l.revision, Time: l.have.At,
		Message: fmt.Sprintf("%s is %s, not %s as desired%s", d.Field, orNothing(d.Actual), orNothing(d.Desired), by(d.By)),
	})
}

// closeMissing ends the drift of fields that are right again.
func (t *tracker) closeMissing(l look, planned map[string]bool, out *finding) {
	for _, name := range slices.Sorted(maps.Keys(t.open)) {
		d := t.open[name]
		if d.Reconciler != l.reconciler || planned[name] || d.Object == l.inHand || l.have.Version < t.since[name] {
			continue
		}
		t.forget(name, out)
		if l.changed(name) {
			continue
		}
		out.events = append(out.events, reconcilers.Event{
			Kind: reconcilers.EventObserved, Reconciler: l.reconciler, Object: d.Object, Field: name,
			From: d.Actual, Revision: l.revision, Time: l.have.At,
			Message: name + " is no longer drifted",
		})
	}
}

// settleRest remembers the values that are right.
func (t *tracker) settleRest(l look, planned map[string]bool, out *finding) {
	for _, f := range l.owned {
		value, _, ok := f.actual(l.have)
		wanted, _ := f.desired(l.want)
		if !ok || planned[f.name] || f.unit != "" && f.unit == l.inHand || f.unit != "" && value != wanted {
			continue // not known, not right, or a unit on its way or in hand
		}
		before, known := t.settled[f.name]
		t.settle(f.name, settled{object: f.object, reconciler: l.reconciler, value: value, revision: l.revision}, l.have.At, out)
		if known && before.value != value && !l.changed(f.name) {
			out.events = append(out.events, reconcilers.Event{
				Kind: reconcilers.EventObserved, Reconciler: l.reconciler, Object: f.object, Field: f.name,
				From: before.value, To: value, Revision: l.revision, Time: l.have.At,
				Message: fmt.Sprintf("%s is %s, as desired", f.name, orNothing(value)),
			})
		}
	}
}

func (t *tracker) settle(name string, s settled, at time.Time, out *finding) {
	if old, ok := t.settled[name]; ok && old.value == s.value {
		return
	}
	t.settled[name] = s
	out.writes = append(out.writes, saveSettled(name, s, at))
}

// verify remembers the values that this pass brought about, now that the host
// shows them.
func (t *tracker) verify(l look, planned map[string]bool, out *finding) {
	for _, c := range l.made {
		for _, f := range c.Fields {
			if !planned[f.Field] {
				t.settle(f.Field, settled{object: c.Object, reconciler: c.Reconciler, value: f.To, revision: l.revision}, l.have.At, out)
			}
		}
	}
}

func (t *tracker) forget(name string, out *finding) {
	if _, ok := t.open[name]; ok {
		delete(t.open, name)
		delete(t.since, name)
		out.writes = append(out.writes, dropDrift(name))
	}
}

// list is all drift, by field.
func (t *tracker) list() []reconcilers.Drift {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]reconcilers.Drift, 0, len(t.open))
	for _, name := range slices.Sorted(maps.Keys(t.open)) {
		out = append(out, t.open[name])
	}
	return out
}

// all is the drift by field, a copy.
func (t *tracker) all() map[string]reconcilers.Drift {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.open)
}

// find is the drift of one field.
func (t *tracker) find(name string) (reconcilers.Drift, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.open[name]
	return d, ok
}

// put opens or replaces a drift and returns its row. A plan made from a
// snapshot older than version does not know of it.
func (t *tracker) put(d reconcilers.Drift, version uint64) statement {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[d.Field], t.since[d.Field] = d, version
	return saveDrift(d)
}

// writerOf names who last wrote an object, where the host can tell.
func writerOf(object string, s *observers.Snapshot) string {
	if object != home.PlatformFile || s.Platform.Value.Writer == nil {
		return ""
	}
	w := s.Platform.Value.Writer
	var b strings.Builder
	b.WriteString(w.User)
	if w.User == "" {
		b.WriteString("uid " + strconv.Itoa(w.UID))
	}
	if w.Command != "" {
		b.WriteString(" with " + w.Command)
	}
	if w.PID > 0 {
		fmt.Fprintf(&b, " (pid %d)", w.PID)
	}
	return b.String()
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return "; changed by " + who
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}
