package provider

import (
	"slices"
	"strings"

	"corehost/config/platform"
)

// define reads one of the user's providers over what is known of its slug.
// Naming the family makes it a definition of its own, of which only the
// address and the name fall back to the known provider.
func define(slug string, own platform.Provider, known Provider) Provider {
	base := known
	if own.Family != "" || known.Slug == "" {
		base = Provider{BaseURL: known.BaseURL, Name: known.Name, Family: FamilyChat}
	}
	base.Slug = slug
	set(&base.Name, own.Name)
	set(&base.Name, base.Name, slug)
	set(&base.Family, own.Family)
	set(&base.BaseURL, strings.TrimRight(own.BaseURL, "/"))
	if own.KeyEnv != "" {
		base.KeyEnvs, base.KeyNeeded = []string{own.KeyEnv}, true
	}
	ownModels(&base, own, known)
	return base.complete()
}

// ownModels applies the user's models, default and tiers. A listed model that
// is known by its id keeps its figures.
func ownModels(p *Provider, own platform.Provider, known Provider) {
	if len(own.Models) > 0 {
		p.Models = nil
		for _, id := range own.Models[:min(len(own.Models), maxModels)] {
			p.Models = append(p.Models, describe(known, id))
		}
		p.DefaultModel = keep(p.Models, p.DefaultModel, own.Models[0])
		p.Cheap = keep(p.Models, p.Cheap, "")
		p.Frontier = keep(p.Models, p.Frontier, "")
	}
	set(&p.DefaultModel, own.DefaultModel)
	set(&p.Cheap, own.Cheap)
	set(&p.Frontier, own.Frontier)
	if _, listed := p.Model(p.DefaultModel); !listed && p.DefaultModel != "" {
		p.Models = slices.Insert(slices.Clone(p.Models), 0, describe(known, p.DefaultModel))
	}
}

func describe(known Provider, id string) Model {
	if m, ok := known.Model(id); ok {
		return m
	}
	return Model{ID: id, Name: id}
}

// keep is the preset when it is among the models, else the other.
func keep(models []Model, preset, other string) string {
	if slices.ContainsFunc(models, func(m Model) bool { return m.ID == preset }) {
		return preset
	}
	return other
}

// set replaces a value by the first that is not empty.
func set(value *string, candidates ...string) {
	for _, c := range candidates {
		if c != "" {
			*value = c
			return
		}
	}
}
