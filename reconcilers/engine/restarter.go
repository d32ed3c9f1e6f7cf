package engine

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"

	"corehost/desired"
	"corehost/desired/store"
	"corehost/reconcilers"
)

// restarter restarts the units whose document says restartOnConfigChange once
// the new values are in config.yaml. Each set of values is tried once: a unit
// that does not come up is the health gate's business, not a loop's.
type restarter struct {
	store *store.Store
	board *board
	gate  *gate
	self  string
	log   *slog.Logger

	mu    sync.Mutex
	tried map[string]string // by unit: the values it was restarted for
}

// once restarts what waits for it now.
func (r *restarter) once(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(r.due())) {
		if err := r.gate.restartDue(ctx, name, func() bool { return r.claim(name) }); err != nil && ctx.Err() == nil {
			r.log.Warn("a unit could not be restarted", "unit", name, "error", err)
		}
	}
}

// due is what each unit is to be restarted for now. Nothing is while a newer
// revision has yet to land: one restart will do for both.
func (r *restarter) due() map[string]string {
	state, status := r.store.Current(), r.board.Status()
	suspended, _ := suspension(state.Host, r.board.now())
	if suspended || status.Revision != state.Revision.Number || !landed(status) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]string{}
	for _, u := range state.Host.Spec.Units {
		values := waitsFor(u, status.Restart)
		if u.Name != r.self && values != "" && r.tried[u.Name] != values {
			out[u.Name] = values
		}
	}
	return out
}

// claim reports whether a unit is still due, and counts it as tried.
func (r *restarter) claim(name string) bool {
	values, ok := r.due()[name]
	if !ok {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried[name] = values
	return true
}

// waitsFor are the values a unit is to be restarted for; empty: it is not.
func waitsFor(u desired.Unit, notices []reconcilers.RestartNotice) string {
	if !u.RestartOnConfigChange {
		return ""
	}
	var values []string
	for _, n := range notices {
		if n.Unit == u.Name {
			values = append(values, n.Field+"="+n.Configured+" since "+n.Since.String())
		}
	}
	slices.Sort(values)
	return strings.Join(values, "\n")
}

// landed reports whether every reconciler has looked at the revision in force
// and none is in the middle of changing something.
func landed(status reconcilers.Status) bool {
	for _, r := range status.Reconcilers {
		c := meta.FindStatusCondition(r.Conditions, reconcilers.Ready)
		if c == nil || c.ObservedGeneration != status.Revision || c.Reason == reasonApplying {
			return false
		}
	}
	return true
}
