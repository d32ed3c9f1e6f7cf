package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/config/platform"
	"corehost/config/provider"
)

func TestResolve(t *testing.T) {
	none := provider.Resolution{ProviderSource: "none", ModelSource: "none", Effort: "off", EffortSource: "default"}
	tests := []struct {
		name string
		cfg  platform.Config
		keys []string
		want provider.Resolution
	}{
		{"config says all", platform.Config{Provider: "anthropic", Model: "claude-opus-4-8", Effort: "high", EffortSet: true}, []string{"OPENAI_API_KEY"},
			provider.Resolution{Provider: "anthropic", ProviderSource: "config", Model: "claude-opus-4-8", ModelSource: "config",
				Effort: "high", EffortSource: "config", Context: 1000000, AutoContext: 1000000}},
		{"config names the provider alone", platform.Config{Provider: "anthropic"}, nil,
			provider.Resolution{Provider: "anthropic", ProviderSource: "config", Model: "claude-sonnet-4-6", ModelSource: "default",
				Effort: "off", EffortSource: "default", Context: 200000, AutoContext: 200000}},
		{"a context length of one's own", platform.Config{Provider: "anthropic", ContextLength: 64000}, nil,
			provider.Resolution{Provider: "anthropic", ProviderSource: "config", Model: "claude-sonnet-4-6", ModelSource: "default",
				Effort: "off", EffortSource: "default", Context: 64000, AutoContext: 200000, ConfigContext: 64000}},
		{"a model nobody knows", platform.Config{Provider: "anthropic", Model: "claude-next"}, nil,
			provider.Resolution{Provider: "anthropic", ProviderSource: "config", Model: "claude-next", ModelSource: "config", Effort: "off", EffortSource: "default"}},
		{"a provider nobody knows", platform.Config{Provider: "nobody"}, nil,
			provider.Resolution{Provider: "nobody", ProviderSource: "config", ModelSource: "none", Effort: "off", EffortSource: "default"}},
		{"the first key at hand", platform.Config{}, []string{"DEEPSEEK_API_KEY", "OPENAI_API_KEY"},
			provider.Resolution{Provider: "openai", ProviderSource: "environment", Model: "gpt-5.6-sol", ModelSource: "default",
				Effort: "off", EffortSource: "default", Context: 1050000, AutoContext: 1050000}},
		{"the key that offers the model", platform.Config{Model: "deepseek-v4-pro"}, []string{"OPENAI_API_KEY", "DEEPSEEK_API_KEY"},
			provider.Resolution{Provider: "deepseek", ProviderSource: "environment", Model: "deepseek-v4-pro", ModelSource: "config",
				Effort: "off", EffortSource: "default", Context: 1000000, AutoContext: 1000000}},
		{"nothing at hand, although a local provider needs no key", platform.Config{}, nil, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys := map[string]bool{}
			for _, k := range tt.keys {
				keys[k] = true
			}
			got := provider.Resolve(tt.cfg, provider.Load(tt.cfg.Providers), func(env string) bool { return keys[env] })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveEffort(t *testing.T) {
	for written, want := range map[string]string{"HIGH": "high", " low ": "low", "": "off", "none": "off", "False": "off", "off": "off", "xhigh": "xhigh"} {
		r := provider.Resolve(platform.Config{Effort: written, EffortSet: true}, provider.Load(nil), func(string) bool { return false })
		if r.Effort != want || r.EffortSource != "config" {
			t.Errorf("%q: %q from %s, want %q", written, r.Effort, r.EffortSource, want)
		}
	}
}

func TestUsable(t *testing.T) {
	for value, want := range map[string]bool{
		"sk-ant-api03-AAAA": true, "gsk_1234": true, "  sk-1234\n": true, "abcd": true, "xai-1": true,
		"": false, "abc": false, "***": false, "****************": false, "changeme": false, "CHANGE_ME": false,
		"your-api-key-here": false, "your_openai_key": false, "<your key>": false, "<KEY>": false, "${OPENAI_API_KEY}": false,
		"sk-...": false, "sk-xxxxxxxxxxxx": false, "xxxxxxxx": false, "two words": false, `"changeme"`: false, "null": false,
	} {
		if got := provider.Usable(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
