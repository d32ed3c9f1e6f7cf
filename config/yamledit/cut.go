package yamledit

import "gopkg.in/yaml.v3"

// bounds are the first and last byte of an entry.
func (f *file) bounds(p place) (from, to int, err error) {
	if p.parent.Kind == yaml.MappingNode {
		if from, err = f.pairStart(p.parent, p.index); err == nil {
			to, err = f.pairEnd(p.parent, p.index)
		}
		return from, to, err
	}
	if from, err = f.gapBefore(p.parent, p.index); err == nil {
		to, err = f.itemEnd(p.parent, p.index)
	}
	return from, to, err
}

// cutBlock takes an entry out of a block collection.
func (f *file) cutBlock(p place, width int) ([]splice, error) {
	from, to, err := f.bounds(p)
	if err != nil {
		return nil, err
	}
	last := p.index+width == len(p.parent.Content)
	if f.blanks(f.lineStart(from)) != from && !last {
		next, err := f.gapBefore(p.parent, p.index+width)
		if err == nil && f.onlyBlank(to, next) {
			return []splice{{from, next, ""}}, nil
		}
		return []splice{f.tidy(from, to)}, err
	}
	if p.parent.Kind == yaml.MappingNode && isText(p.value) {
		return f.cutAround(p, from, to)
	}
	return []splice{f.tidy(from, to)}, nil
}

// cutAround takes a pair away whose value is a scalar. Comments stay that
// stand between key, anchor and value or behind the indicator of a block scalar.
func (f *file) cutAround(p place, from, to int) ([]splice, error) {
	colon, ok, err := f.colon(p.parent, p.index)
	if err != nil || !ok {
		return []splice{f.tidy(from, to)}, err
	}
	start, err := f.start(p.value)
	if err != nil {
		return nil, err
	}
	props, err := f.props(p.value)
	if err != nil {
		return nil, err
	}
	text, err := f.content(p.value)
	if err != nil {
		return nil, err
	}
	parts := [][2]int{{from, colon}, {start, props}, {text, to}}
	var body []splice
	if p.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		b, err := f.block(p.value, text)
		if err != nil {
			return nil, err
		}
		if !f.onlyBlank(b.header, b.line) {
			parts[2][1] = b.header
			body = []splice{{b.line, to, ""}}
		}
	}
	return append(f.cutParts(parts), body...), nil
}

// cutParts takes pieces away, those with nothing between them as one.
func (f *file) cutParts(parts [][2]int) []splice {
	joined := parts[:1]
	for _, part := range parts[1:] {
		last := &joined[len(joined)-1]
		if f.onlyBlank(last[1], part[0]) {
			last[1] = part[1]
		} else if part[0] < part[1] {
			joined = append(joined, part)
		}
	}
	var splices []splice
	for _, part := range joined {
		splices = append(splices, f.tidy(part[0], part[1]))
	}
	return splices
}

// cutFlow takes an entry and one comma out of brackets.
func (f *file) cutFlow(p place, width int) ([]splice, error) {
	from, to, err := f.bounds(p)
	if err != nil {
		return nil, err
	}
	if comma := f.skip(to); f.has(comma, ",") {
		if f.onlyBlank(to, comma) {
			return []splice{f.tidy(from, comma+1)}, nil
		}
		return []splice{f.tidy(from, to), f.tidy(comma, comma+1)}, nil
	}
	if p.index == 0 {
		return []splice{f.tidy(from, to)}, nil
	}
	before := p
	before.index -= width
	_, end, err := f.bounds(before)
	if err != nil {
		return nil, err
	}
	comma := f.skip(end)
	if !f.has(comma, ",") {
		return nil, errLost
	}
	if f.onlyBlank(comma+1, from) && f.lineStart(comma) == f.lineStart(from) {
		return []splice{{comma, to, ""}}, nil
	}
	return []splice{{comma, comma + 1, ""}, f.tidy(from, to)}, nil
}

// onlyBlank reports that nothing but white space stands between two offsets.
func (f *file) onlyBlank(from, to int) bool {
	for from < to {
		n := f.breakAt(from)
		if n == 0 && !isBlank(f.src[from]) {
			return false
		}
		from += max(n, 1)
	}
	return true
}

// tidy takes bytes away and leaves no blank line where they had lines of
// their own. A comment behind them stays, in their place.
func (f *file) tidy(from, to int) splice {
	start, rest := f.lineStart(from), f.blanks(to)
	own := f.blanks(start) == from
	switch n := f.breakAt(rest); {
	case own && (n > 0 || rest == len(f.src)):
		return splice{start, rest + n, ""}
	case rest == len(f.src) || n > 0:
		return splice{from, to, ""}
	case f.src[rest] == '#' && !own && from > 0 && !isBlank(f.src[from-1]):
		return splice{from, to, ""}
	default:
		return splice{from, rest, ""}
	}
}

// isText reports a scalar or alias that has characters of its own.
func isText(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Kind == yaml.ScalarNode && !isEmpty(n)
}
