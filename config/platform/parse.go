package platform

import (
	"errors"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"corehost/config/yamledit"
)

// Parse reads config.yaml in every shape people have. Unknown keys are
// skipped; a value that the service would write but cannot understand is a
// problem, at its place. A file without content is an empty Config.
func Parse(src []byte) (Config, *Problem) {
	root, err := yamledit.Parse(src)
	if err != nil {
		return Config{}, problem(err)
	}
	if root == nil {
		return Config{}, nil
	}
	var c Config
	if p := c.readModel(root); p != nil {
		return Config{}, p
	}
	if p := c.readAgent(root); p != nil {
		return Config{}, p
	}
	c.Providers = readProviders(root)
	return c, nil
}

// spellings are the keys a model's name is found under, best first.
var spellings = []string{KeyModel, "model.name", "model.model"}

func (c *Config) readModel(root *yaml.Node) *Problem {
	model, ok := yamledit.Lookup(root, "model")
	if !ok || isNull(model) {
		return nil
	}
	if model.Kind == yaml.ScalarNode {
		c.Model, c.ModelKey = model.Value, "model"
		return nil
	}
	if model.Kind != yaml.MappingNode {
		return at(model, "model is a list; a mapping with provider and default is expected")
	}
	var p *Problem
	if c.Provider, _, p = text(root, KeyProvider); p != nil {
		return p
	}
	for _, key := range spellings {
		name, set, p := text(root, key)
		if p != nil {
			return p
		}
		if set {
			c.Model, c.ModelKey = name, key
			break
		}
	}
	c.ContextLength = number(root, "model.context_length")
	return nil
}

func (c *Config) readAgent(root *yaml.Node) *Problem {
	agent, ok := yamledit.Lookup(root, "agent")
	if !ok || isNull(agent) {
		return nil
	}
	if agent.Kind != yaml.MappingNode {
		return at(agent, "agent is not a mapping")
	}
	var p *Problem
	c.Effort, c.EffortSet, p = text(root, KeyEffort)
	return p
}

// readProviders takes what it understands: a broken entry of a person's own
// provider must not hide the active model.
func readProviders(root *yaml.Node) map[string]Provider {
	list, ok := yamledit.Lookup(root, "providers")
	if !ok || list.Kind != yaml.MappingNode {
		return nil
	}
	providers := map[string]Provider{}
	for i := 0; i+1 < len(list.Content); i += 2 {
		slug := list.Content[i].Value
		entry, ok := yamledit.Lookup(root, "providers["+strconv.Quote(slug)+"]")
		if !ok || slug == "" || entry.Kind != yaml.MappingNode {
			continue
		}
		providers[slug] = readProvider(entry)
	}
	return providers
}

func readProvider(n *yaml.Node) Provider {
	get := func(key string) string {
		v, _, _ := text(n, key)
		return v
	}
	p := Provider{
		Name: get("name"), BaseURL: get("base_url"), Family: get("family"), KeyEnv: get("key_env"),
		DefaultModel: get("default_model"), Cheap: get("tiers.cheap"), Frontier: get("tiers.frontier"),
	}
	if models, ok := yamledit.Lookup(n, "models"); ok && models.Kind == yaml.SequenceNode {
		for _, m := range models.Content {
			if m.Kind == yaml.AliasNode {
				m = m.Alias
			}
			if m.Kind == yaml.ScalarNode && m.Value != "" {
				p.Models = append(p.Models, m.Value)
			}
		}
	}
	return p
}

// text reads a scalar; set tells a key without a value from no key at all.
func text(root *yaml.Node, path string) (value string, set bool, p *Problem) {
	n, ok := yamledit.Lookup(root, path)
	switch {
	case !ok:
		return "", false, nil
	case n.Kind != yaml.ScalarNode:
		return "", true, at(n, path+" is not a single value")
	case isNull(n):
		return "", true, nil
	default:
		return n.Value, true, nil
	}
}

func number(root *yaml.Node, path string) int {
	value, _, _ := text(root, path)
	n, err := strconv.Atoi(strings.ReplaceAll(value, "_", ""))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.ShortTag() == "!!null" }

func at(n *yaml.Node, message string) *Problem {
	return &Problem{Line: n.Line, Column: n.Column, Message: message}
}

// problem says the same about config.yaml that the editor said about YAML.
func problem(err error) *Problem {
	var e *yamledit.Error
	if errors.As(err, &e) {
		return &Problem{Line: e.Line, Column: e.Column, Message: e.Message}
	}
	return &Problem{Message: err.Error()}
}
