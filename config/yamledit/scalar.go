package yamledit

import (
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// scalarEnd is where a scalar ends whose characters begin at an offset.
func (f *file) scalarEnd(n *yaml.Node, at int) (int, error) {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return f.doubleEnd(at)
	case n.Style&yaml.SingleQuotedStyle != 0:
		return f.singleEnd(at)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		b, err := f.block(n, at)
		return b.end, err
	default:
		return f.match(n.Value, at)
	}
}

func (f *file) doubleEnd(at int) (int, error) {
	if !f.has(at, `"`) {
		return 0, errLost
	}
	for at++; at < len(f.src); at++ {
		switch f.src[at] {
		case '\\':
			at++
		case '"':
			return at + 1, nil
		}
	}
	return 0, errLost
}

func (f *file) singleEnd(at int) (int, error) {
	if !f.has(at, "'") {
		return 0, errLost
	}
	for at++; at < len(f.src); at++ {
		if f.src[at] != '\'' {
			continue
		}
		if !f.has(at+1, "'") {
			return at + 1, nil
		}
		at++
	}
	return 0, errLost
}

// blockSpan is a block scalar: | or > with its indicators up to header, the
// rest of that line up to line, the text up to end. With the keep indicator (+)
// blank lines at the end are text, too.
type blockSpan struct {
	header, line, body, end int
}

func (f *file) block(n *yaml.Node, at int) (blockSpan, error) {
	if !f.has(at, "|") && !f.has(at, ">") {
		return blockSpan{}, errLost
	}
	b := blockSpan{header: at + 1}
	keep := false
	for b.header < len(f.src) && (f.src[b.header] == '+' || f.src[b.header] == '-' || f.src[b.header] >= '1' && f.src[b.header] <= '9') {
		keep = keep || f.src[b.header] == '+'
		b.header++
	}
	b.line = f.lineEnd(b.header)
	b.body = b.line + f.breakAt(b.line)
	end, err := f.match(n.Value, b.body)
	if err != nil {
		return blockSpan{}, err
	}
	b.end = b.line
	if end > b.body {
		b.end = f.lineEnd(end)
	}
	for keep {
		next := b.end + f.breakAt(b.end)
		stop := f.blanks(next)
		if next == b.end || stop == len(f.src) || f.breakAt(stop) == 0 {
			break
		}
		b.end = stop
	}
	return b, nil
}

// match walks a plain or block scalar: folding changes white space only, so
// the other characters stand in the file in the order of the value.
func (f *file) match(value string, at int) (int, error) {
	end := at
	for _, want := range value {
		if isWhite(want) {
			continue
		}
		for {
			if at >= len(f.src) {
				return 0, errLost
			}
			r, size := utf8.DecodeRune(f.src[at:])
			at += size
			if r == want {
				break
			}
			if !isWhite(r) {
				return 0, errLost
			}
		}
		end = at
	}
	return end, nil
}

func isWhite(r rune) bool {
	switch r {
	case ' ', '\t', '\r', '\n', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// commented reports whether a comment stands among the bytes of a node.
func (f *file) commented(n *yaml.Node) (bool, error) {
	at, end, err := f.extent(n)
	if err != nil {
		return false, err
	}
	found := false
	walk := func(from, to int) {
		for _, c := range f.src[min(from, to):to] {
			found = found || c == '#'
		}
	}
	var visit func(n *yaml.Node) error
	visit = func(n *yaml.Node) error {
		if n.Kind == yaml.ScalarNode && !isEmpty(n) {
			from, err := f.content(n)
			if err != nil {
				return err
			}
			walk(at, from)
			if at, err = f.end(n); err != nil {
				return err
			}
			if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
				b, err := f.block(n, from)
				walk(b.header, b.line)
				return err
			}
		}
		for _, child := range n.Content {
			if err := visit(child); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(n); err != nil {
		return false, err
	}
	walk(at, end)
	return found, nil
}
