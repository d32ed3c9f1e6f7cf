package engine

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/hub"
	"corehost/reconcilers"
)

// explainer tells everything known about one value.
type explainer struct {
	store   *store.Store
	hub     *hub.Hub
	board   *board
	ledger  *ledger
	tracker *tracker
	planner planner
	readers []string
	self    string
	started moment
}

func (x *explainer) explain(ctx context.Context, name string) (reconcilers.Explanation, error) {
	state, have := x.store.Current(), x.hub.Snapshot()
	f, known := fieldOf(name)
	if !known {
		return x.setting(ctx, name, state)
	}
	out := reconcilers.Explanation{Field: f.name}
	if value, ok := f.desired(state.Host); ok {
		out.Managed = true
		out.Desired = x.origin(ctx, f.spec, f.path, value, state)
	}
	if f.unit != "" && !out.Managed {
		if _, found := have.Units.Value.Find(f.unit); !found {
			return out, fmt.Errorf("%w: no unit %s is observed", ErrUnknownField, f.unit)
		}
	}
	if value, at, ok := f.actual(have); ok {
		out.Configured = &reconcilers.ExplainValue{Where: f.object, Value: value, Seen: at.UTC()}
	}
	if isConfigField(f.name) {
		out.Running = x.running(f.name, have)
	}
	if d, ok := x.tracker.find(f.name); ok {
		out.Drift = &d
	}
	x.why(f, state, have, &out)
	return out, nil
}

// setting explains a key of the document that is no value of the host.
func (x *explainer) setting(ctx context.Context, name string, state store.State) (reconcilers.Explanation, error) {
	value, ok := desired.Fields(state.Host)[name]
	if !ok {
		return reconcilers.Explanation{}, fmt.Errorf("%w: %q", ErrUnknownField, name)
	}
	return reconcilers.Explanation{
		Field: name, Managed: true, Converged: true,
		Desired: x.origin(ctx, name, "spec."+name, value, state),
		Why:     "a setting of the operator itself; it is in force",
	}, nil
}

func (x *explainer) origin(ctx context.Context, spec, path, value string, state store.State) *reconcilers.ExplainDesired {
	out := &reconcilers.ExplainDesired{Value: value, Revision: state.Revision.Number, Author: state.Revision.Author, At: state.Revision.Time}
	if r, err := x.store.Origin(ctx, spec); err == nil {
		out.Revision, out.Author, out.At = r.Number, r.Author, r.Time
	}
	if root, err := yamledit.Parse(state.Revision.Text); err == nil && root != nil {
		if node, ok := yamledit.Lookup(root, path); ok {
			out.Line = node.Line
		}
	}
	return out
}

// running is the value each reader has had since its start.
func (x *explainer) running(name string, have *observers.Snapshot) []reconcilers.ExplainValue {
	out := []reconcilers.ExplainValue{}
	for _, r := range runners(x.readers, x.self, x.started, have) {
		if !r.active {
			out = append(out, reconcilers.ExplainValue{Where: r.name, Seen: have.Units.At.UTC(), Note: "not running"})
			continue
		}
		e, ok := x.ledger.running(name, r.started)
		v := reconcilers.ExplainValue{Where: r.name, Value: e.value, Seen: r.started.Wall.UTC()}
		if !ok {
			v.Note = "not known"
		}
		out = append(out, v)
	}
	return out
}

// why says in a sentence where the value stands.
func (x *explainer) why(f field, state store.State, have *observers.Snapshot, out *reconcilers.Explanation) {
	if !out.Managed {
		out.Why = "not managed: desired.yaml does not say it, so the host's own value stands"
		return
	}
	owner := x.planner.ownerOf(f)
	for _, r := range x.board.Status().Reconcilers {
		if r.Name == owner {
			out.NextTry = r.NextTry
			if c := meta.FindStatusCondition(r.Conditions, reconcilers.Ready); c != nil {
				out.Why = c.Reason + ": " + c.Message
			}
		}
	}
	planned, held := x.pending(f, state, have)
	switch {
	case out.Configured == nil:
		out.Why = fmt.Sprintf("the value on the host is not known. %s", out.Why)
	case held != "":
		out.Why = "held back: " + held
	case !planned:
		out.Converged = true
		out.Why = "converged: the host is as desired" + since(out.Desired)
		out.NextTry = nil
	case out.NextTry != nil:
		out.Why = fmt.Sprintf("%s; the next try is at %s", out.Why, out.NextTry.Format(time.RFC3339))
	case out.Why == "":
		out.Why = "it is about to be changed"
	}
}

// pending reports whether a plan made now changes the field, and what holds
// that change back. A reconciler that cannot plan leaves every field pending.
func (x *explainer) pending(f field, state store.State, have *observers.Snapshot) (planned bool, held string) {
	have, _ = x.planner.grip.veil(have)
	suspended, _ := suspension(state.Host, have.At)
	h := holder{suspended: suspended, policy: state.Host.Spec.Drift, drift: x.tracker.all(), now: have.At}
	for _, r := range x.planner.reconcilers {
		if x.planner.ownerOf(f) != r.Name() {
			continue
		}
		changes, err := planOf(r, state.Host, have)
		for _, c := range changes {
			for _, fc := range c.Fields {
				if fc.Field == f.name {
					return true, whole(c, h.held(changes))
				}
			}
		}
		if w, bad := worst(problemsOf("", err)); bad && w.severity > absent {
			return true, ""
		}
	}
	return false, ""
}

func since(d *reconcilers.ExplainDesired) string {
	if d == nil || d.At.IsZero() {
		return ""
	}
	return fmt.Sprintf(" since revision %d", d.Revision)
}
