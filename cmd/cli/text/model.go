package text

import (
	"fmt"
	"strings"

	"corehost/api"
	"corehost/reconcilers"
)

// Model is the active model, what each unit runs, and its abilities.
func Model(s Style, m api.ModelInfo) string {
	p := page{Style: s}
	p.line(p.paint(bold, m.Model) + "  " + p.paint(dim, m.Provider))
	p.gap()
	p.table("", p.modelRows(m))
	if m.RestartRequired {
		p.gap()
		p.prose("", p.paint(yellow, "Restart required:")+" a unit still runs the old choice.")
		for _, r := range m.Running.Units {
			if r.Running && r.ModelChoice != m.Configured {
				p.line("  " + p.command(restartCommand(r.Unit)))
			}
		}
	}
	return p.String()
}

func (p *page) modelRows(m api.ModelInfo) [][]string {
	rows := [][]string{
		p.sourced("provider", m.Provider, m.Source["provider"]),
		p.sourced("model", m.Model, m.Source["model"]),
		p.sourced("effort", m.ReasoningEffort, m.Source["reasoning_effort"]),
		{p.paint(dim, "context"), p.context(m)},
		{p.paint(dim, "can"), p.abilities(m.Capabilities)},
	}
	if m.Tiers.Cheap != "" || m.Tiers.Frontier != "" {
		rows = append(rows, []string{p.paint(dim, "tiers"), "cheap " + p.value(m.Tiers.Cheap) + ", frontier " + p.value(m.Tiers.Frontier)})
	}
	for _, r := range m.Running.Units {
		rows = append(rows, []string{p.paint(dim, "running"), p.running(r, m.Configured)})
	}
	return rows
}

func (p *page) sourced(label, value, source string) []string {
	text := p.value(value)
	if source != "" && source != "none" {
		text += p.paint(dim, " (from "+sourceName(source)+")")
	}
	return []string{p.paint(dim, label), text}
}

func sourceName(source string) string {
	switch source {
	case "desired":
		return "desired.yaml"
	case "config":
		return "config.yaml"
	case "environment":
		return "the environment"
	case "default":
		return "the provider's default"
	}
	return source
}

func (p *page) context(m api.ModelInfo) string {
	if m.EffectiveContextLength == nil {
		return p.paint(dim, "unknown")
	}
	text := tokens(*m.EffectiveContextLength) + " tokens"
	if m.ConfigContextLength != nil && m.AutoContextLength != nil {
		text += p.paint(dim, " (from config.yaml; the catalogue says "+tokens(*m.AutoContextLength)+")")
	}
	return text
}

func (p *page) abilities(c api.Capabilities) string {
	var words []string
	for _, a := range []struct {
		name string
		has  bool
	}{{"reasoning", c.SupportsReasoning}, {"tools", c.SupportsTools}, {"vision", c.SupportsVision}} {
		if a.has {
			words = append(words, a.name)
		}
	}
	if c.MaxOutputTokens > 0 {
		words = append(words, "answers of up to "+tokens(c.MaxOutputTokens)+" tokens")
	}
	if len(words) == 0 {
		return p.paint(dim, "not in the catalogue")
	}
	return strings.Join(words, ", ")
}

func (p *page) running(r api.RunningModel, configured api.ModelChoice) string {
	text := p.paint(bold, r.Unit) + ": "
	switch {
	case !r.Running:
		return text + p.paint(dim, "does not run")
	case r.ModelChoice == configured:
		text += p.paint(green, "the configured choice")
	default:
		text += p.paint(yellow, r.Provider+" / "+r.Model+", effort "+r.ReasoningEffort)
	}
	if r.Since != nil {
		text += p.paint(dim, " (since "+p.Clock(*r.Since)+")")
	}
	return text
}

// Providers is the list of providers: which is active and which can be
// switched to.
func Providers(s Style, options api.ModelOptions) string {
	p := page{Style: s}
	rows := [][]string{p.header("PROVIDER", "MODELS", "KEY", "DEFAULT MODEL, OR THE KEY IT NEEDS")}
	rows[0][0] = "  " + rows[0][0]
	for _, o := range options.Providers {
		mark := "  "
		if o.Active {
			mark = p.paint(green, "●") + " "
		}
		rows = append(rows, []string{mark + Clean(o.Slug), fmt.Sprintf("%6d", len(o.Models)), p.key(o), p.need(o)})
	}
	p.table("", rows)
	return p.String()
}

func (p *page) key(o api.ProviderOption) string {
	switch o.KeyStatus {
	case "configured":
		return p.paint(green, "configured")
	case "not_needed":
		return p.paint(green, "not needed")
	}
	return p.paint(dim, "missing")
}

// need is what a provider is used with: its default model, or first of all a key.
func (p *page) need(o api.ProviderOption) string {
	if o.KeyStatus == "missing" {
		return p.paint(dim, o.KeyEnv)
	}
	return Clean(o.DefaultModel)
}

// ProviderModels is the list of one provider's models.
func ProviderModels(s Style, o api.ProviderOption, active string) string {
	p := page{Style: s}
	p.line(p.paint(bold, o.Name) + "  key " + p.key(o))
	if o.KeyStatus == "missing" {
		p.prose("", "It can be switched to once "+p.paint(bold, o.KeyEnv)+" is set.")
	}
	p.gap()
	rows := [][]string{p.header("MODEL", "CONTEXT", "EFFORTS")}
	rows[0][0] = "  " + rows[0][0]
	for _, m := range o.Models {
		mark := "  "
		if o.Active && m.ID == active {
			mark = p.paint(green, "●") + " "
		}
		rows = append(rows, []string{mark + Clean(m.ID), tokens(m.ContextLength), Clean(strings.Join(m.Efforts, " "))})
	}
	p.table("", rows)
	return p.String()
}

// ModelSet is the answer to a switch of model or effort.
func ModelSet(s Style, set api.ModelSet, restart []reconcilers.RestartNotice) string {
	p := page{Style: s}
	var parts []string
	if set.Provider != "" {
		parts = append(parts, "the model is "+Clean(set.Provider)+" / "+p.value(set.Model))
	}
	if set.Effort != "" {
		parts = append(parts, "the reasoning effort is "+Clean(strings.ToLower(set.Effort)))
	}
	p.prose(p.paint(green, "✓")+" ", fmt.Sprintf("Revision %d: %s.", set.Revision, strings.Join(parts, ", ")))
	switch set.Warning {
	case api.WarnNoDial:
		p.prose("  ", p.paint(yellow, "The active model has no effort dial: the setting waits for one that has."))
	case api.WarnUnknownModel:
		p.prose("  ", p.paint(yellow, "The catalogue does not list this model: see that the name is right."))
	}
	p.restart(restart)
	return p.String()
}
