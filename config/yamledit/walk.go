package yamledit

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// state is how far a path leads in the file's own text.
type state int

const (
	found   state = iota // to a value
	missing              // to a collection that lacks the rest
	hole                 // to a null, in which the rest has to be made
)

// place is where a path ends in the text.
type place struct {
	state  state
	path   string     // as far as it was followed, for people
	parent *yaml.Node // the mapping or list
	index  int        // found, hole: of the pair's key or the item in parent.Content
	value  *yaml.Node // found, hole: the pair's value or the item
	rest   []segment  // missing, hole: the segments that are not there
	owner  *yaml.Node // the collection that holds parent; nil for the root
	at     int        // parent's pair or item in owner.Content
}

// walk follows a path through the text. It refuses to go where other places
// would change, too.
func (f *file) walk(segments []segment) (place, error) {
	p := place{parent: f.root}
	for i, s := range segments {
		p.rest = segments[i:]
		if err := f.own(p.parent, p.path); err != nil {
			return p, err
		}
		if err := f.find(&p, s); err != nil || p.state == missing {
			return p, err
		}
		p.rest = segments[i+1:]
		if len(p.rest) == 0 {
			return p, nil
		}
		switch next := p.value; {
		case next.Kind == yaml.AliasNode:
			return p, f.fail(ErrShared, next, "%s is the alias *%s; its value stands in line %d and other places share it", p.path, next.Value, next.Alias.Line)
		case next.Kind == yaml.ScalarNode && next.ShortTag() == "!!null":
			p.state = hole
			return p, f.own(next, p.path)
		default:
			p.owner, p.at, p.parent = p.parent, p.index, next
		}
	}
	return p, nil
}

// own refuses a node that an alias shows at another place, too.
func (f *file) own(n *yaml.Node, path string) error {
	if len(f.aliases[n]) == 0 {
		return nil
	}
	if path == "" {
		path = "the document"
	}
	return f.fail(ErrShared, n, "%s has the anchor &%s and line %d shares it: a change here would change it there", path, n.Anchor, f.aliases[n][0].Line)
}

// find looks for one segment in p.parent.
func (f *file) find(p *place, s segment) error {
	within := p.path
	p.path = strings.TrimPrefix(within+s.String(), ".")
	want, what := yaml.MappingNode, "mapping"
	if s.match {
		want, what = yaml.SequenceNode, "list"
	}
	if p.parent.Kind != want {
		return f.fail(ErrUnsupported, p.parent, "%s is %s, not a %s", within, describe(p.parent), what)
	}
	if s.match {
		return f.findItem(p, s)
	}
	if i := pairOf(p.parent, s.key); i >= 0 {
		p.state, p.index, p.value = found, i, p.parent.Content[i+1]
		return nil
	}
	p.state = missing
	if v := value(p.parent, s.key); v != nil && len(p.rest) > 1 {
		return f.fail(ErrShared, p.parent, "%s comes from a merge key; it stands in line %d and other places share it", p.path, v.Line)
	}
	return nil
}

func (f *file) findItem(p *place, s segment) error {
	p.state = missing
	for i, item := range p.parent.Content {
		if !matches(item, s) {
			continue
		}
		if p.state == found {
			return f.fail(ErrUnsupported, item, "%s is there twice; the first is in line %d", p.path, p.value.Line)
		}
		p.state, p.index, p.value = found, i, item
	}
	return nil
}

// removable refuses to take a node away while something outside it is an
// alias of a part of it.
func (f *file) removable(n *yaml.Node, path string) error {
	inside := map[*yaml.Node]bool{}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		inside[n] = true
		for _, child := range n.Content {
			visit(child)
		}
	}
	visit(n)
	for target, aliases := range f.aliases {
		for _, alias := range aliases {
			if inside[target] && !inside[alias] {
				return f.fail(ErrShared, target, "%s has the anchor &%s and line %d shares it", path, target.Anchor, alias.Line)
			}
		}
	}
	return nil
}
