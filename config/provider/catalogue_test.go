package provider_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/config/platform"
	"corehost/config/provider"
)

// Every provider the catalogue offers must be one a person can switch to.
func TestCatalogueIsWhole(t *testing.T) {
	cat := provider.Load(nil)
	all := cat.All()
	if len(all) < 40 {
		t.Fatalf("only %d providers", len(all))
	}
	withoutAddress := []string{"azure", "custom"}
	families := []string{provider.FamilyAnthropic, provider.FamilyChat, provider.FamilyResponses, provider.FamilyGemini}
	withoutDefault := []string{"ollama", "lmstudio", "custom"}
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Slug] || p.Slug == "" || p.Name == "" || !slices.Contains(families, p.Family) {
			t.Errorf("%q: twice, or without name or family %q", p.Slug, p.Family)
		}
		seen[p.Slug] = true
		u, err := url.Parse(p.BaseURL)
		if known := err == nil && u.Host != "" && !strings.HasSuffix(p.BaseURL, "/"); known == slices.Contains(withoutAddress, p.Slug) {
			t.Errorf("%s: address %q", p.Slug, p.BaseURL)
		}
		if p.KeyNeeded && len(p.KeyEnvs) == 0 {
			t.Errorf("%s: needs a key that has no name", p.Slug)
		}
		for tier, id := range map[string]string{"default": p.DefaultModel, "cheap": p.Cheap, "frontier": p.Frontier} {
			if _, ok := p.Model(id); ok == slices.Contains(withoutDefault, p.Slug) {
				t.Errorf("%s: %s model %q", p.Slug, tier, id)
			}
		}
		checkModels(t, p)
	}
}

func checkModels(t *testing.T, p provider.Provider) {
	t.Helper()
	ids := map[string]bool{}
	for _, m := range p.Models {
		if m.ID == "" || m.Name == "" || ids[m.ID] || m.ContextLength <= 0 || m.MaxOutput < 0 {
			t.Errorf("%s: model %+v is twice or incomplete", p.Slug, m)
		}
		ids[m.ID] = true
		for _, e := range m.Efforts {
			if !slices.Contains([]string{"low", "medium", "high"}, e) || !m.Reasoning {
				t.Errorf("%s %s: effort %q", p.Slug, m.ID, e)
			}
		}
	}
}

func TestKnownProviders(t *testing.T) {
	cat := provider.Load(nil)
	tests := []struct{ slug, family, address, key, cheap, frontier string }{
		{"anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-haiku-4-5-20251001", "claude-sonnet-4-6"},
		{"openai", "openai-responses", "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5.6-luna", "gpt-5.6-sol"},
		{"gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", "gemini-3-flash-preview", "gemini-3.1-pro-preview-customtools"},
		{"openrouter", "openai-chat", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "anthropic/claude-haiku-4.5", "anthropic/claude-sonnet-4.6"},
		{"minimax", "anthropic", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY", "MiniMax-M2.7", "MiniMax-M2.7"},
		{"nous", "openai-chat", "https://inference-api.nousresearch.com/v1", "NOUS_API_KEY", "Hermes-4-70B", "Hermes-4-405B"},
		{"nvidia", "openai-chat", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY", "nvidia/nemotron-3-nano-30b-a3b", "nvidia/nemotron-3-super-120b-a12b"},
		{"mistral", "openai-chat", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral-small-2603", "mistral-medium-3-5"},
	}
	for _, tt := range tests {
		p, ok := cat.Get(tt.slug)
		got := []string{p.Family, p.BaseURL, p.KeyEnv(), p.Cheap, p.Frontier}
		want := []string{tt.family, tt.address, tt.key, tt.cheap, tt.frontier}
		if diff := cmp.Diff(want, got); !ok || !p.KeyNeeded || diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.slug, diff)
		}
	}
	for _, local := range []string{"ollama", "lmstudio"} {
		if p, _ := cat.Get(local); p.KeyNeeded || !p.Usable(func(string) bool { return false }) {
			t.Errorf("%s needs no key", local)
		}
	}
}

func TestEfforts(t *testing.T) {
	cat := provider.Load(nil)
	tests := []struct {
		slug, model string
		want        []string
	}{
		{"anthropic", "claude-opus-4-8", []string{"low", "medium", "high"}},
		{"anthropic", "claude-haiku-4-5-20251001", nil},
		{"anthropic", "claude-sonnet-4-5-20250929", nil},
		{"mistral", "mistral-medium-3-5", []string{"high"}},
		{"mistral", "mistral-large-2512", nil},
		{"nvidia", "nvidia/nemotron-3-super-120b-a12b", nil},
	}
	for _, tt := range tests {
		p, _ := cat.Get(tt.slug)
		m, ok := p.Model(tt.model)
		if diff := cmp.Diff(tt.want, m.Efforts); !ok || diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.slug, tt.model, diff)
		}
	}
}

