// Package reasoning brings agent.reasoning_effort of config.yaml to what the
// document says.
//
// Law: off means that the key is not there, so that no runtime sends an
// effort at all.
package reasoning

import (
	"context"
	"fmt"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// Name of the reconciler.
const Name = "reasoning"

// Reconciler owns the reasoning effort.
type Reconciler struct{ file *platform.File }

// New returns the reconciler of one config.yaml.
func New(file *platform.File) *Reconciler { return &Reconciler{file: file} }

// Name is "reasoning".
func (r *Reconciler) Name() string { return Name }

// Watches names config.yaml.
func (r *Reconciler) Watches() []string { return []string{"platform"} }

// Owns lists the one value.
func (r *Reconciler) Owns() []string { return []string{platform.KeyEffort} }

// Plan returns at most one change. Off is shown as an empty value, which is a
// key that is not there.
func (r *Reconciler) Plan(want *desired.Host, have *observers.Snapshot) ([]reconcilers.Change, error) {
	if want.Spec.Agent == nil || want.Spec.Agent.ReasoningEffort == nil {
		return nil, nil
	}
	config, err := reconcilers.ConfigOf(have)
	if err != nil {
		return nil, err
	}
	to := written(*want.Spec.Agent.ReasoningEffort)
	if has(config.Config, to) {
		return nil, nil
	}
	effort := desired.FieldChange{Field: platform.KeyEffort, From: config.Config.Effort, To: to}
	return []reconcilers.Change{reconcilers.ConfigChange(Name, config, reason(to), effort)}, nil
}

// Apply sets or removes the key, with the bytes before it in config.yaml.bak.
func (r *Reconciler) Apply(ctx context.Context, change reconcilers.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, config, err := r.file.Read()
	if err != nil {
		return reconcilers.ConfigError(err)
	}
	to := change.Fields[0].To
	if has(config, to) {
		return nil
	}
	if file.Sum != home.Sum(change.From) {
		return fmt.Errorf("apply to config.yaml: %w", reconcilers.ErrStale)
	}
	edit := yamledit.Set(platform.KeyEffort, to)
	if to == "" {
		edit = yamledit.Remove(platform.KeyEffort)
	}
	_, err = r.file.Edit(file.Sum, edit)
	return reconcilers.ConfigError(err)
}

// written is the value of the key for an effort; empty: no key.
func written(e desired.Effort) string {
	if e == desired.EffortOff {
		return ""
	}
	return string(e)
}

func has(config platform.Config, value string) bool {
	if value == "" {
		return !config.EffortSet
	}
	return config.EffortSet && config.Effort == value
}

func reason(to string) string {
	if to == "" {
		return "off removes the key"
	}
	return ""
}
