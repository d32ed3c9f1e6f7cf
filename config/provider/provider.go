package provider

import "slices"

// Families of wire protocol a provider speaks.
const (
	FamilyAnthropic = "anthropic"        // POST {base}/v1/messages
	FamilyChat      = "openai-chat"      // POST {base}/chat/completions
	FamilyResponses = "openai-responses" // POST {base}/responses
	FamilyGemini    = "gemini"           // POST {base}/models/{model}:generateContent
)

// Provider is one way to reach models. Values are shared between catalogues:
// read them, never write to their slices.
type Provider struct {
	Slug         string // identifier in config.yaml: anthropic
	Name         string // for people: Anthropic
	Family       string // wire protocol, one of Families
	BaseURL      string // without a trailing slash; empty: must be set as providers.<slug>.base_url
	DefaultModel string // empty: there is none, a model must be named
	Cheap        string // model of the cheap tier
	Frontier     string // model of the frontier tier
	KeyEnvs      []string
	KeyNeeded    bool // false: works without a key, as on this machine
	Models       []Model
}

// Model is one model of a provider. A zero figure is unknown.
type Model struct {
	ID            string
	Name          string
	ContextLength int      // tokens
	MaxOutput     int      // tokens the catalogue asks for at most
	Efforts       []string // subset of low, medium, high, in this order; empty: no dial
	Reasoning     bool     // thinks before it answers, with or without a dial
	Tools         bool     // calls tools
	Vision        bool     // reads images
}

// Model returns what is known about one of the provider's models.
func (p Provider) Model(id string) (Model, bool) {
	i := slices.IndexFunc(p.Models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return Model{}, false
	}
	return p.Models[i], true
}

// Usable reports whether the provider can be switched to: it needs no key, or
// has finds one of its keys.
func (p Provider) Usable(has func(env string) bool) bool {
	return !p.KeyNeeded || slices.ContainsFunc(p.KeyEnvs, has)
}

// KeyEnv is the environment name a missing key is asked for by; empty when
// the provider has none.
func (p Provider) KeyEnv() string {
	if len(p.KeyEnvs) == 0 {
		return ""
	}
	return p.KeyEnvs[0]
}

// complete fills what follows from the rest: tiers without a preset run on
// the default model, and a provider that enumerates nothing offers its default.
func (p Provider) complete() Provider {
	if p.Cheap == "" {
		p.Cheap = p.DefaultModel
	}
	if p.Frontier == "" {
		p.Frontier = p.DefaultModel
	}
	if len(p.Models) == 0 && p.DefaultModel != "" {
		p.Models = []Model{{ID: p.DefaultModel, Name: p.DefaultModel}}
	}
	return p
}
