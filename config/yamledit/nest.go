package yamledit

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// nest says how to turn a scalar into a mapping that holds it under key.
func (f *file) nest(segments []segment, key string) ([]attempt, error) {
	if f.root == nil {
		return nil, nil
	}
	have, ok := lookup(f.root, segments)
	if !ok || have.Kind != yaml.ScalarNode || have.ShortTag() == "!!null" {
		return nil, nil
	}
	p, err := f.walk(segments)
	if err != nil {
		return nil, err
	}
	if p.state != found || p.parent.Kind != yaml.MappingNode {
		return nil, f.fail(ErrShared, p.parent, "%s comes from a merge key", p.path)
	}
	colon, ok, err := f.colon(p.parent, p.index)
	if err != nil || !ok {
		return nil, errLost
	}
	end, err := f.end(p.value)
	if err != nil {
		return nil, err
	}
	start, err := f.pairStart(p.parent, p.index)
	if err != nil {
		return nil, err
	}
	s, name := f.style(p.parent), scalar(textNode(key), 0)
	whole := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{textNode(key), p.value}}
	var attempts []attempt
	if !f.isFlow(p.parent) {
		below := s.newline + f.indent(start) + s.step + name + ":"
		attempts = append(attempts, p.becomes(whole, []splice{{colon, colon, below}}))
	}
	open := " {" + name + ":"
	if !isBlank(f.src[colon]) && f.breakAt(colon) == 0 {
		open += " "
	}
	attempts = append(attempts, p.becomes(whole, []splice{{colon, colon, open}, {end, end, "}"}}))
	if p.value.Kind != yaml.ScalarNode || p.value.Anchor != "" || p.value.Style&yaml.TaggedStyle != 0 {
		return attempts, nil
	}
	copied := *p.value
	copied.Tag, copied.Style = p.value.ShortTag(), 0
	again := *whole
	again.Content = slices.Clone(whole.Content)
	again.Content[1] = &copied
	if splices, err := f.over(p, flow(&again)); err == nil {
		attempts = append(attempts, p.becomes(&again, splices))
	}
	return attempts, nil
}
