package yamledit

import "gopkg.in/yaml.v3"

// comparer proves that two trees say the same, place by place, anchor by
// anchor and alias by alias.
type comparer map[*yaml.Node]*yaml.Node

func (c comparer) same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.AliasNode {
		return c[a.Alias] == b.Alias
	}
	if a.Anchor != b.Anchor || a.ShortTag() != b.ShortTag() || a.Kind == yaml.ScalarNode && a.Value != b.Value {
		return false
	}
	c[a] = b
	for i := range a.Content {
		if !c.same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// holds reports whether a node has the wanted value already.
func holds(have, want *yaml.Node) bool {
	have = resolve(have)
	if have.Kind != want.Kind || have.ShortTag() != want.ShortTag() || len(have.Content) != len(want.Content) {
		return false
	}
	switch want.Kind {
	case yaml.ScalarNode:
		return have.Value == want.Value || sameNumber(have, want)
	case yaml.MappingNode:
		for i := 0; i+1 < len(want.Content); i += 2 {
			v := value(have, want.Content[i].Value)
			if v == nil || !holds(v, want.Content[i+1]) {
				return false
			}
		}
		return true
	}
	for i := range want.Content {
		if !holds(have.Content[i], want.Content[i]) {
			return false
		}
	}
	return true
}

// sameNumber knows that 0x0e is 14 and True is true.
func sameNumber(have, want *yaml.Node) bool {
	switch want.Tag {
	case "!!int":
		var a, b int
		return have.Decode(&a) == nil && want.Decode(&b) == nil && a == b
	case "!!bool":
		var a, b bool
		return have.Decode(&a) == nil && want.Decode(&b) == nil && a == b
	}
	return false
}
