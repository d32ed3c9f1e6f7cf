package yamledit

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// set says how to give the path the value.
func (f *file) set(segments []segment, want *yaml.Node) ([]attempt, error) {
	if f.root == nil {
		if segments[0].match {
			return nil, fail(ErrUnsupported, 0, 0, "the document is not a list")
		}
		return f.begin(wrap(segments, want)), nil
	}
	p, err := f.walk(segments)
	if err != nil {
		return nil, err
	}
	switch p.state {
	case missing:
		return f.add(p, wrap(p.rest, want).Content)
	case hole:
		return f.instead(p, wrap(p.rest, want))
	}
	if err := f.own(p.value, p.path); err != nil {
		return nil, err
	}
	if want.Kind == yaml.ScalarNode && p.value.Kind == yaml.ScalarNode {
		return f.rewrite(p, want)
	}
	return f.instead(p, want)
}

// begin writes the first content of a document that has none.
func (f *file) begin(root *yaml.Node) []attempt {
	text := f.style(nil).pairs(root, "") + f.newline()
	var attempts []attempt
	for _, at := range []int{len(f.src), f.endMarker()} {
		lead := ""
		if at > f.lines[0] && f.lines[len(f.lines)-1] != at && !slices.Contains(f.lines, at) {
			lead = f.newline()
		}
		attempts = append(attempts, attempt{splices: []splice{{at, at, lead + text}}, root: root})
	}
	return attempts
}

// endMarker is where the line ... begins; the end of the file without one.
func (f *file) endMarker() int {
	for _, start := range f.lines {
		if f.has(start, "...") {
			return start
		}
	}
	return len(f.src)
}

// rewrite puts a scalar in the place of a scalar, in its quoting style.
func (f *file) rewrite(p place, want *yaml.Node) ([]attempt, error) {
	if p.value.Style&yaml.TaggedStyle != 0 && p.value.ShortTag() != want.Tag {
		return nil, f.fail(ErrUnsupported, p.value, "%s has the tag %s, which the new value does not fit", p.path, p.value.ShortTag())
	}
	want.Anchor = p.value.Anchor
	splices, err := f.over(p, scalar(want, p.value.Style))
	if err != nil {
		return nil, err
	}
	return []attempt{p.becomes(want, splices)}, nil
}

// over are the splices that put one line of text in the place of a value.
// Anchor, tag and comments stay.
func (f *file) over(p place, text string) ([]splice, error) {
	v := p.value
	if isEmpty(v) && v.Anchor == "" && v.Style == 0 {
		return f.into(p, text)
	}
	from, err := f.content(v)
	if err != nil {
		return nil, err
	}
	if isEmpty(v) {
		return []splice{{from, from, " " + text}}, nil
	}
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		b, err := f.block(v, from)
		if err != nil {
			return nil, err
		}
		end, err := f.match(v.Value, b.body)
		if end <= b.body {
			return []splice{{from, b.header, text}}, err
		}
		return []splice{{from, b.header, text}, {b.line, f.lineEnd(end), ""}}, err
	}
	to, err := f.end(v)
	return []splice{{from, to, text}}, err
}

// into are the splices that put text where a null has no characters.
func (f *file) into(p place, text string) ([]splice, error) {
	if p.parent.Kind == yaml.SequenceNode {
		at, err := f.itemEnd(p.parent, p.index)
		return []splice{{at, at, " " + text}}, err
	}
	at, ok, err := f.colon(p.parent, p.index)
	if err == nil && !ok {
		if !f.isFlow(p.parent) {
			return nil, f.fail(ErrUnsupported, p.value, "%s has no colon", p.path)
		}
		text = ":" + " " + text
		return []splice{{at, at, text}}, nil
	}
	return []splice{{at, at, " " + text}}, err
}

// instead puts a value of another kind in the place of one: a collection for
// a null or a scalar, a scalar or a list for a collection.
func (f *file) instead(p place, want *yaml.Node) ([]attempt, error) {
	old := p.value
	if err := f.removable(old, p.path); err != nil {
		return nil, err
	}
	if old.Kind == yaml.MappingNode || old.Kind == yaml.SequenceNode {
		if commented, err := f.commented(old); err != nil {
			return nil, err
		} else if commented {
			return nil, f.fail(ErrUnsupported, old, "%s has comments inside that would be lost", p.path)
		}
	}
	want.Anchor = old.Anchor
	var attempts []attempt
	try := func(splices []splice, err error) {
		if err == nil && splices != nil {
			attempts = append(attempts, p.becomes(want, splices))
		}
	}
	if want.Kind != yaml.ScalarNode && len(want.Content) > 0 {
		try(f.lower(p, want))
	}
	if old.Kind == yaml.ScalarNode || old.Kind == yaml.AliasNode || f.isFlow(old) {
		splices, err := f.over(p, flow(want))
		if err != nil {
			return nil, err
		}
		try(splices, nil)
	} else {
		try(f.collapse(p, flow(want)))
	}
	return attempts, nil
}

// becomes is the attempt after which the place has the value.
func (p place) becomes(n *yaml.Node, splices []splice) attempt {
	content := slices.Clone(p.parent.Content)
	if p.parent.Kind == yaml.MappingNode {
		content[p.index+1] = n
	} else {
		content[p.index] = n
	}
	return attempt{splices: splices, node: p.parent, content: content}
}

// lower writes a collection on the lines below its key, in block style.
func (f *file) lower(p place, want *yaml.Node) ([]splice, error) {
	old := p.value
	if p.parent.Kind != yaml.MappingNode || f.isFlow(p.parent) {
		return nil, nil
	}
	start, err := f.pairStart(p.parent, p.index)
	if err != nil {
		return nil, err
	}
	s, indent := f.style(p.parent), f.indent(start)
	if old.Kind == yaml.SequenceNode && want.Kind == yaml.SequenceNode && !f.isFlow(old) {
		return f.relist(old, want, s)
	}
	if old.Kind != yaml.ScalarNode && old.Kind != yaml.AliasNode && len(old.Content) > 0 {
		return nil, nil
	}
	if want.Kind == yaml.SequenceNode && want.Content[0].Kind == yaml.ScalarNode {
		return nil, nil
	}
	colon, ok, err := f.colon(p.parent, p.index)
	if err != nil || !ok {
		return nil, err
	}
	end, err := f.pairEnd(p.parent, p.index)
	if err != nil {
		return nil, err
	}
	from, err := f.content(old)
	if err != nil {
		return nil, err
	}
	plainly := old.Anchor == "" && old.Style&(yaml.TaggedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if !plainly || !isEmpty(old) && f.blanks(colon) != from {
		return nil, nil
	}
	eol := f.lineEnd(end)
	if rest := f.blanks(end); rest < eol && f.src[rest] != '#' {
		return nil, nil
	}
	return []splice{{colon, end, ""}, {eol, eol, s.newline + s.below(want, indent)}}, nil
}

// relist writes the items of a block list anew, each behind its dash.
func (f *file) relist(old, want *yaml.Node, s style) ([]splice, error) {
	from, to, err := f.extent(old)
	if err != nil {
		return nil, err
	}
	indent := f.indent(from)
	items := make([]string, len(want.Content))
	for i, item := range want.Content {
		items[i] = "- " + s.item(item, indent+"  ", false)
	}
	return []splice{{from, to, strings.Join(items, s.newline+indent)}}, nil
}
