package yamledit

import "gopkg.in/yaml.v3"

// maxAliases bounds a chain of aliases; the parser makes none longer than one.
const maxAliases = 16

// Lookup finds the value at a path such as spec.units[name=core-gateway].state
// or providers["a.b"].base_url. It reads through aliases and merge keys; an
// explicit key wins over a merged one. Of several items that match, the first
// is found.
func Lookup(root *yaml.Node, path string) (*yaml.Node, bool) {
	segments, err := parsePath(path)
	if err != nil || root == nil {
		return nil, false
	}
	return lookup(root, segments)
}

func lookup(n *yaml.Node, segments []segment) (*yaml.Node, bool) {
	n = resolve(n)
	for _, s := range segments {
		var next *yaml.Node
		if s.match {
			next = item(n, s)
		} else {
			next = value(n, s.key)
		}
		if next == nil {
			return nil, false
		}
		n = resolve(next)
	}
	return n, true
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for range maxAliases {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// value is the value of a key, explicit or merged; nil when there is none.
func value(m *yaml.Node, key string) *yaml.Node {
	return merged(m, key, map[*yaml.Node]bool{})
}

func merged(m *yaml.Node, key string, seen map[*yaml.Node]bool) *yaml.Node {
	m = resolve(m)
	if m.Kind != yaml.MappingNode || seen[m] {
		return nil
	}
	seen[m] = true
	if i := pairOf(m, key); i >= 0 {
		return m.Content[i+1]
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].ShortTag() != "!!merge" {
			continue
		}
		from := resolve(m.Content[i+1])
		if from.Kind != yaml.SequenceNode {
			return merged(from, key, seen)
		}
		for _, each := range from.Content {
			if v := merged(each, key, seen); v != nil {
				return v
			}
		}
	}
	return nil
}

// pairOf is the index of an explicit key in m.Content; -1 when it is not there.
func pairOf(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		k := resolve(m.Content[i])
		if k.Kind == yaml.ScalarNode && k.Value == key && k.ShortTag() != "!!merge" {
			return i
		}
	}
	return -1
}

// item is the first item of a list whose field has the value.
func item(list *yaml.Node, s segment) *yaml.Node {
	if list.Kind != yaml.SequenceNode {
		return nil
	}
	for _, each := range list.Content {
		if matches(each, s) {
			return each
		}
	}
	return nil
}

func matches(item *yaml.Node, s segment) bool {
	v := value(item, s.key)
	if v == nil {
		return false
	}
	v = resolve(v)
	return v.Kind == yaml.ScalarNode && v.Value == s.value
}

// isEmpty reports a null that has no characters of its own, as in "key:".
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}
