package yamledit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// build makes the node of a value given in Go.
func build(value any) (*yaml.Node, error) {
	switch v := value.(type) {
	case string:
		if !utf8.ValidString(v) {
			return nil, fail(ErrUnsupported, 0, 0, "the new value is not valid UTF-8")
		}
		return textNode(v), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}, nil
	case int:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(v)}, nil
	case []string:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, s := range v {
			item, err := build(s)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, item)
		}
		return list, nil
	case Map:
		m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, p := range v {
			child, err := build(p.Value)
			if err != nil {
				return nil, err
			}
			m.Content = append(m.Content, textNode(p.Key), child)
		}
		return m, nil
	}
	return nil, fail(ErrUnsupported, 0, 0, "a value of type %T cannot be written", value)
}

// wanted is the node that a path shall lead to. An item of a list has the field
// that it is found by.
func wanted(segments []segment, value any) (*yaml.Node, error) {
	n, err := build(value)
	if last := segments[len(segments)-1]; err == nil && last.match {
		if n.Kind != yaml.MappingNode {
			return nil, fail(ErrUnsupported, 0, 0, "an item found by its %s has to be a mapping", last.key)
		}
		named(n, last)
	}
	return n, err
}

func textNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// wrap makes the mappings and the list item that a path's rest asks for
// around a value.
func wrap(rest []segment, value *yaml.Node) *yaml.Node {
	for i := len(rest) - 1; i >= 0; i-- {
		s := rest[i]
		if !s.match {
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{textNode(s.key), value}}
			continue
		}
		named(value, s)
		value = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{value}}
	}
	return value
}

// named gives an item the field that it is found by.
func named(item *yaml.Node, s segment) {
	if pairOf(item, s.key) < 0 {
		item.Content = append([]*yaml.Node{textNode(s.key), textNode(s.value)}, item.Content...)
	}
}

// style is how new text is laid out in one file.
type style struct {
	newline string
	step    string // one level of indentation
	list    string // indentation of a list below its key
	listed  bool   // list is known
}

// pair is "key: value" in block style; indent is that of the key.
func (s style) pair(key, n *yaml.Node, indent string) string {
	head := scalar(key, 0) + ":"
	if n.Kind == yaml.ScalarNode || len(n.Content) == 0 || n.Kind == yaml.SequenceNode && n.Content[0].Kind == yaml.ScalarNode {
		return head + " " + flow(n)
	}
	return head + s.newline + s.below(n, indent)
}

// below is a collection on the lines after its key or dash.
func (s style) below(n *yaml.Node, indent string) string {
	if n.Kind == yaml.MappingNode {
		return indent + s.step + s.pairs(n, indent+s.step)
	}
	indent += s.list
	items := make([]string, len(n.Content))
	for i, item := range n.Content {
		items[i] = indent + "- " + s.item(item, indent+"  ", false)
	}
	return strings.Join(items, s.newline)
}

// pairs are the lines of a mapping without the first indentation.
func (s style) pairs(m *yaml.Node, indent string) string {
	lines := make([]string, 0, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		lines = append(lines, s.pair(m.Content[i], m.Content[i+1], indent))
	}
	return strings.Join(lines, s.newline+indent)
}

// item is what stands behind a dash: a small mapping on one line, unless its
// neighbours are in block style or it holds more than scalars.
func (s style) item(n *yaml.Node, indent string, block bool) string {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return flow(n)
	}
	for _, child := range n.Content {
		block = block || child.Kind != yaml.ScalarNode
	}
	if block {
		return s.pairs(n, indent)
	}
	return flow(n)
}

// flow is a value on one line.
func flow(n *yaml.Node) string {
	parts := make([]string, 0, len(n.Content))
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, flow(n.Content[i])+": "+flow(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return scalar(n, 0)
}

// scalar writes a scalar, a string in the given quoting style where that can
// hold it.
func scalar(n *yaml.Node, quoting yaml.Style) string {
	switch {
	case n.Tag != "!!str":
		return n.Value
	case quoting&yaml.SingleQuotedStyle != 0 && oneLine(n.Value):
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
	case quoting&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 && plain(n.Value):
		return n.Value
	default:
		return double(n.Value)
	}
}

var (
	plainText = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./+@:() -]*$`)
	// words that some reader of YAML takes for a bool, null or number.
	reserved = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf)$`)
)

// plain reports whether a string may stand without quotes in block and flow
// style and every reader of YAML 1.1 and 1.2 takes it for that string.
func plain(s string) bool {
	return plainText.MatchString(s) && !reserved.MatchString(s) &&
		!strings.HasSuffix(s, " ") && !strings.HasSuffix(s, ":") && !strings.Contains(s, ": ")
}

// oneLine reports whether single quotes can hold a string as it is.
func oneLine(s string) bool {
	for _, r := range s {
		if r != ' ' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func double(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