func TestOwnProviders(t *testing.T) {
	known, _ := provider.Load(nil).Get("anthropic")
	opus, _ := known.Model("claude-opus-4-8")
	moved := known
	moved.BaseURL = "http://10.0.0.1/proxy"
	keyed := known
	keyed.KeyEnvs = []string{"MY_KEY"}
	defaulted := known
	defaulted.DefaultModel = "claude-opus-4-8"
	listed := known
	listed.Models = []provider.Model{opus, {ID: "mine", Name: "mine"}}
	listed.DefaultModel, listed.Cheap, listed.Frontier = opus.ID, opus.ID, opus.ID
	tests := []struct {
		name string
		slug string
		own  platform.Provider
		want provider.Provider
	}{
		{"an address alone moves the known provider", "anthropic", platform.Provider{BaseURL: "http://10.0.0.1/proxy/"}, moved},
		{"a key name alone", "anthropic", platform.Provider{KeyEnv: "MY_KEY"}, keyed},
		{"a default alone keeps the tiers", "anthropic", platform.Provider{DefaultModel: "claude-opus-4-8"}, defaulted},
		{"own models keep their figures, presets outside the list go", "anthropic", platform.Provider{Models: []string{"claude-opus-4-8", "mine"}}, listed},
		{"a family makes it a provider of its own", "anthropic",
			platform.Provider{Family: "openai-chat", BaseURL: "http://h/v1", DefaultModel: "m"},
			provider.Provider{Slug: "anthropic", Name: "Anthropic", Family: "openai-chat", BaseURL: "http://h/v1",
				DefaultModel: "m", Cheap: "m", Frontier: "m", Models: []provider.Model{{ID: "m", Name: "m"}}}},
		{"a new one", "mine", platform.Provider{Name: "Mine", BaseURL: "http://h/v1", KeyEnv: "K", Models: []string{"a", "b"}, Cheap: "b"},
			provider.Provider{Slug: "mine", Name: "Mine", Family: "openai-chat", BaseURL: "http://h/v1", KeyEnvs: []string{"K"}, KeyNeeded: true,
				DefaultModel: "a", Cheap: "b", Frontier: "a", Models: []provider.Model{{ID: "a", Name: "a"}, {ID: "b", Name: "b"}}}},
		{"a default that is not listed is offered too", "mine", platform.Provider{Models: []string{"a"}, DefaultModel: "z"},
			provider.Provider{Slug: "mine", Name: "mine", Family: "openai-chat", DefaultModel: "z", Cheap: "z", Frontier: "z",
				Models: []provider.Model{{ID: "z", Name: "z"}, {ID: "a", Name: "a"}}}},
		{"nothing said", "mine", platform.Provider{}, provider.Provider{Slug: "mine", Name: "mine", Family: "openai-chat"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := provider.Load(map[string]platform.Provider{tt.slug: tt.own}).Get(tt.slug)
			if diff := cmp.Diff(tt.want, got); !ok || diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if again, _ := provider.Load(nil).Get("anthropic"); cmp.Diff(known, again) != "" {
		t.Error("an own provider changed the built-in catalogue")
	}
}

func TestOrder(t *testing.T) {
	own := map[string]platform.Provider{"zz": {}, "aa": {}, "openai": {BaseURL: "http://h/v1"}}
	var slugs []string
	for _, p := range provider.Load(own).All() {
		slugs = append(slugs, p.Slug)
	}
	if diff := cmp.Diff([]string{"aa", "zz", "anthropic", "openai", "gemini"}, slugs[:5]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if last := slugs[len(slugs)-1]; last != "custom" {
		t.Errorf("the last is %q, want the gaps at the end", last)
	}
}

func TestOwnProvidersAreBounded(t *testing.T) {
	own := map[string]platform.Provider{}
	for i := range 1000 {
		own[fmt.Sprintf("own-%04d", i)] = platform.Provider{Models: make([]string, 5000)}
	}
	cat := provider.Load(own)
	p, _ := cat.Get("own-0000")
	if n := len(cat.All()) - len(provider.Load(nil).All()); n != 256 || len(p.Models) > 1024 {
		t.Errorf("%d own providers, %d models", n, len(p.Models))
	}
}

func TestNear(t *testing.T) {
	cat := provider.Load(map[string]platform.Provider{"my-proxy": {}})
	for slug, want := range map[string]string{
		"antropic": "anthropic", "Anthropic ": "anthropic", "claude": "anthropic", "google": "gemini", "open-router": "openrouter",
		"my-proxi": "my-proxy", "mistrall": "mistral", "qqqqqqqqqqqq": "", "": "", strings.Repeat("a", 10_000): "",
	} {
		if got := cat.Near(slug); got != want {
			t.Errorf("%.20q: %q, want %q", slug, got, want)
		}
	}
}

func TestGetIgnoresLetterCase(t *testing.T) {
	if p, ok := provider.Load(nil).Get(" OpenAI"); !ok || p.Slug != "openai" {
		t.Errorf("got %q, %v", p.Slug, ok)
	}
}

// The contract: the options of all providers within 5 ms.
func BenchmarkOptions(b *testing.B) {
	own := map[string]platform.Provider{"mine": {BaseURL: "http://h/v1", Models: []string{"a", "b"}}}
	has := func(env string) bool { return env == "ANTHROPIC_API_KEY" }
	provider.Load(own)
	b.ReportAllocs()
	for b.Loop() {
		options := 0
		for _, p := range provider.Load(own).All() {
			if p.Usable(has) {
				options++
			}
			for _, m := range p.Models {
				options += len(m.Efforts)
			}
		}
		if options == 0 {
			b.Fatal("no options")
		}
	}
}
