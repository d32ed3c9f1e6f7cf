package yamledit

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// add puts a new pair (key and value) or a new item into p.parent.
func (f *file) add(p place, fresh []*yaml.Node) ([]attempt, error) {
	m := p.parent
	if f.isFlow(m) {
		return f.addFlow(p, fresh)
	}
	if m.Style&yaml.FlowStyle != 0 || len(m.Content) == 0 {
		return nil, f.fail(ErrUnsupported, m, "%s has no brackets to add to", p.path)
	}
	end, err := f.end(m)
	if err != nil {
		return nil, err
	}
	first, err := f.gapBefore(m, 0)
	if err != nil {
		return nil, err
	}
	step := 1
	if m.Kind == yaml.MappingNode {
		step = 2
	}
	last, err := f.gapBefore(m, len(m.Content)-step)
	if err != nil {
		return nil, err
	}
	indent := f.indent(last)
	text := f.entry(m, fresh, indent, last)
	nl := f.newline()
	var attempts []attempt
	eol := f.lineEnd(end)
	if rest := f.blanks(end); rest == eol || f.src[rest] == '#' {
		attempts = append(attempts, attempt{
			splices: []splice{{eol, eol, nl + indent + text}},
			node:    m, content: slices.Concat(m.Content, fresh),
		})
	}
	return append(attempts, attempt{
		splices: []splice{{first, first, text + nl + indent}},
		node:    m, content: slices.Concat(fresh, m.Content),
	}), nil
}

// entry is the text of a new pair or item of a block collection, like its
// last neighbour.
func (f *file) entry(m *yaml.Node, fresh []*yaml.Node, indent string, last int) string {
	s := f.style(m)
	if m.Kind == yaml.MappingNode {
		return s.pair(fresh[0], fresh[1], indent)
	}
	neighbour := m.Content[len(m.Content)-1]
	gap := " "
	if n := f.blanks(last + 1); n > last+1 && n < len(f.src) && f.breakAt(n) == 0 && f.src[n] != '#' {
		gap = string(f.src[last+1 : n])
	}
	block := neighbour.Kind == yaml.MappingNode && neighbour.Style&yaml.FlowStyle == 0
	return "-" + gap + s.item(fresh[0], indent+" "+strings.Repeat(" ", len(gap)), block)
}

// addFlow puts a pair or an item between brackets. Empty brackets below a key
// in block style give way to lines.
func (f *file) addFlow(p place, fresh []*yaml.Node) ([]attempt, error) {
	m := p.parent
	text := flow(fresh[0])
	if m.Kind == yaml.MappingNode {
		text += ": " + flow(fresh[1])
	}
	from, end, err := f.extent(m)
	if err != nil {
		return nil, err
	}
	after := slices.Concat(m.Content, fresh)
	if len(m.Content) == 0 {
		return f.open(p, fresh, attempt{splices: []splice{{from + 1, from + 1, text}}, node: m, content: after})
	}
	var last int
	if m.Kind == yaml.MappingNode {
		last, err = f.pairEnd(m, len(m.Content)-2)
	} else {
		last, err = f.end(m.Content[len(m.Content)-1])
	}
	if err != nil {
		return nil, err
	}
	at := splice{last, last, ", " + text}
	if comma := f.skip(last); comma < end && f.src[comma] == ',' {
		at = splice{comma + 1, comma + 1, " " + text}
	}
	return []attempt{
		{splices: []splice{at}, node: m, content: after},
		{splices: []splice{{from + 1, from + 1, text + ", "}}, node: m, content: slices.Concat(fresh, m.Content)},
	}, nil
}

// open tries lines in the place of empty brackets before what goes between them.
func (f *file) open(p place, fresh []*yaml.Node, between attempt) ([]attempt, error) {
	if p.owner == nil || p.owner.Kind != yaml.MappingNode {
		return []attempt{between}, nil
	}
	if commented, err := f.commented(p.parent); err != nil || commented {
		return []attempt{between}, err
	}
	outer := place{parent: p.owner, index: p.at, value: p.parent, path: p.path}
	whole := &yaml.Node{Kind: p.parent.Kind, Tag: p.parent.ShortTag(), Content: fresh}
	splices, err := f.lower(outer, whole)
	if err != nil || splices == nil {
		return []attempt{between}, err
	}
	return []attempt{outer.becomes(whole, splices), between}, nil
}

// style is how the file lays out collections, as near to a mapping as can be
// told.
func (f *file) style(near *yaml.Node) style {
	s := style{newline: f.newline()}
	for _, n := range []*yaml.Node{near, f.root} {
		if n != nil {
			s.learn(n)
		}
	}
	if s.step == "" {
		s.step = "  "
	}
	if !s.listed {
		s.list = s.step
	}
	return s
}

// learn takes the first indentation of each kind that it meets.
func (s *style) learn(n *yaml.Node) {
	if s.step != "" && s.listed {
		return
	}
	for i := 0; n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		depth := v.Column - n.Column
		if v.Style&yaml.FlowStyle != 0 || v.Anchor != "" || v.Line == n.Content[i].Line || depth < 0 || depth > 16 {
			continue
		}
		switch {
		case v.Kind == yaml.MappingNode && s.step == "" && depth > 0:
			s.step = strings.Repeat(" ", depth)
		case v.Kind == yaml.SequenceNode && !s.listed:
			s.list, s.listed = strings.Repeat(" ", depth), true
		}
	}
	for _, child := range n.Content {
		s.learn(child)
	}
}

// indent is the indentation of the block collection an entry belongs to, as the
// file writes it where the entry begins its line.
func (f *file) indent(entry int) string {
	start := f.lineStart(entry)
	if f.blanks(start) == entry {
		return string(f.src[start:entry])
	}
	_, column := f.position(entry)
	return strings.Repeat(" ", column-1)
}
