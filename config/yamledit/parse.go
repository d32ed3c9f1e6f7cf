package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Bounds of a file that is read. They hold before and after an edit.
const (
	MaxSize  = 8 << 20   // bytes; the same as the file door's
	MaxDepth = 100       // nested mappings and lists
	MaxNodes = 1_000_000 // values, each alias counted with everything it stands for

	// maxIndicators bounds the characters that can begin a value, so that the
	// tree of a hostile file stays small: about 250 bytes for each.
	maxIndicators = 600_000
)

// Parse reads one document whose root is a mapping. It returns a nil root for
// a document without content. Every error is an *Error. Positions of the nodes
// are those of the file: 1-based, columns count characters, a byte order mark
// is not counted.
//
// A key that stands twice in a mapping, an alias that contains itself, a second
// document, NUL bytes and invalid UTF-8 are errors.
func Parse(src []byte) (*yaml.Node, error) {
	if err := checkBytes(src); err != nil {
		return nil, err
	}
	root, err := decode(src)
	if err != nil || root == nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, fail(ErrUnsupported, root.Line, root.Column, "the document is %s, not a mapping of keys", describe(root))
	}
	c := checker{sizes: map[*yaml.Node]int{}, open: map[*yaml.Node]bool{}}
	if _, err := c.check(root, 0); err != nil {
		return nil, err
	}
	return root, nil
}

// checkBytes refuses what no YAML parser should see.
func checkBytes(src []byte) error {
	if len(src) > MaxSize {
		return fail(ErrLimit, 0, 0, "the file is larger than %d MiB", MaxSize>>20)
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		line, column := newText(src).position(i)
		return fail(ErrSyntax, line, column, "the file has a NUL byte")
	}
	if !utf8.Valid(src) {
		i := 0
		for i < len(src) {
			r, size := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			i += size
		}
		line, column := newText(src).position(i)
		return fail(ErrSyntax, line, column, "the file is not valid UTF-8")
	}
	count := 0
	for _, c := range src {
		switch c {
		case '\n', '\r', ',', ':', '-', '[', '{', '?':
			count++
		}
	}
	if count > maxIndicators {
		return fail(ErrLimit, 0, 0, "the file has too many values")
	}
	return nil
}

// decode returns the content of the only document, nil when there is none.
func decode(src []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fail(ErrSyntax, 0, 0, "the YAML parser gave up: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxError(src, err)
	}
	if err := dec.Decode(&next); err == nil {
		return nil, fail(ErrUnsupported, next.Line, 1, "the file has more than one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(src, err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, fail(ErrUnsupported, 0, 0, "the file is not one document")
	}
	if n := doc.Content[0]; !isEmpty(n) || n.Anchor != "" || n.Style != 0 {
		return n, nil
	}
	return nil, nil
}

// checker walks a tree once and bounds it.
type checker struct {
	sizes map[*yaml.Node]int // of anchored nodes, with their aliases spread out
	open  map[*yaml.Node]bool
}

// check returns how many values a node stands for.
func (c *checker) check(n *yaml.Node, depth int) (int, error) {
	if depth > MaxDepth {
		return 0, fail(ErrLimit, n.Line, n.Column, "nested more than %d levels deep", MaxDepth)
	}
	if n.Kind == yaml.AliasNode {
		if c.open[n.Alias] {
			return 0, fail(ErrSyntax, n.Line, n.Column, "the anchor %q contains itself", n.Value)
		}
		return c.sizes[n.Alias], nil
	}
	if n.Kind == yaml.MappingNode {
		if err := uniqueKeys(n); err != nil {
			return 0, err
		}
	}
	if n.Anchor != "" {
		c.open[n] = true
	}
	size := 1
	for _, child := range n.Content {
		s, err := c.check(child, depth+1)
		if err != nil {
			return 0, err
		}
		if size += s; size > MaxNodes {
			return 0, fail(ErrLimit, child.Line, child.Column, "more than %d values, counting what aliases stand for", MaxNodes)
		}
	}
	if n.Anchor != "" {
		delete(c.open, n)
		c.sizes[n] = size
	}
	return size, nil
}

// uniqueKeys refuses a key that stands twice, however it is quoted.
func uniqueKeys(m *yaml.Node) error {
	seen := make(map[string]*yaml.Node, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := resolve(m.Content[i])
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if first, twice := seen[key.Value]; twice {
			at := m.Content[i]
			return fail(ErrDuplicate, at.Line, at.Column, "the key %q stands here a second time; the first is in line %d", key.Value, first.Line)
		}
		seen[key.Value] = m.Content[i]
	}
	return nil
}

// describe names the kind of a value for people.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return fmt.Sprintf("the alias *%s", n.Value)
	}
	if n.ShortTag() == "!!null" {
		return "null"
	}
	return "a single value"
}
