package provider

import (
	"strings"

	"corehost/config/platform"
)

// Sources of a resolved value.
const (
	SourceConfig      = "config"      // config.yaml says so
	SourceEnvironment = "environment" // a provider's key is at hand
	SourceDefault     = "default"     // follows from the provider, or from nothing being set
	SourceNone        = "none"        // nothing to go by
)

// effortOff is the effort of a configuration that asks for none.
const effortOff = "off"

// Resolution is what a runtime uses when it starts with a configuration.
type Resolution struct {
	Provider, Model, Effort                   string
	ProviderSource, ModelSource, EffortSource string
	Context                                   int // tokens in use: ConfigContext, else AutoContext; 0: unknown
	AutoContext                               int // of the catalogue; 0: unknown
	ConfigContext                             int // model.context_length; 0: not set
}

// Resolve answers which model drives the agents: what config.yaml names;
// without a provider there, the first in the catalogue's order that has a key
// (one that offers the named model before the others); else none. A provider
// without a named model runs on its default. has reports whether the key of
// an environment name is at hand.
func Resolve(cfg platform.Config, cat *Catalogue, has func(env string) bool) Resolution {
	r := Resolution{Provider: cfg.Provider, ProviderSource: SourceConfig, ConfigContext: cfg.ContextLength}
	if r.Provider == "" {
		r.Provider, r.ProviderSource = fromKeys(cfg.Model, cat, has)
	}
	p, _ := cat.Get(r.Provider)
	r.Model, r.ModelSource = modelOf(cfg.Model, p)
	r.Effort, r.EffortSource = effortOf(cfg)
	if m, ok := p.Model(r.Model); ok {
		r.AutoContext = m.ContextLength
	}
	r.Context = r.AutoContext
	if r.ConfigContext > 0 {
		r.Context = r.ConfigContext
	}
	return r
}

func fromKeys(model string, cat *Catalogue, has func(env string) bool) (slug, source string) {
	first := ""
	for _, p := range cat.order {
		if !p.KeyNeeded || !p.Usable(has) {
			continue
		}
		if _, offers := p.Model(model); offers || model == "" {
			return p.Slug, SourceEnvironment
		}
		if first == "" {
			first = p.Slug
		}
	}
	if first == "" {
		return "", SourceNone
	}
	return first, SourceEnvironment
}

func modelOf(named string, p Provider) (model, source string) {
	switch {
	case named != "":
		return named, SourceConfig
	case p.DefaultModel != "":
		return p.DefaultModel, SourceDefault
	default:
		return "", SourceNone
	}
}

// effortOf reads the effort leniently: letter case does not matter, and the
// ways to write "no" mean off. Any other word is passed on as it stands.
func effortOf(cfg platform.Config) (effort, source string) {
	if !cfg.EffortSet {
		return effortOff, SourceDefault
	}
	switch e := strings.ToLower(strings.TrimSpace(cfg.Effort)); e {
	case "", "none", "no", "false", "null", "~":
		return effortOff, SourceConfig
	default:
		return e, SourceConfig
	}
}
