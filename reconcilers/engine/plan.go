package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"corehost/config/home"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// panicked is a reconciler that broke its promise: recovered, told, stalled.
type panicked struct {
	value any
	stack string
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// planOf asks one reconciler for its changes; a panic comes back as an error.
// Changes that come with an error are valid.
func planOf(r reconcilers.Reconciler, want *desired.Host, have *observers.Snapshot) (changes []reconcilers.Change, err error) {
	defer guard(&err)
	changes, err = r.Plan(want, have)
	for i := range changes {
		changes[i].Reconciler = r.Name()
	}
	return changes, err
}

// guard turns a panic into an error of the function that defers it.
func guard(err *error) {
	if v := recover(); v != nil {
		*err = &panicked{value: v, stack: string(debug.Stack())}
	}
}

// show flattens changes into what people read: one line for each field.
func show(c reconcilers.Change, held map[string]string) []reconcilers.PlannedChange {
	out := make([]reconcilers.PlannedChange, 0, len(c.Fields))
	for _, f := range c.Fields {
		out = append(out, reconcilers.PlannedChange{
			Reconciler: c.Reconciler, Action: c.Action, Object: c.Object,
			Field: f.Field, From: f.From, To: f.To,
			Reason: c.Reason, Needs: c.Needs, Held: held[f.Field],
		})
	}
	return out
}

// etag names a plan by what it was made from: the revision, every change with
// the state it starts from, config.yaml, and the document when it is not the
// one in force.
func etag(revision int64, changes []reconcilers.Change, config home.Sum, document []byte) string {
	type bound struct {
		Reconciler, Object, From string
		Action                   reconcilers.Action
		Fields                   []desired.FieldChange
	}
	list := make([]bound, 0, len(changes))
	for _, c := range changes {
		list = append(list, bound{c.Reconciler, c.Object, c.From, c.Action, c.Fields})
	}
	text, _ := json.Marshal(struct { // plain strings and numbers always marshal
		Revision int64
		Config   home.Sum
		Document home.Sum
		Changes  []bound
	}{revision, config, home.SumOf(document), list})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// aim is what a change is to achieve, whatever it starts from: two changes
// with one aim are attempts at the same thing.
func aim(c reconcilers.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", c.Reconciler, c.Action, c.Object)
	for _, f := range c.Fields {
		fmt.Fprintf(&b, " %s=%q", f.Field, f.To)
	}
	return b.String()
}

// owners maps each owned pattern to its reconciler, or says which two
// reconcilers claim one value.
func owners(list []reconcilers.Reconciler) (map[string]string, error) {
	out := map[string]string{}
	names := map[string]bool{}
	for _, r := range list {
		if names[r.Name()] {
			return nil, fmt.Errorf("two reconcilers are called %q", r.Name())
		}
		names[r.Name()] = true
		for _, pattern := range r.Owns() {
			for other, owner := range out {
				if overlap(pattern, other) {
					return nil, fmt.Errorf("%q of %s and %q of %s are the same value; a value has one owner", pattern, r.Name(), other, owner)
				}
			}
			out[pattern] = r.Name()
		}
	}
	return out, nil
}

// overlap reports whether two patterns name a common value: dotted segments,
// of which "*" stands for any one.
func overlap(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	return slices.EqualFunc(x, y, func(s, t string) bool { return s == t || s == "*" || t == "*" })
}
