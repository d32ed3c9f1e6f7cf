package desired

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// entry is one key of a mapping, its own or merged.
type entry struct {
	name       string
	key, value *yaml.Node
}

// entries lists the keys of a mapping. Its own win over merged ones, and of
// those the earlier over the later (yaml.org/type/merge).
func (d *decoder) entries(n *yaml.Node, field string) []entry {
	var list []entry
	d.collect(n, field, map[string]bool{}, &list, 0)
	return list
}

func (d *decoder) collect(n *yaml.Node, field string, seen map[string]bool, list *[]entry, depth int) {
	m := resolve(n)
	if depth > maxMerges {
		d.add(placeOf(n), field, "too many merge keys inside each other", "")
		return
	}
	if m.Kind != yaml.MappingNode {
		d.mismatch(n, field, "a mapping to merge", "")
		return
	}
	var merges []*yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := resolve(m.Content[i])
		switch {
		case key.Kind != yaml.ScalarNode:
			d.add(placeOf(m.Content[i]), field, "a key must be a plain name, this is "+describe(key), "")
		case key.ShortTag() == "!!merge":
			merges = append(merges, m.Content[i+1])
		case !seen[key.Value]:
			seen[key.Value] = true
			*list = append(*list, entry{name: key.Value, key: m.Content[i], value: m.Content[i+1]})
		}
	}
	for _, merge := range merges {
		sources := []*yaml.Node{merge}
		if s := resolve(merge); s.Kind == yaml.SequenceNode {
			sources = s.Content
		}
		for _, source := range sources {
			d.collect(source, field, seen, list, depth+1)
		}
	}
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func placeOf(n *yaml.Node) place { return place{n.Line, n.Column} }

func isNull(n *yaml.Node) bool {
	n = resolve(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe says in plain words what a node is.
func describe(n *yaml.Node) string {
	n = resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!str":
		return "text"
	case "!!int":
		return "a number"
	case "!!float":
		return "a number with a fraction"
	case "!!bool":
		return "true or false"
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "a date"
	}
	return "a value of another type"
}

func kindWord(k reflect.Kind) string {
	switch k {
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Slice:
		return "a list"
	case reflect.Int:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "text"
}
