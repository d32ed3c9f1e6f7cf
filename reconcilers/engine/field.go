package engine

import (
	"strings"
	"time"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/desired"
	"corehost/observers"
)

// field is one value of the host that the document can manage: how it is
// called on both sides and where it is read. Change.Fields uses name.
type field struct {
	name   string // of the host: "agent.reasoning_effort", "units[core-gateway].state"
	spec   string // of the document: "agent.reasoningEffort"
	path   string // for an edit: "spec.units[name=core-gateway].state"
	owner  string // pattern in Reconciler.Owns
	object string // what holds the value: config.yaml, core-gateway
	unit   string // name of the unit, for a unit's field
}

// configFields are the values of config.yaml that units read at their start.
var configFields = []field{
	{name: platform.KeyProvider, spec: "model.provider"},
	{name: platform.KeyModel, spec: "model.default"},
	{name: platform.KeyEffort, spec: "agent.reasoningEffort"},
}

// fieldOf finds a field by its name on the host or in the document.
func fieldOf(name string) (field, bool) {
	for _, f := range configFields {
		if name == f.name || name == f.spec {
			f.path, f.owner, f.object = "spec."+f.spec, f.name, home.PlatformFile
			return f, true
		}
	}
	unit, rest, ok := strings.Cut(strings.TrimPrefix(name, "units["), "].")
	if !ok || unit == "" || !strings.HasPrefix(name, "units[") || rest != "state" {
		return field{}, false
	}
	return field{
		name: name, spec: name, path: "spec.units[name=" + unit + "].state",
		owner: "unit.*.state", object: unit, unit: unit,
	}, true
}

// managed lists the fields a document manages, in a fixed order.
func managed(h *desired.Host) []field {
	var out []field
	for _, c := range configFields {
		f, _ := fieldOf(c.name)
		if _, ok := f.desired(h); ok {
			out = append(out, f)
		}
	}
	for _, u := range h.Spec.Units {
		if f, ok := fieldOf("units[" + u.Name + "].state"); ok && u.State != "" {
			out = append(out, f)
		}
	}
	return out
}

// desired is what the document says; false: not managed. An empty
// model.default means the provider's default.
func (f field) desired(h *desired.Host) (string, bool) {
	m := h.Spec.Model
	switch {
	case f.name == platform.KeyProvider && m != nil && m.Provider != nil:
		return *m.Provider, true
	case f.name == platform.KeyModel && m != nil && m.Default != nil:
		return *m.Default, true
	case f.name == platform.KeyEffort && h.Spec.Agent != nil && h.Spec.Agent.ReasoningEffort != nil:
		return string(*h.Spec.Agent.ReasoningEffort), true
	case f.unit != "":
		for _, u := range h.Spec.Units {
			if u.Name == f.unit && u.State != "" {
				return string(u.State), true
			}
		}
	}
	return "", false
}

// actual is the value on the host, as of a time; false: it is not known.
func (f field) actual(s *observers.Snapshot) (value string, at time.Time, ok bool) {
	if f.unit != "" {
		u, found := s.Units.Value.Find(f.unit)
		if !s.Units.Known(s.At) || !found || !u.Installed() {
			return "", s.Units.At, false
		}
		return unitState(u), s.Units.At, true
	}
	p := s.Platform
	if !p.Known(s.At) || p.Value.Problem != nil {
		return "", p.At, false
	}
	return configValue(p.Value.Config, f.name), p.At, true
}

// adoptable is a value of the host as the document spells it.
func (f field) adoptable(value string) string {
	switch {
	case f.name == platform.KeyEffort && value == "":
		return string(desired.EffortOff)
	case f.unit != "" && value != string(desired.UnitRunning):
		return string(desired.UnitStopped)
	}
	return value
}

// unitState is a unit's state in the document's words; failed is told apart.
func unitState(u observers.Unit) string {
	switch u.Active {
	case "failed":
		return "failed"
	case "inactive":
		return string(desired.UnitStopped)
	default:
		return string(desired.UnitRunning)
	}
}

func configValue(c platform.Config, key string) string {
	switch key {
	case platform.KeyProvider:
		return c.Provider
	case platform.KeyModel:
		return c.Model
	default:
		return c.Effort
	}
}

// isConfigField reports whether a field is a value of config.yaml.
func isConfigField(name string) bool {
	for _, f := range configFields {
		if f.name == name {
			return true
		}
	}
	return false
}
