package api

import (
	"context"
	"net/url"

	"corehost/config/provider"
)

// The states of a provider's key.
const (
	KeyConfigured = "configured"
	KeyNotNeeded  = "not_needed"
	KeyMissing    = "missing"
)

// ModelOptions lists every known provider and whether one can switch to it.
func (s *Server) ModelOptions(context.Context) ModelOptions {
	r := s.resolve()
	all := r.catalogue.All()
	options := ModelOptions{Provider: r.choice.Provider, Model: r.choice.Model, Providers: make([]ProviderOption, 0, len(all))}
	for _, p := range all {
		options.Providers = append(options.Providers, providerOption(p, r.choice.Provider, r.have.Keys.Value.Has))
	}
	return options
}

func providerOption(p provider.Provider, active string, has func(string) bool) ProviderOption {
	o := ProviderOption{
		Slug: p.Slug, Name: p.Name, Models: modelOptions(p), DefaultModel: p.DefaultModel, Active: p.Slug == active,
		Family: p.Family, BaseURL: publicAddress(p.BaseURL), KeyEnv: p.KeyEnv(),
	}
	switch {
	case !p.KeyNeeded:
		o.KeyStatus, o.KeyLabel, o.KeyEnv = KeyNotNeeded, "NO KEY NEEDED", ""
	case p.Usable(has):
		o.KeyStatus, o.KeyLabel = KeyConfigured, "KEY CONFIGURED"
	default:
		o.KeyStatus, o.KeyLabel = KeyMissing, "NO KEY ("+o.KeyEnv+")"
	}
	o.Switchable = o.KeyStatus != KeyMissing
	return o
}

// modelOptions lists a provider's models, or its default model when none are
// enumerated.
func modelOptions(p provider.Provider) []ModelOption {
	list := make([]ModelOption, 0, len(p.Models))
	for _, m := range p.Models {
		list = append(list, ModelOption{ID: m.ID, Name: first(m.Name, m.ID), ContextLength: m.ContextLength, SupportsReasoning: m.Reasoning, Efforts: listed(m.Efforts)})
	}
	if len(list) == 0 && p.DefaultModel != "" {
		list = append(list, ModelOption{ID: p.DefaultModel, Name: p.DefaultModel, Efforts: []string{}})
	}
	return list
}

// publicAddress is an address without what people put keys into: the part
// before the @, the query and the fragment.
func publicAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}
