package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/observers"
	units "corehost/observers/unit"
	"corehost/reconcilers/engine"
)

// The two states of a unit that are shown.
const (
	UnitActive = "ACTIVE"
	UnitDown   = "DOWN"
)

// UnitList is the body of GET /api/units.
type UnitList struct {
	Units   []UnitStatus `json:"units" doc:"One entry for each known unit"`
	Manager bool         `json:"manager" doc:"Whether a service manager answered"`
	Reason  string       `json:"reason,omitempty" doc:"Why it did not"`
}

// SetUnit is the body of PUT /api/units/{name}.
type SetUnit struct {
	State string `json:"state" enum:"running,stopped" doc:"The wanted state"`
}

// Units lists the service units.
func (s *Server) Units(context.Context) UnitList {
	have := s.Hub.Snapshot()
	stats := SystemStats{}
	stats.units(have)
	return UnitList{Units: listed(stats.Units), Manager: have.Units.Value.Manager, Reason: have.Units.Value.Reason}
}

// RestartUnit restarts one unit and waits until it is seen to be well or not.
func (s *Server) RestartUnit(ctx context.Context, name string) (UnitResult, error) {
	if units := s.Hub.Snapshot().Units; !units.At.IsZero() && !units.Value.Manager && s.knownUnit(name) {
		return UnitResult{}, NewProblem(http.StatusConflict, "no_service_manager",
			fmt.Sprintf("%s cannot be restarted from here. %s", name, units.Value.Reason))
	}
	result, err := s.Engine.RestartUnit(ctx, name, ActorFrom(ctx))
	if err != nil {
		return UnitResult{}, s.failure(ctx, err)
	}
	return s.unitResult(name, result), nil
}

// SetUnit writes the wanted state of a unit into desired.yaml and waits for
// the host to follow.
func (s *Server) SetUnit(ctx context.Context, name, state string) (ApplyResult, error) {
	if !s.knownUnit(name) {
		return ApplyResult{}, NewProblem(http.StatusNotFound, "unknown_unit", fmt.Sprintf("There is no unit %q here. Known: %s.", name, list(s.unitNames())))
	}
	if state != string(desired.UnitRunning) && state != string(desired.UnitStopped) {
		return ApplyResult{}, NewProblem(http.StatusUnprocessableEntity, "invalid_state", "A unit can be wanted running or stopped.",
			ProblemError{Location: "body.state", Message: "expected running or stopped"})
	}
	return s.edit(ctx, name+" "+state, yamledit.Set("spec.units[name="+name+"].state", state))
}

func (s *Server) unitNames() []string {
	names := slices.Clone(units.Core)
	for _, unit := range s.Hub.Snapshot().Units.Value.Units {
		names = append(names, unit.Name)
	}
	for _, unit := range s.Store.Current().Host.Spec.Units {
		names = append(names, unit.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *Server) knownUnit(name string) bool { return slices.Contains(s.unitNames(), name) }

func (s *Server) unitResult(name string, r engine.UnitResult) UnitResult {
	out := UnitResult{Healthy: r.Healthy, Reverted: r.Reverted, Message: r.Message}
	for _, unit := range s.Units(context.Background()).Units {
		if unit.Name == name {
			out.Unit = unit
		}
	}
	return out
}

// units fills the list of units; each of the five has an entry even when
// nothing could be read.
func (s *SystemStats) units(have *observers.Snapshot) {
	why := have.Units.Why(have.At)
	reading := have.Units.Value
	if why == "" && !reading.Manager {
		why = reading.Reason
	}
	if why != "" {
		s.warn("units", why)
	}
	for _, unit := range reading.Units {
		s.Units = append(s.Units, unitStatus(unit, why))
	}
	for _, name := range units.Core {
		if _, ok := reading.Find(name); !ok {
			s.Units = append(s.Units, UnitStatus{Name: name, State: UnitDown, Reason: first(why, "not read yet")})
		}
	}
}

// unitStatus is one unit in the words of the service document. why says that
// the reading is not to be trusted.
func unitStatus(unit observers.Unit, why string) UnitStatus {
	status := UnitStatus{
		Name: unit.Name, State: UnitDown, SubState: unit.Sub, PID: unit.PID, Restarts: unit.Restarts,
		Known: why == "", Reason: why, Since: pointer(unit.Since),
	}
	if unit.Up() {
		status.State = UnitActive
	} else if why == "" {
		status.Reason = downReason(unit)
	}
	return status
}

// downReason says in words why a unit is not active.
func downReason(unit observers.Unit) string {
	switch {
	case unit.Load == "not-found":
		return "not installed on this host"
	case unit.Load == "masked":
		return "masked: it cannot be started until it is unmasked"
	case unit.Load == "error" || unit.Load == "bad-setting":
		return "its unit file cannot be read"
	case unit.Sub == "auto-restart":
		return "it ended and is started again (" + first(unit.Result, "unknown result") + ")"
	case unit.Active == "activating":
		return "starting"
	case unit.Active == "deactivating":
		return "stopping"
	}
	switch unit.Result {
	case "", "success":
		return "stopped"
	case "exit-code":
		return "it ended with an error"
	case "signal", "core-dump":
		return "it was killed by a signal"
	case "oom-kill":
		return "it was killed because memory ran out"
	case "start-limit-hit":
		return "it ended too often and is not started again"
	case "timeout":
		return "it did not start or stop in time"
	case "watchdog":
		return "it stopped answering"
	}
	return "it failed (" + unit.Result + ")"
}

// pointer is nil for a time that is not known.
func pointer(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
