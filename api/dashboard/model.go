package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"corehost/api"
)

// ModelView is the page of the model.
type ModelView struct {
	Active  ActiveCard
	Running RunningCard
	Switch  SwitchCard
	Effort  EffortCard
}

// ActiveCard is the model that drives the agents.
type ActiveCard struct {
	Age
	Model, Provider string // provider is its name
	Slug            string
	Context         string // 200,000 tokens; empty: unknown
	ContextNote     string // where the length comes from
	Effort          string
	EffortNote      string
	Cheap, Frontier string
	Can             []string // what the model can do, in words
	From            []Origin
}

// Origin is where one value comes from.
type Origin struct{ Label, Field, Source string }

// RunningCard is what each unit runs next to what is configured.
type RunningCard struct {
	Configured string
	Waiting    string // units that need a restart, in a sentence; empty: none
	Rows       []RunningRow
}

// RunningRow is one unit that reads the configuration at its start.
type RunningRow struct {
	Unit, Runs string
	Pill       Pill
	Since      *Moment
	Action     *Action
	HowTo      *HowTo
}

func (d *Dashboard) modelPage(r *http.Request, now clock, status api.Status, failure Failure) (body, error) {
	ctx := r.Context()
	info, options := d.src.ModelInfo(ctx), d.src.ModelOptions(ctx)
	asked := pick{Provider: r.URL.Query().Get("provider"), Model: r.URL.Query().Get("model")}
	if failure.Do == "model" {
		asked = pick{Provider: failure.Values.Get("provider"), Model: failure.Values.Get("model")}
	}
	view := ModelView{
		Active:  activeCard(info, options, now),
		Running: runningCard(info, status, howTo(d.src.Stats(ctx)), now, r.URL.Path),
		Switch:  switchCard(info, options, asked),
		Effort:  effortCard(info),
	}
	if failure.Do == "effort" {
		view.Effort.Chosen = strings.ToUpper(failure.Values.Get("effort"))
	}
	made := body{template: "model", title: "Model", name: "model", view: view, forms: []string{formName("effort", "")}}
	if view.Switch.Chosen != nil {
		made.forms = append(made.forms, formName("model", ""))
	}
	return made, nil
}

func activeCard(info api.ModelInfo, options api.ModelOptions, now clock) ActiveCard {
	card := ActiveCard{
		Age: Age{At: now.pointer(info.ObservedAt)}, Model: info.Model, Slug: info.Provider,
		Provider: providerName(options, info.Provider), Effort: strings.ToUpper(info.ReasoningEffort),
		Cheap: info.Tiers.Cheap, Frontier: info.Tiers.Frontier, Can: abilities(info.Capabilities),
		From: origins(info.Source),
	}
	if info.Model == "" && info.Provider == "" {
		card.Why = "config.yaml names no provider and no key is at hand to choose one by. Choose a provider below."
	}
	if n := info.EffectiveContextLength; n != nil {
		card.Context = comma(int64(*n))
	}
	card.ContextNote = contextNote(info)
	if info.Model != "" && !info.Capabilities.SupportsReasoning && info.ReasoningEffort != "off" && info.ReasoningEffort != "" {
		card.EffortNote = "The catalogue lists no effort for this model, so it may have no effect."
	}
	return card
}

func contextNote(info api.ModelInfo) string {
	switch {
	case info.EffectiveContextLength == nil:
		return "The catalogue does not know this model. Set model.context_length in config.yaml."
	case info.ConfigContextLength != nil && info.AutoContextLength != nil && *info.ConfigContextLength != *info.AutoContextLength:
		return fmt.Sprintf("set in config.yaml; the catalogue says %s", comma(int64(*info.AutoContextLength)))
	case info.ConfigContextLength != nil:
		return "set in config.yaml"
	}
	return "from the catalogue"
}

func abilities(c api.Capabilities) []string {
	var list []string
	for _, ability := range []struct {
		has  bool
		word string
	}{{c.SupportsReasoning, "reasoning"}, {c.SupportsTools, "tools"}, {c.SupportsVision, "images"}} {
		if ability.has {
			list = append(list, ability.word)
		}
	}
	if c.MaxOutputTokens > 0 {
		list = append(list, tokens(c.MaxOutputTokens)+" output tokens")
	}
	return list
}

// sourceWords say where a value comes from.
var sourceWords = map[string]string{
	"desired": "desired.yaml", "config": "config.yaml, not managed", "environment": "a key in the environment",
	"default": "the provider's default", "none": "nowhere",
}

func origins(source map[string]string) []Origin {
	var list []Origin
	for _, o := range []Origin{
		{"Provider", "model.provider", source["provider"]}, {"Model", "model.default", source["model"]},
		{"Effort", "agent.reasoning_effort", source["reasoning_effort"]},
	} {
		if o.Source != "" {
			o.Source = first(sourceWords[o.Source], o.Source)
			list = append(list, o)
		}
	}
	return list
}

func providerName(options api.ModelOptions, slug string) string {
	for _, p := range options.Providers {
		if p.Slug == slug {
			return first(p.Name, slug)
		}
	}
	return slug
}

func runningCard(info api.ModelInfo, status api.Status, how *HowTo, now clock, path string) RunningCard {
	card := RunningCard{Configured: choiceText(info.Configured)}
	old := waitingUnits(status)
	if len(old) > 0 {
		card.Waiting = names(old) + verb(len(old), " still runs", " still run") + " the old settings. They are read at the start only, so a restart is needed."
	}
	for _, running := range info.Running.Units {
		row := RunningRow{Unit: running.Unit, Runs: choiceText(running.ModelChoice), Since: now.pointer(running.Since), Pill: Pill{Word: "CURRENT", Tone: "good"}}
		switch {
		case !running.Running:
			row.Runs, row.Since, row.Pill = "", nil, Pill{Word: "NOT RUNNING"}
		case slices.Contains(old, running.Unit):
			row.Pill = Pill{Word: "OLD SETTINGS", Tone: "warn"}
			row.Action = &Action{Path: path, Do: "restart", Field: []Hidden{{"unit", running.Unit}}, Label: "Restart", Name: "Restart " + running.Unit, Plain: true}
		}
		if running.Unit == self && row.Action != nil {
			row.Action, row.HowTo = nil, how
		}
		card.Rows = append(card.Rows, row)
	}
	return card
}

func choiceText(c api.ModelChoice) string {
	text := first(c.Provider, "no provider set") + " / " + first(c.Model, "its default model")
	if c.ReasoningEffort != "" && c.ReasoningEffort != "off" {
		text += ", effort " + c.ReasoningEffort
	}
	return text
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
