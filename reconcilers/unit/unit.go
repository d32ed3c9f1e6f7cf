package unit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// Name of the reconciler.
const Name = "unit"

// Condition reasons.
const (
	ReasonSelfStop = "SelfStop" // the operator is asked to stop itself
	ReasonMasked   = "Masked"   // the unit is masked and cannot start
	ReasonUnitFile = "UnitFile" // the unit file does not load
)

// A unit that fails within settled of its start, or that the service manager
// gave up on, is started again no sooner than pause after it failed: the
// service manager's own start limit paces a crash loop, and starting at once
// would undo it.
const (
	settled = 2 * time.Second
	pause   = 10 * time.Second
)

// Units is the door to the service manager. Names are without ".service".
type Units interface {
	// State reads a unit now.
	State(ctx context.Context, name string) (observers.Unit, error)
	// Start and Stop wait for the job to end; both are harmless when the unit
	// is in that state already.
	Start(ctx context.Context, name string) error
	Stop(ctx context.Context, name string) error
	// ResetFailed clears the failed state and the start counter.
	ResetFailed(ctx context.Context, name string) error
}

// Reconciler owns the running state of the units in the document.
type Reconciler struct {
	units Units
	self  string
}

// New returns the reconciler. self is the unit this process is; empty: none.
func New(units Units, self string) *Reconciler { return &Reconciler{units: units, self: self} }

// Name is "unit".
func (r *Reconciler) Name() string { return Name }

// Watches names the service manager.
func (r *Reconciler) Watches() []string { return []string{"unit"} }

// Owns lists the state of every unit.
func (r *Reconciler) Owns() []string { return []string{"unit.*.state"} }

// Plan returns one change for each unit that must start or stop, in the order
// of the document. A unit that cannot be planned does not hide the others:
// their changes are returned beside the joined errors.
func (r *Reconciler) Plan(want *desired.Host, have *observers.Snapshot) ([]reconcilers.Change, error) {
	var managed []desired.Unit
	for _, u := range want.Spec.Units {
		if u.State != "" {
			managed = append(managed, u)
		}
	}
	if len(managed) == 0 {
		return nil, nil
	}
	if !have.Units.Known(have.At) {
		return nil, fmt.Errorf("read units: %s", have.Units.Why(have.At))
	}
	if !have.Units.Value.Manager {
		return nil, fmt.Errorf("units %w: %s", reconcilers.ErrAbsent, have.Units.Value.Reason)
	}
	var changes []reconcilers.Change
	var errs []error
	for _, u := range managed {
		change, err := r.plan(u, have)
		if err != nil {
			errs = append(errs, err)
		}
		if change != nil {
			changes = append(changes, *change)
		}
	}
	return changes, errors.Join(errs...)
}

func (r *Reconciler) plan(want desired.Unit, have *observers.Snapshot) (*reconcilers.Change, error) {
	unit, ok := have.Units.Value.Find(want.Name)
	if !ok {
		return nil, fmt.Errorf("read unit %q: not read yet", want.Name)
	}
	step := decide(want.State, unit)
	switch {
	case step == reconcilers.ActionStop && want.Name == r.self:
		return nil, &reconcilers.Blocked{Reason: ReasonSelfStop, Message: fmt.Sprintf(
			"%s is this operator; it does not stop itself. Remove the state from spec.units, or stop it by hand: systemctl stop %s", want.Name, want.Name)}
	case step == reconcilers.ActionStop:
		return change(step, want, unit), nil
	case unit.Load == "not-found":
		return nil, fmt.Errorf("unit %q %w: there is no unit file", want.Name, reconcilers.ErrAbsent)
	case step == reconcilers.ActionStart:
		if err := startable(unit, have.At); err != nil {
			return nil, err
		}
		return change(step, want, unit), nil
	}
	return nil, nil
}

// decide is the state machine: what to do with a unit, empty for nothing.
func decide(want desired.UnitState, unit observers.Unit) reconcilers.Action {
	switch {
	case want == desired.UnitRunning && down(unit):
		return reconcilers.ActionStart
	case want == desired.UnitStopped && !down(unit) && unit.Active != "deactivating":
		return reconcilers.ActionStop
	default:
		return ""
	}
}

// down reports whether the unit is at rest; active, activating (also between
// automatic restarts), deactivating and reloading units are not.
func down(unit observers.Unit) bool {
	return unit.Active == "inactive" || unit.Active == "failed"
}

// startable refuses a start that cannot succeed or comes too soon.
func startable(unit observers.Unit, now time.Time) error {
	switch unit.Load {
	case "loaded":
	case "masked":
		return &reconcilers.Blocked{Reason: ReasonMasked, Message: fmt.Sprintf("%s is masked. Run: systemctl unmask %s", unit.Name, unit.Name)}
	default:
		return &reconcilers.Blocked{Reason: ReasonUnitFile, Message: fmt.Sprintf("the unit file of %s does not load (%s). Run: systemd-analyze verify %s.service", unit.Name, unit.Load, unit.Name)}
	}
	wait := unit.Since.Add(pause)
	if crashing(unit) && !now.Before(unit.Since) && now.Before(wait) {
		return fmt.Errorf("start unit %q: it failed right after its last start (%s); the next start is due at %s",
			unit.Name, unit.Result, wait.UTC().Format(time.RFC3339))
	}
	return nil
}

// crashing reports whether a failed unit did not survive its last start, or
// ran into its start limit.
func crashing(unit observers.Unit) bool {
	if unit.Active != "failed" {
		return false
	}
	ran := unit.Since.Sub(unit.Started)
	return unit.Result == "start-limit-hit" || !unit.Started.IsZero() && ran >= 0 && ran < settled
}

func change(step reconcilers.Action, want desired.Unit, unit observers.Unit) *reconcilers.Change {
	return &reconcilers.Change{
		Reconciler: Name,
		Action:     step,
		Object:     want.Name,
		Fields:     []desired.FieldChange{{Field: "units[" + want.Name + "].state", From: shown(unit), To: string(want.State)}},
		Reason:     reason(unit),
		From:       identity(unit),
	}
}

// shown is a unit's state in the document's words, where it has one.
func shown(unit observers.Unit) string {
	switch unit.Active {
	case "active", "reloading":
		return string(desired.UnitRunning)
	case "inactive":
		return string(desired.UnitStopped)
	default:
		return unit.Active
	}
}

func reason(unit observers.Unit) string {
	if unit.Active == "failed" && unit.Result != "" {
		return "it failed: " + unit.Result
	}
	return ""
}

// identity is the state a change was planned from: another start or another
// end since then makes it stale.
func identity(unit observers.Unit) string {
	return strings.Join([]string{unit.Load, unit.Active, unit.Sub, unit.Invocation}, "/")
}

// Apply starts or stops the unit and waits for the job. A failed unit is
// reset first, or its start limit would refuse the start.
func (r *Reconciler) Apply(ctx context.Context, change reconcilers.Change) error {
	unit, err := r.units.State(ctx, change.Object)
	if err != nil {
		return err
	}
	want := desired.UnitState(change.Fields[0].To)
	if decide(want, unit) == "" {
		return nil
	}
	if identity(unit) != change.From {
		return fmt.Errorf("%s unit %q: %w", change.Action, change.Object, reconcilers.ErrStale)
	}
	if change.Action == reconcilers.ActionStop {
		return r.units.Stop(ctx, change.Object)
	}
	if unit.Active == "failed" {
		if err := r.units.ResetFailed(ctx, change.Object); err != nil {
			return err
		}
	}
	return r.units.Start(ctx, change.Object)
}
