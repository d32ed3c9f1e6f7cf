package api

import (
	"fmt"
	"slices"
	"strings"

	"corehost/desired"
	"corehost/observers"
)

// services judges the units. A unit that is neither wanted nor installed is
// nobody's problem; without a service manager there is one item, not five.
func (j *judge) services() {
	units := j.have.Units
	if !units.Known(j.now) {
		return // said once, by unknown
	}
	if !units.Value.Manager {
		j.noManager(units.Value.Reason)
		return
	}
	for _, unit := range units.Value.Units {
		if !unit.Up() {
			j.down(unit, j.wanted(unit.Name))
		}
	}
}

// wanted is the state that desired.yaml asks of a unit; empty: none.
func (j *judge) wanted(name string) desired.UnitState {
	for _, unit := range j.want.Spec.Units {
		if unit.Name == name {
			return unit.State
		}
	}
	return ""
}

func (j *judge) noManager(reason string) {
	j.add(VerdictItem{
		Code: "no_service_manager", Level: LevelAttention,
		What: "The services of this host cannot be seen",
		Why:  sentence(reason, "No service manager answers") + ". They can be neither watched nor restarted from here",
		Kind: DoLink, Target: "/", Command: "cli unit list",
	})
}

func (j *judge) down(unit observers.Unit, want desired.UnitState) {
	switch {
	case want == desired.UnitStopped:
		return
	case !unit.Installed() && want != desired.UnitRunning:
		return
	case !unit.Installed():
		j.add(VerdictItem{
			Code: "unit_missing", Level: LevelBroken,
			What: fmt.Sprintf("%s should run but is %s", unit.Name, downReason(unit)),
			Why:  "desired.yaml asks for it. Install it, or take it out of desired.yaml",
			Kind: DoLink, Target: "/", Command: "cli explain units[" + unit.Name + "].state",
		})
		return
	case unit.Active == "activating" && unit.Sub != "auto-restart":
		return // it is on its way; if it does not arrive, it will be down
	}
	level := LevelAttention
	if want == desired.UnitRunning || unit.Active == "failed" || unit.Sub == "auto-restart" {
		level = LevelBroken
	}
	why := capital(downReason(unit))
	if !unit.Since.IsZero() {
		why += ", " + since(unit.Since, j.now) + " ago"
	}
	if unit.Restarts > 0 {
		why += fmt.Sprintf(", after %s by the system", count(unit.Restarts, "restart"))
	}
	j.add(VerdictItem{
		Code: "unit_down", Level: level, What: unit.Name + " is down", Why: why + consequence(unit.Name),
		Kind: DoStart, Target: unit.Name, Action: "Start " + short(unit.Name), Command: "cli unit restart " + unit.Name,
	})
}

// consequence says what does not work while a unit is down.
func consequence(unit string) string {
	switch unit {
	case "core-gateway":
		return ". Agents reach no model until it runs"
	case "core-dashboard-auth":
		return ". Nobody can sign in from another device until it runs"
	case "core-bridge":
		return ". Messages wait until it runs"
	case "core-bridge-auth":
		return ". Devices cannot pair with the messaging side until it runs"
	}
	return ""
}

// unknown names in one item what cannot be read, for it is not known to be
// well.
func (j *judge) unknown() {
	names := map[string]string{"host": "load, memory and disk", "unit": "services", "platform": "config.yaml", "key": "provider keys", "vault": "vault", "mesh": "remote access", "backup": "backups"}
	var parts, reasons []string
	for _, reading := range []struct{ name, why string }{
		{"host", j.have.Host.Why(j.now)}, {"unit", j.have.Units.Why(j.now)}, {"platform", j.have.Platform.Why(j.now)},
		{"key", j.have.Keys.Why(j.now)}, {"vault", j.have.Vault.Why(j.now)}, {"mesh", j.have.Mesh.Why(j.now)}, {"backup", j.have.Backups.Why(j.now)},
	} {
		if reading.why == "" || reading.why == "not read yet" {
			continue
		}
		parts = append(parts, names[reading.name])
		reasons = append(reasons, reading.why)
	}
	if len(parts) == 0 {
		return
	}
	slices.Sort(reasons)
	j.add(VerdictItem{
		Code: "unknown", Level: LevelAttention,
		What: capital(strings.Join(parts, "; ")) + " cannot be read",
		Why:  sentence(strings.Join(slices.Compact(reasons), "; "), "The readings are old") + ". Until then they are shown as unknown",
		Kind: DoLink, Target: "/", Command: "cli status",
	})
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
