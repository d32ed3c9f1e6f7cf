package provider

import (
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

// builtin is the catalogue compiled into the program, decoded at first use
// and never changed: charm.land/catwalk v0.51.0, then the table of gaps.
var builtin = sync.OnceValue(func() []Provider {
	var all []Provider
	for _, source := range embedded.GetAll() {
		all = append(all, convert(source))
	}
	for _, gap := range gaps() {
		all = append(all, gap.complete())
	}
	return all
})

// convert reads one provider of catwalk. Its default models become the
// tiers: the small one is cheap, the large one is frontier.
func convert(source catwalk.Provider) Provider {
	p := Provider{
		Slug:         string(source.ID),
		Name:         source.Name,
		Family:       family(source),
		BaseURL:      strings.TrimSuffix(source.APIEndpoint, "/"),
		DefaultModel: source.DefaultLargeModelID,
		Cheap:        source.DefaultSmallModelID,
		Frontier:     source.DefaultLargeModelID,
		KeyEnvs:      keyEnvs(source),
		KeyNeeded:    true,
	}
	if strings.HasPrefix(p.BaseURL, "$") || p.BaseURL == "" {
		p.BaseURL = addresses[p.Slug]
	}
	for _, m := range source.Models {
		if p.Family == FamilyGemini && !strings.HasPrefix(m.ID, "gemini") {
			continue // Vertex also lists models of other families, which do not speak this protocol
		}
		p.Models = append(p.Models, convertModel(p.Family, m))
	}
	return p.complete()
}

// convertModel reads one model. The catalogue lists only models that call
// tools (its generators drop the others), so Tools is always true.
func convertModel(family string, m catwalk.Model) Model {
	return Model{
		ID:            m.ID,
		Name:          m.Name,
		ContextLength: int(m.ContextWindow),
		MaxOutput:     int(m.DefaultMaxTokens),
		Efforts:       efforts(family, m.ID, m.ReasoningLevels),
		Reasoning:     m.CanReason,
		Tools:         true,
		Vision:        m.SupportsImages,
	}
}

// efforts reduces a model's reasoning levels to the three the service knows.
// The Anthropic family's smallest tier never gets an effort.
func efforts(family, id string, levels []string) []string {
	if family == FamilyAnthropic && strings.Contains(strings.ToLower(id), "haiku") {
		return nil
	}
	var known []string
	for _, level := range []string{"low", "medium", "high"} {
		if slices.Contains(levels, level) {
			known = append(known, level)
		}
	}
	return known
}

// family maps the catalogue's provider types to wire protocols. Only OpenAI
// itself and Azure's v1 API serve /responses for all their models; the other
// providers of type "openai" promise chat completions alone.
func family(p catwalk.Provider) string {
	switch p.Type {
	case catwalk.TypeAnthropic, catwalk.TypeBedrock:
		return FamilyAnthropic
	case catwalk.TypeGoogle, catwalk.TypeVertexAI:
		return FamilyGemini
	case catwalk.TypeAzure:
		return FamilyResponses
	}
	if p.ID == catwalk.InferenceProviderOpenAI {
		return FamilyResponses
	}
	return FamilyChat
}

// keyEnvs is the catalogue's own key name, then the other names people have
// the same key under.
func keyEnvs(p catwalk.Provider) []string {
	var names []string
	if name, ok := strings.CutPrefix(p.APIKey, "$"); ok {
		names = append(names, name)
	}
	for _, name := range otherKeys[string(p.ID)] {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
