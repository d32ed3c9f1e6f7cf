package engine

import (
	"time"

	"corehost/desired"
	"corehost/reconcilers"
)

// Reasons why the loops leave a change unmade.
const (
	heldSuspended = "suspended"
	heldDrift     = "drift reported"
	heldIgnored   = "ignored until "
)

// holder decides which changes are not made now. It is pure.
type holder struct {
	suspended bool
	policy    desired.DriftPolicy
	drift     map[string]reconcilers.Drift
	now       time.Time
	force     bool // a person asked for it now: reported drift is put back
}

// held maps each field that is left alone to the reason.
func (h holder) held(changes []reconcilers.Change) map[string]string {
	out := map[string]string{}
	for _, c := range changes {
		for _, f := range c.Fields {
			if why := h.why(f); why != "" {
				out[f.Field] = why
			}
		}
	}
	return out
}

func (h holder) why(f desired.FieldChange) string {
	d, drifted := h.drift[f.Field]
	drifted = drifted && d.Desired == f.To
	switch {
	case h.suspended:
		return heldSuspended
	case drifted && d.IgnoredUntil != nil && d.IgnoredUntil.After(h.now):
		return heldIgnored + d.IgnoredUntil.UTC().Format(time.RFC3339)
	case drifted && h.policy == desired.DriftReport && !h.force:
		return heldDrift
	}
	return ""
}

// whole reports whether a change is held: it is made wholly or not at all, so
// one held field holds it.
func whole(c reconcilers.Change, held map[string]string) (why string) {
	for _, f := range c.Fields {
		if held[f.Field] != "" {
			return held[f.Field]
		}
	}
	return ""
}

// suspension says whether the document suspends the host at now, and when
// that ends by itself.
func suspension(h *desired.Host, now time.Time) (active bool, until time.Time) {
	s := h.Spec.Suspend
	if s == nil || !s.Active {
		return false, time.Time{}
	}
	if s.Until == nil {
		return true, time.Time{}
	}
	return s.Until.After(now), s.Until.Time
}
