package dashboard

import (
	"slices"
	"strings"

	"corehost/api"
	"corehost/desired"
)

// pick is a provider and a model somebody is about to choose.
type pick struct{ Provider, Model string }

// SwitchCard is the form to choose provider and model, with what it would do.
type SwitchCard struct {
	Providers []ProviderRow
	Ready     int // providers one can switch to
	Chosen    *ProviderRow
	Models    []ModelRow // of the chosen provider
	Typed     string     // model as typed; empty: the provider's default
	Preview   Preview
}

// ProviderRow is one provider.
type ProviderRow struct {
	Slug, Name, Key, KeyTone string
	Active, Chosen, Usable   bool
	Env                      string
	Count                    string
	Default                  string
	BaseURL                  string
	Search                   string // what the filter looks in
}

// ModelRow is one model of the chosen provider.
type ModelRow struct {
	ID, Name, Context string
	Tokens            string // context length in full
	Reasoning         bool
	Chosen, Default   bool
}

// Preview is what a form would write and what must restart then.
type Preview struct {
	Diff    []Difference
	Restart string // what must restart then, in a sentence
	Note    string // a caution
	Same    bool   // it is so already
}

// switchCard shows the provider that was asked for, else the active one.
func switchCard(info api.ModelInfo, options api.ModelOptions, asked pick) SwitchCard {
	card := SwitchCard{Typed: strings.TrimSpace(asked.Model)}
	slug := first(strings.TrimSpace(asked.Provider), info.Provider)
	if asked.Provider == "" && asked.Model == "" {
		card.Typed = info.Configured.Model
	}
	for _, p := range options.Providers {
		row := providerRow(p, slug)
		if row.Usable {
			card.Ready++
		}
		card.Providers = append(card.Providers, row)
		if row.Chosen {
			card.Chosen, card.Models = &row, modelRows(p, card.Typed)
		}
	}
	slices.SortStableFunc(card.Providers, func(a, b ProviderRow) int { return rank(a) - rank(b) })
	if card.Chosen != nil {
		card.Preview = modelPreview(info, *card.Chosen, card.Typed, card.Models)
	}
	return card
}

// rank puts first what can be used: the active one, keys at hand, no key
// needed, and the rest.
func rank(p ProviderRow) int {
	switch {
	case p.Active:
		return 0
	case p.KeyTone == "good":
		return 1
	case p.Usable:
		return 2
	}
	return 3
}

func providerRow(p api.ProviderOption, chosen string) ProviderRow {
	row := ProviderRow{
		Slug: p.Slug, Name: first(p.Name, p.Slug), Key: p.KeyLabel, Active: p.Active, Chosen: p.Slug == chosen,
		Usable: p.Switchable, Env: p.KeyEnv, Default: p.DefaultModel, BaseURL: p.BaseURL,
		Count: modelCount(len(p.Models)), Search: strings.ToLower(p.Name + " " + p.Slug),
	}
	if p.KeyStatus == "configured" {
		row.KeyTone = "good"
	}
	return row
}

func modelCount(n int) string {
	if n == 0 {
		return "any model, by name"
	}
	return count(n, "model")
}

func modelRows(p api.ProviderOption, typed string) []ModelRow {
	rows := make([]ModelRow, 0, len(p.Models))
	for _, m := range p.Models {
		row := ModelRow{ID: m.ID, Name: m.Name, Context: tokens(m.ContextLength), Reasoning: m.SupportsReasoning, Chosen: m.ID == typed, Default: m.ID == p.DefaultModel}
		if m.ContextLength > 0 {
			row.Tokens = comma(int64(m.ContextLength)) + " tokens"
		}
		if row.Name == row.ID {
			row.Name = ""
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b ModelRow) int { return boolRank(a.Default) - boolRank(b.Default) })
	return rows
}

func boolRank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// modelPreview says what a switch would write into config.yaml.
func modelPreview(info api.ModelInfo, to ProviderRow, model string, known []ModelRow) Preview {
	p := Preview{Diff: changed(
		desired.FieldChange{Field: "model.provider", From: info.Configured.Provider, To: to.Slug},
		desired.FieldChange{Field: "model.default", From: info.Configured.Model, To: model},
	)}
	p.finish(info)
	if p.Same {
		return p
	}
	listed := slices.ContainsFunc(known, func(m ModelRow) bool { return m.ID == model })
	switch {
	case !to.Usable:
		p.Note = to.Name + " has no key. Put " + first(to.Env, "its key") + " into the .env file of the home, then switch."
	case model != "" && !listed && len(known) > 0:
		p.Note = "The catalogue does not list this model for " + to.Name + ". It is written as typed."
	case model == "" && to.Default != "":
		p.Note = "Without a model, " + to.Name + "’s default is used: " + to.Default + "."
	}
	return p
}

func changed(changes ...desired.FieldChange) []Difference {
	return allDifferences(slices.DeleteFunc(changes, func(c desired.FieldChange) bool { return c.From == c.To }))
}

// finish says what must restart: the units that run and read the file at
// their start.
func (p *Preview) finish(info api.ModelInfo) {
	p.Same = len(p.Diff) == 0
	var units []string
	for _, running := range info.Running.Units {
		if running.Running {
			units = append(units, running.Unit)
		}
	}
	p.Restart = restartText(units)
}

// EffortCard is the form of the reasoning effort.
type EffortCard struct {
	Options []EffortOption
	Chosen  string
	Note    string
	Restart string
}

// EffortOption is one effort.
type EffortOption struct {
	Value, Text string
	Current     bool
}

// efforts in their order, with what each is for.
var efforts = []EffortOption{
	{Value: "OFF", Text: "No effort is sent; the key is removed from config.yaml."},
	{Value: "LOW", Text: "Short thinking: quick answers, fewest tokens."},
	{Value: "MEDIUM", Text: "A balance of speed and care."},
	{Value: "HIGH", Text: "Long thinking: hard problems, most tokens."},
}

func effortCard(info api.ModelInfo) EffortCard {
	current := strings.ToUpper(first(info.ReasoningEffort, "off"))
	card := EffortCard{Chosen: current}
	for _, e := range efforts {
		e.Current = e.Value == current
		card.Options = append(card.Options, e)
	}
	if info.Model != "" && !info.Capabilities.SupportsReasoning {
		card.Note = "The catalogue lists no effort for " + info.Model + ". A setting is kept for the next model."
	}
	var p Preview
	p.finish(info)
	card.Restart = p.Restart
	return card
}
