package model

import (
	"context"
	"fmt"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/provider"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// Name of the reconciler.
const Name = "model"

// Condition reasons, besides those of config.yaml itself.
const (
	ReasonUnknownProvider = "UnknownProvider"
	ReasonKeyMissing      = "KeyMissing"
	ReasonNoDefaultModel  = "NoDefaultModel"
)

// Reconciler owns the active provider and model.
type Reconciler struct{ file *platform.File }

// New returns the reconciler of one config.yaml.
func New(file *platform.File) *Reconciler { return &Reconciler{file: file} }

// Name is "model".
func (r *Reconciler) Name() string { return Name }

// Watches names config.yaml and the keys at hand.
func (r *Reconciler) Watches() []string { return []string{"platform", "key"} }

// Owns lists the two values.
func (r *Reconciler) Owns() []string { return []string{platform.KeyProvider, platform.KeyModel} }

// Plan returns at most one change: both values in one edit. Conditions that
// would refuse a switch hold nothing back while the file already says it.
func (r *Reconciler) Plan(want *desired.Host, have *observers.Snapshot) ([]reconcilers.Change, error) {
	spec := want.Spec.Model
	if spec == nil || spec.Provider == nil && spec.Default == nil {
		return nil, nil
	}
	config, err := reconcilers.ConfigOf(have)
	if err != nil {
		return nil, err
	}
	c := choice{config: config.Config, catalogue: provider.Load(config.Config.Providers), have: have}
	fields, err := c.fields(spec)
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	return []reconcilers.Change{reconcilers.ConfigChange(Name, config, c.reason, fields...)}, nil
}

// Apply writes the values of the change in one splice, with the bytes before
// it in config.yaml.bak.
func (r *Reconciler) Apply(ctx context.Context, change reconcilers.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, config, err := r.file.Read()
	if err != nil {
		return reconcilers.ConfigError(err)
	}
	edits := edits(config, change.Fields)
	if len(edits) == 0 {
		return nil
	}
	if file.Sum != home.Sum(change.From) {
		return fmt.Errorf("apply to config.yaml: %w", reconcilers.ErrStale)
	}
	_, err = r.file.Edit(file.Sum, edits...)
	return reconcilers.ConfigError(err)
}

// edits are the splices for the fields the file does not have yet.
func edits(config platform.Config, fields []desired.FieldChange) []yamledit.Edit {
	now := map[string]string{platform.KeyProvider: config.Provider, platform.KeyModel: config.Model}
	var list []yamledit.Edit
	for _, f := range fields {
		if now[f.Field] != f.To {
			list = append(list, yamledit.Set(f.Field, f.To))
		}
	}
	return list
}
