package engine

import (
	"context"
	"log/slog"
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
	for _, name := range r.due() {
		if _, err := r.gate.restart(ctx, name, reconcilers.ActorOperator); err != nil && ctx.Err() == nil {
			r.log.Warn("a unit could not be restarted", "unit", name, "error", err)
		}
	}
}

// due lists the units to restart, and counts them as tried.
func (r *restarter) due() []string {
	state, status := r.store.Current(), r.board.Status()
	suspended, _ := suspension(state.Host, r.board.now())
	if suspended || !landed(status) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, u := range state.Host.Spec.Units {
		values := waitsFor(u, status.Restart)
		if u.Name == r.self || values == "" || r.tried[u.Name] == values {
			continue
		}
		r.tried[u.Name] = values
		out = append(out, u.Name)
	}
	return out
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
