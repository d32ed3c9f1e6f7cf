package platform_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
)

func TestBoundsAgree(t *testing.T) {
	if home.MaxFile != yamledit.MaxSize {
		t.Errorf("the door takes %d bytes, the editor %d", home.MaxFile, yamledit.MaxSize)
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, src string
		want      platform.Config
	}{
		{"empty", "", platform.Config{}},
		{"comments only", "# nothing\n", platform.Config{}},
		{"mapping", "model:\n  provider: anthropic\n  default: claude\n  context_length: 200_000\nagent:\n  reasoning_effort: high\n",
			platform.Config{Provider: "anthropic", Model: "claude", ModelKey: "model.default", Effort: "high", EffortSet: true, ContextLength: 200000}},
		{"flow, CRLF, BOM", "\ufeffmodel: {provider: 'a', default: \"b\"}\r\nagent: {reasoning_effort: low}\r\n",
			platform.Config{Provider: "a", Model: "b", ModelKey: "model.default", Effort: "low", EffortSet: true}},
		{"scalar", "model: claude\n", platform.Config{Model: "claude", ModelKey: "model"}},
		{"name", "model: {provider: a, name: b}\n", platform.Config{Provider: "a", Model: "b", ModelKey: "model.name"}},
		{"model", "model: {model: b}\n", platform.Config{Model: "b", ModelKey: "model.model"}},
		{"default wins", "model: {name: n, model: m, default: d}\n", platform.Config{Model: "d", ModelKey: "model.default"}},
		{"anchors", "d: &d {provider: a, default: b}\nmodel: *d\nagent:\n  <<: {reasoning_effort: medium}\n",
			platform.Config{Provider: "a", Model: "b", ModelKey: "model.default", Effort: "medium", EffortSet: true}},
		{"nulls", "model:\nagent:\n  reasoning_effort:\n", platform.Config{EffortSet: true}},
		{"off is a text", "agent: {reasoning_effort: off}\n", platform.Config{Effort: "off", EffortSet: true}},
		{"blank model", "model: {provider: a, default: ''}\n", platform.Config{Provider: "a", ModelKey: "model.default"}},
		{"own providers", "providers:\n  my.one:\n    name: Mine\n    base_url: http://h/v1\n    family: openai-chat\n    key_env: MY_KEY\n    default_model: m1\n    models: [m1, m2]\n    tiers: {cheap: m1, frontier: m2}\n  broken: 5\n",
			platform.Config{Providers: map[string]platform.Provider{"my.one": {
				Name: "Mine", BaseURL: "http://h/v1", Family: "openai-chat", KeyEnv: "MY_KEY", DefaultModel: "m1",
				Models: []string{"m1", "m2"}, Cheap: "m1", Frontier: "m2",
			}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, p := platform.Parse([]byte(tt.src))
			if p != nil {
				t.Fatal(p)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestParseSaysWhereItIsBroken(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"syntax", "a: 1\nmodel:\n  provider: [x\nb: 2\n", "config.yaml:4:4: "},
		{"indentation", "model:\n  provider: x\n default: y\n", "config.yaml:3:"},
		{"tab", "model:\n\tprovider: x\n", "config.yaml:2:1: "},
		{"quote", "model:\n  provider: \"x\n", "config.yaml:2:"},
		{"duplicate", "model:\n  provider: x\n  provider: y\n", "config.yaml:3:3: the key \"provider\""},
		{"unknown anchor", "a: 1\nmodel: *none\n", "config.yaml:2:"},
		{"list", "model: [a]\n", "config.yaml:1:8: model is a list"},
		{"mapping", "model:\n  provider: {a: 1}\n", "config.yaml:2:13: model.provider"},
		{"agent", "agent: x\n", "config.yaml:1:8: agent is not a mapping"},
		{"two documents", "a: 1\n---\nb: 1\n", "config.yaml:2:1: "},
		{"NUL", "a: 1\nb: \x00\n", "config.yaml:2:4: "},
		{"UTF-8", "a: é\nb: é\xff\n", "config.yaml:2:5: "},
		{"list at the top", "- a\n", "config.yaml:1:1: "},
		{"too large", strings.Repeat("#\n", 5<<20), "config.yaml: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, p := platform.Parse([]byte(tt.src))
			if p == nil || !strings.HasPrefix(p.Error(), tt.want) {
				t.Fatalf("got %v, want %s", p, tt.want)
			}
			if diff := cmp.Diff(platform.Config{}, got); diff != "" {
				t.Errorf("half read: %s", diff)
			}
			if _, err := platform.Edit([]byte(tt.src), yamledit.Set(platform.KeyModel, "x")); !errors.As(err, &p) {
				t.Errorf("the edit said %v", err)
			}
		})
	}
}

func TestEdit(t *testing.T) {
	provider := yamledit.Set(platform.KeyProvider, "openai")
	model := yamledit.Set(platform.KeyModel, "gpt")
	off := yamledit.Remove(platform.KeyEffort)
	tests := []struct {
		name, src string
		edits     []yamledit.Edit
		want      string
	}{
		{"mapping", "model:\n  provider: a  # p\n  default: \"b\" # m\n", []yamledit.Edit{provider, model}, "model:\n  provider: openai  # p\n  default: \"gpt\" # m\n"},
		{"empty", "", []yamledit.Edit{provider, model}, "model:\n  provider: openai\n  default: gpt\n"},
		{"null", "model: # soon\nz: 1\n", []yamledit.Edit{provider, model}, "model: # soon\n  provider: openai\n  default: gpt\nz: 1\n"},
		{"scalar, both", "model: claude # mine\nz: 1\n", []yamledit.Edit{provider, model}, "model:\n  default: gpt # mine\n  provider: openai\nz: 1\n"},
		{"scalar, provider only", "model: 'claude' # mine\n", []yamledit.Edit{provider}, "model:\n  default: 'claude' # mine\n  provider: openai\n"},
		{"scalar, same model", "model: gpt\n", []yamledit.Edit{model}, "model: gpt\n"},
		{"scalar in flow", "{model: claude}\n", []yamledit.Edit{model}, "{model: {default: gpt}}\n"},
		{"scalar, literal", "model: |\n  claude\nz: 1\n", []yamledit.Edit{model}, "model: {default: \"gpt\"}\nz: 1\n"},
		{"name", "model:\n  name: b # m\n", []yamledit.Edit{model}, "model:\n  name: gpt # m\n  default: gpt\n"},
		{"model and name", "model: {model: b, name: b}\n", []yamledit.Edit{model}, "model: {model: gpt, name: gpt, default: gpt}\n"},
		{"a title is no spelling", "model: {default: b, name: My model}\n", []yamledit.Edit{model}, "model: {default: gpt, name: My model}\n"},
		{"effort set", "agent:\n  x: 1\n", []yamledit.Edit{yamledit.Set(platform.KeyEffort, "high")}, "agent:\n  x: 1\n  reasoning_effort: high\n"},
		{"effort off", "agent:\n  x: 1\n  reasoning_effort: high # c\n", []yamledit.Edit{off}, "agent:\n  x: 1\n  # c\n"},
		{"effort off, nothing else", "agent:\n  reasoning_effort: high\nz: 1\n", []yamledit.Edit{off}, "agent: {}\nz: 1\n"},
		{"effort off already", "agent:\n  x: 1\n", []yamledit.Edit{off}, "agent:\n  x: 1\n"},
		{"effort back", "agent: {}\nz: 1\n", []yamledit.Edit{yamledit.Set(platform.KeyEffort, "high")}, "agent:\n  reasoning_effort: high\nz: 1\n"},
		{"model removed in every spelling", "model: {provider: a, name: b}\n", []yamledit.Edit{yamledit.Remove(platform.KeyModel)}, "model: {provider: a}\n"},
		{"scalar removed", "model: b\nz: 1\n", []yamledit.Edit{yamledit.Remove(platform.KeyModel)}, "model: {}\nz: 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := platform.Edit([]byte(tt.src), tt.edits...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestEditRefusesSharedValues(t *testing.T) {
	for _, src := range []string{
		"d: &d {provider: a}\nmodel: *d\n",
		"model: &m claude\nother: *m\n",
		"model: &m {provider: a, default: b}\nother: *m\n",
	} {
		if got, err := platform.Edit([]byte(src), yamledit.Set(platform.KeyModel, "x")); !errors.Is(err, yamledit.ErrShared) {
			t.Errorf("%q: %q, %v", src, got, err)
		}
	}
}
