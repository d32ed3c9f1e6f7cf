package yamledit

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// remove says how to take the pair or item at a path away.
func (f *file) remove(segments []segment) ([]attempt, error) {
	if f.root == nil {
		return nil, nil
	}
	if _, ok := lookup(f.root, segments); !ok {
		return nil, nil
	}
	p, err := f.walk(segments)
	if err != nil {
		return nil, err
	}
	if p.state != found {
		return nil, f.fail(ErrShared, p.parent, "%s comes from a merge key and cannot be removed here", p.path)
	}
	width := 1
	if p.parent.Kind == yaml.MappingNode {
		width = 2
	}
	for _, n := range p.parent.Content[p.index : p.index+width] {
		if err := f.removable(n, p.path); err != nil {
			return nil, err
		}
	}
	rest := slices.Delete(slices.Clone(p.parent.Content), p.index, p.index+width)
	a := attempt{node: p.parent, content: rest}
	switch {
	case f.isFlow(p.parent):
		a.splices, err = f.cutFlow(p, width)
	case len(rest) > 0:
		a.splices, err = f.cutBlock(p, width)
	case p.owner == nil:
		return f.empty(p)
	default:
		empty := "{}"
		if p.parent.Kind == yaml.SequenceNode {
			empty = "[]"
		}
		a.splices, err = f.collapse(place{parent: p.owner, index: p.at, value: p.parent}, empty)
		if err == nil {
			a.splices, err = f.spare(p, a.splices)
		}
	}
	if err != nil {
		return nil, err
	}
	if v := value(p.parent, segments[len(segments)-1].key); p.parent.Kind == yaml.MappingNode && v != nil {
		return f.uncovered(p, segments, a)
	}
	return []attempt{a}, nil
}

// empty takes the last key of the document away. Where the parser wants
// content, before an end marker, {} stays.
func (f *file) empty(p place) ([]attempt, error) {
	from, to, err := f.bounds(p)
	if err != nil {
		return nil, err
	}
	splices, err := f.cutBlock(p, 2)
	if err != nil {
		return nil, err
	}
	braces := []splice{{from, to, "{}"}}
	if len(splices) > 1 {
		braces = append([]splice{{from, from, "{}" + f.newline()}}, splices...)
	}
	return []attempt{{splices: splices}, {splices: braces, node: p.parent}}, nil
}

// uncovered refuses to remove a key below which a merge key has the same one.
func (f *file) uncovered(p place, segments []segment, a attempt) ([]attempt, error) {
	before := p.parent.Content
	p.parent.Content = slices.Delete(slices.Clone(before), p.index, p.index+2)
	v := value(p.parent, segments[len(segments)-1].key)
	p.parent.Content = before
	if v != nil {
		return nil, f.fail(ErrShared, p.value, "%s would come back from a merge key; it stands in line %d, too", p.path, v.Line)
	}
	return []attempt{a}, nil
}

// collapse puts a short text in the place of a block collection: behind the
// colon or dash it belongs to.
func (f *file) collapse(p place, text string) ([]splice, error) {
	v := p.value
	start, err := f.start(v)
	if err != nil {
		return nil, err
	}
	props, err := f.props(v)
	if err != nil {
		return nil, err
	}
	from, to, err := f.extent(v)
	if err != nil {
		return nil, err
	}
	var at int
	if p.parent.Kind == yaml.MappingNode {
		at, _, err = f.colon(p.parent, p.index)
	} else {
		at, err = f.dash(p.parent, p.index)
		at++
	}
	if err != nil {
		return nil, err
	}
	if props > start {
		at = props
	}
	if f.lineStart(at) == f.lineStart(from) && f.blanks(at) == from {
		return []splice{{from, to, text}}, nil
	}
	return []splice{{at, at, " " + text}, f.tidy(from, to)}, nil
}

// spare is collapse for the removal of the last entry: the comments inside its
// pair stay.
func (f *file) spare(p place, collapsed []splice) ([]splice, error) {
	from, to, err := f.bounds(p)
	if err != nil || p.parent.Kind != yaml.MappingNode || !isText(p.value) {
		return collapsed, err
	}
	parts, err := f.cutAround(p, from, to)
	if err != nil || len(parts) == 1 {
		return collapsed, err
	}
	first := collapsed[0]
	if len(collapsed) == 1 {
		first = splice{from, from, first.text + " "}
	}
	return append([]splice{first}, parts...), nil
}
