package model

import (
	"fmt"

	"corehost/config/platform"
	"corehost/config/provider"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// choice works out which values config.yaml must have, from one snapshot.
type choice struct {
	config    platform.Config
	catalogue *provider.Catalogue
	have      *observers.Snapshot
	reason    string // set when the model was not named but follows the provider
}

// fields lists the values that differ, provider first.
func (c *choice) fields(spec *desired.Model) ([]desired.FieldChange, error) {
	var fields []desired.FieldChange
	if spec.Provider != nil && *spec.Provider != c.config.Provider {
		if err := c.switchable(*spec.Provider); err != nil {
			return nil, err
		}
		fields = append(fields, desired.FieldChange{Field: platform.KeyProvider, From: c.config.Provider, To: *spec.Provider})
	}
	model, managed, err := c.model(spec)
	if err != nil {
		return nil, err
	}
	if managed && model != c.config.Model {
		fields = append(fields, desired.FieldChange{Field: platform.KeyModel, From: c.config.Model, To: model})
	}
	return fields, nil
}

// switchable refuses a provider nobody knows or that lacks the key it needs.
func (c *choice) switchable(slug string) error {
	p, err := c.known(slug)
	if err != nil {
		return err
	}
	if !p.KeyNeeded {
		return nil
	}
	if !c.have.Keys.Known(c.have.At) {
		return fmt.Errorf("look for the key of %s: %s", slug, c.have.Keys.Why(c.have.At))
	}
	if p.Usable(c.have.Keys.Value.Has) {
		return nil
	}
	return &reconcilers.Blocked{Reason: ReasonKeyMissing, Message: fmt.Sprintf(
		"%s: NO KEY (%s). Put %s=… into .env in the home, or store it: cli secrets set providers %s", p.Name, p.KeyEnv(), p.KeyEnv(), p.KeyEnv())}
}

func (c *choice) known(slug string) (provider.Provider, error) {
	if p, ok := c.catalogue.Get(slug); ok {
		return p, nil
	}
	next := "See: cli model list; define your own as providers." + slug + " in config.yaml"
	if near := c.catalogue.Near(slug); near != "" {
		next = fmt.Sprintf("Did you mean %q? %s", near, next)
	}
	return provider.Provider{}, &reconcilers.Blocked{Reason: ReasonUnknownProvider, Message: fmt.Sprintf("provider %q is not known. %s", slug, next)}
}

// model is the wanted model. An empty one follows the provider's default and
// is written out, because every runtime reads a name.
func (c *choice) model(spec *desired.Model) (name string, managed bool, err error) {
	if spec.Default == nil {
		return "", false, nil
	}
	if *spec.Default != "" {
		return *spec.Default, true, nil
	}
	slug, err := c.provider(spec)
	if err != nil {
		return "", true, err
	}
	p, err := c.known(slug)
	if err != nil {
		return "", true, err
	}
	if p.DefaultModel == "" {
		return "", true, &reconcilers.Blocked{Reason: ReasonNoDefaultModel, Message: fmt.Sprintf(
			"%s has no default model. Name one as spec.model.default: cli model set %s MODEL", p.Name, p.Slug)}
	}
	c.reason = "the default model of " + p.Name
	return p.DefaultModel, true, nil
}

// provider is the one whose default is meant: the wanted one, else the one in
// force.
func (c *choice) provider(spec *desired.Model) (string, error) {
	if spec.Provider != nil {
		return *spec.Provider, nil
	}
	if c.config.Provider != "" {
		return c.config.Provider, nil
	}
	if !c.have.Keys.Known(c.have.At) {
		return "", fmt.Errorf("find the provider in force: %s", c.have.Keys.Why(c.have.At))
	}
	r := provider.Resolve(c.config, c.catalogue, c.have.Keys.Value.Has)
	if r.Provider == "" {
		return "", &reconcilers.Blocked{Reason: ReasonNoDefaultModel, Message: "no provider is chosen, so there is no default model. Set spec.model.provider: cli model set PROVIDER"}
	}
	return r.Provider, nil
}
