package yamledit

import (
	"errors"

	"gopkg.in/yaml.v3"
)

// errLost: the bytes at a node's position are not what the node says.
var errLost = errors.New("cannot tell where the value begins and ends")

// file is a parsed document with its bytes. The parser says where a value
// begins; where it ends is found here, and proved by parsing the result.
type file struct {
	*text
	root    *yaml.Node
	aliases map[*yaml.Node][]*yaml.Node // anchored node → aliases of it
}

func load(src []byte) (*file, error) {
	root, err := Parse(src)
	if err != nil {
		return nil, err
	}
	f := &file{text: newText(src), root: root, aliases: map[*yaml.Node][]*yaml.Node{}}
	if root != nil {
		f.index(root)
	}
	return f, nil
}

func (f *file) index(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		f.aliases[n.Alias] = append(f.aliases[n.Alias], n)
	}
	for _, child := range n.Content {
		f.index(child)
	}
}

// start is where a node begins, its anchor and tag included.
func (f *file) start(n *yaml.Node) (int, error) {
	at := f.offset(n.Line, n.Column)
	if at < 0 {
		return 0, errLost
	}
	return at, nil
}

// extent is where a node's own characters begin and end.
func (f *file) extent(n *yaml.Node) (from, to int, err error) {
	if from, err = f.content(n); err != nil {
		return 0, 0, err
	}
	to, err = f.end(n)
	return from, to, err
}

// content is where a node's own characters begin, behind anchor and tag. Of a
// value without characters it is where they would stand.
func (f *file) content(n *yaml.Node) (int, error) {
	at, err := f.props(n)
	if err != nil || isEmpty(n) {
		return at, err
	}
	if start, _ := f.start(n); at == start {
		return at, nil
	}
	return f.skip(at), nil
}

// props is where a node's anchor and tag end; its start when it has none.
func (f *file) props(n *yaml.Node) (int, error) {
	end, err := f.start(n)
	if err != nil || n.Kind == yaml.AliasNode {
		return end, err
	}
	// No scalar begins with the ! of a tag; an empty one or a collection has a
	// tag only if the parser says so.
	anchor := n.Anchor != ""
	tag := n.Style&yaml.TaggedStyle != 0 || n.Kind == yaml.ScalarNode && !isEmpty(n)
	for at := end; ; at = f.skip(end) {
		switch {
		case anchor && f.has(at, "&"+n.Anchor):
			end, anchor = at+1+len(n.Anchor), false
		case tag && f.has(at, "!"):
			end, tag = f.tagEnd(at), false
		default:
			return end, nil
		}
	}
}

// has reports whether the bytes at an offset begin with s.
func (f *file) has(at int, s string) bool {
	return at >= 0 && at <= len(f.src) && len(f.src)-at >= len(s) && string(f.src[at:at+len(s)]) == s
}

func (f *file) tagEnd(at int) int {
	verbatim := f.has(at, "!<")
	for ; at < len(f.src); at++ {
		c := f.src[at]
		if verbatim && c == '>' {
			return at + 1
		}
		if isBlank(c) || f.breakAt(at) > 0 || !verbatim && isFlow(c) {
			break
		}
	}
	return at
}

func isFlow(c byte) bool {
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'
}

