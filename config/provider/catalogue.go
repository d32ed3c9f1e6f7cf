package provider

import (
	"maps"
	"slices"
	"strings"

	"corehost/config/platform"
)

// Bounds of what a config.yaml may add; the rest is left out, in the order of
// the slugs and of the list.
const (
	maxOwn    = 256  // own providers
	maxModels = 1024 // models of one own provider
)

// Catalogue is every provider one installation can mean. It is immutable and
// safe for concurrent use.
type Catalogue struct {
	order  []Provider
	bySlug map[string]int
}

// Load joins the built-in catalogue with the user's own providers. An own
// provider with an equal slug wins: one that names its family replaces the
// known provider, one that does not amends it value by value, so that a
// base_url alone just moves the address. Load is cheap: the built-in part is
// decoded once in the life of the program.
func Load(own map[string]platform.Provider) *Catalogue {
	known := builtin()
	c := &Catalogue{bySlug: make(map[string]int, len(known)+len(own))}
	amended := make(map[string]Provider, len(own))
	slugs := slices.Sorted(maps.Keys(own))
	for _, slug := range slugs[:min(len(slugs), maxOwn)] {
		i := slices.IndexFunc(known, func(p Provider) bool { return p.Slug == slug })
		if i < 0 {
			c.add(define(slug, own[slug], Provider{}))
			continue
		}
		amended[slug] = define(slug, own[slug], known[i])
	}
	for _, p := range known {
		if mine, ok := amended[p.Slug]; ok {
			p = mine
		}
		c.add(p)
	}
	return c
}

// Get returns the provider of a slug, as written or in lower case.
func (c *Catalogue) Get(slug string) (Provider, bool) {
	for _, s := range []string{slug, strings.ToLower(strings.TrimSpace(slug))} {
		if i, ok := c.bySlug[s]; ok {
			return c.order[i], true
		}
	}
	return Provider{}, false
}

// All lists the providers in a stable order: the user's own by slug, the
// catalogue in its order with the main providers first, then the gaps.
func (c *Catalogue) All() []Provider { return slices.Clone(c.order) }

// Near is the slug a mistyped one most likely means; empty when none is
// close.
func (c *Catalogue) Near(slug string) string {
	want := strings.ToLower(strings.TrimSpace(slug))
	if alias, ok := aliases[want]; ok {
		if _, known := c.bySlug[alias]; known {
			return alias
		}
	}
	best, distance := "", min(max(len(want)/3, 1), maxTypos)+1
	for _, p := range c.order {
		for _, name := range []string{p.Slug, strings.ToLower(p.Name)} {
			if d := editDistance(want, name); d < distance {
				best, distance = p.Slug, d
			}
		}
	}
	return best
}

// aliases are names people use for a provider besides its slug and name.
var aliases = map[string]string{
	"claude": "anthropic", "gpt": "openai", "chatgpt": "openai", "google": "gemini", "grok": "xai",
	"kimi": "kimi-coding", "glm": "zai", "qwen": "alibaba-singapore", "hf": "huggingface",
	"aws": "bedrock", "vertex": "vertexai", "nim": "nvidia", "lm-studio": "lmstudio", "nousresearch": "nous",
}

func (c *Catalogue) add(p Provider) {
	c.bySlug[p.Slug] = len(c.order)
	c.order = append(c.order, p)
}

// maxSlug bounds the work of a comparison; no slug is longer. Beyond maxTypos
// edits a name is another name.
const (
	maxSlug  = 64
	maxTypos = 4
)

// editDistance is the Levenshtein distance in bytes; far for long strings.
func editDistance(a, b string) int {
	if len(a) > maxSlug || len(b) > maxSlug {
		return maxSlug
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