// skip steps over blanks, breaks and comments.
func (f *file) skip(at int) int {
	for at < len(f.src) {
		switch n := f.breakAt(at); {
		case n > 0:
			at += n
		case isBlank(f.src[at]):
			at++
		case f.src[at] == '#':
			at = f.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

// blanks steps over blanks.
func (f *file) blanks(at int) int {
	for at < len(f.src) && isBlank(f.src[at]) {
		at++
	}
	return at
}

// end is where a node ends.
func (f *file) end(n *yaml.Node) (int, error) {
	at, err := f.content(n)
	if err != nil {
		return 0, err
	}
	switch n.Kind {
	case yaml.AliasNode:
		if !f.has(at, "*"+n.Value) {
			return 0, errLost
		}
		return at + 1 + len(n.Value), nil
	case yaml.ScalarNode:
		return f.scalarEnd(n, at)
	}
	if f.isFlow(n) {
		return f.flowEnd(n, at)
	}
	if len(n.Content) == 0 {
		return 0, errLost
	}
	if n.Kind == yaml.MappingNode {
		return f.pairEnd(n, len(n.Content)-2)
	}
	return f.itemEnd(n, len(n.Content)-1)
}

// isFlow reports a collection in brackets. The parser also gives flow style
// to the pair of [a: b], which has none of its own.
func (f *file) isFlow(n *yaml.Node) bool {
	if n.Style&yaml.FlowStyle == 0 {
		return false
	}
	at, err := f.content(n)
	if err != nil || !f.has(at, "{") && !f.has(at, "[") {
		return false
	}
	if len(n.Content) == 0 {
		return true
	}
	first, err := f.start(n.Content[0])
	return err == nil && first != at
}

func (f *file) flowEnd(n *yaml.Node, at int) (int, error) {
	closing := "]"
	last, err := at+1, error(nil)
	if n.Kind == yaml.MappingNode {
		closing = "}"
	}
	switch {
	case len(n.Content) == 0:
	case n.Kind == yaml.MappingNode:
		last, err = f.pairEnd(n, len(n.Content)-2)
	default:
		last, err = f.end(n.Content[len(n.Content)-1])
	}
	if err != nil {
		return 0, err
	}
	last = f.skip(last)
	if f.has(last, ",") {
		last = f.skip(last + 1)
	}
	if !f.has(last, closing) {
		return 0, errLost
	}
	return last + 1, nil
}

// pairStart is where the pair at index i of a mapping begins: its key, or the
// question mark before it.
func (f *file) pairStart(m *yaml.Node, i int) (int, error) {
	key, err := f.start(m.Content[i])
	if err != nil {
		return 0, err
	}
	at, err := f.gapBefore(m, i)
	if err != nil {
		return 0, err
	}
	if at != key && !f.has(at, "?") {
		return 0, errLost
	}
	return at, nil
}

// gapBefore is where the first character of the pair or item i stands.
func (f *file) gapBefore(n *yaml.Node, i int) (int, error) {
	if i == 0 {
		at, err := f.content(n)
		if err == nil && f.isFlow(n) {
			at = f.skip(at + 1)
		}
		return at, err
	}
	var before int
	var err error
	if n.Kind == yaml.MappingNode {
		before, err = f.pairEnd(n, i-2)
	} else {
		before, err = f.itemEnd(n, i-1)
	}
	if err != nil {
		return 0, err
	}
	before = f.skip(before)
	if f.isFlow(n) && f.has(before, ",") {
		before = f.skip(before + 1)
	}
	return before, nil
}

// colon is the offset behind the colon of a pair; ok is false where a key
// stands alone.
func (f *file) colon(m *yaml.Node, i int) (at int, ok bool, err error) {
	key, err := f.keyEnd(m, i)
	if err != nil {
		return 0, false, err
	}
	at = f.skip(key)
	if !f.has(at, ":") {
		return key, false, nil
	}
	if v := m.Content[i+1]; isEmpty(v) && v.Anchor == "" && at+1 < len(f.src) {
		next := f.src[at+1]
		if !isBlank(next) && f.breakAt(at+1) == 0 && !isFlow(next) {
			return key, false, nil
		}
	}
	return at + 1, true, nil
}

func (f *file) keyEnd(m *yaml.Node, i int) (int, error) {
	key := m.Content[i]
	if isEmpty(key) && key.Anchor == "" && key.Style == 0 {
		return 0, errLost
	}
	return f.end(key)
}

func (f *file) pairEnd(m *yaml.Node, i int) (int, error) {
	v := m.Content[i+1]
	if isEmpty(v) {
		at, ok, err := f.colon(m, i)
		if err != nil || !ok || v.Anchor == "" && v.Style == 0 {
			return at, err
		}
	}
	return f.end(v)
}

// dash is where the item i of a block list begins.
func (f *file) dash(list *yaml.Node, i int) (int, error) {
	at, err := f.gapBefore(list, i)
	if err == nil && !f.has(at, "-") {
		err = errLost
	}
	return at, err
}

func (f *file) itemEnd(list *yaml.Node, i int) (int, error) {
	n := list.Content[i]
	if isEmpty(n) && n.Anchor == "" && n.Style == 0 && !f.isFlow(list) {
		at, err := f.dash(list, i)
		return at + 1, err
	}
	return f.end(n)
}
