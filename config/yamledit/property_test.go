package yamledit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"corehost/config/yamledit"
)

// document is a generated file with one value marked.
type document struct {
	text     string
	path     string
	value    string // what the marked value says
	from, to int    // the bytes of the marked value
	body     string // a block scalar's lines after its header line, which go with it
	comments []string
}

// writer generates a document piece by piece.
type writer struct {
	*rapid.T
	strings.Builder
	doc     document
	nl      string
	step    int
	names   int
	anchors []string
}

// documents draws files in the shapes that people write.
func documents() *rapid.Generator[document] {
	return rapid.Custom(func(t *rapid.T) document {
		w := &writer{T: t, nl: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"), step: rapid.IntRange(1, 5).Draw(t, "step")}
		w.WriteString(rapid.SampledFrom([]string{"", "", bom}).Draw(t, "bom"))
		w.between(0)
		if w.maybe("marker") {
			w.WriteString("---" + w.behind() + w.nl)
			w.between(0)
		}
		if w.maybe("in brackets") {
			w.brackets(2)
			w.WriteString(w.behind() + w.nl)
		} else {
			w.mapping(0, rapid.IntRange(0, 3).Draw(t, "depth"))
		}
		text := w.String()
		if w.maybe("end marker") && w.doc.body == "" {
			text += "..." + w.nl
		} else if w.maybe("no final newline") {
			text = strings.TrimSuffix(text, w.nl)
			w.doc.to = min(w.doc.to, len(text))
		}
		w.doc.text = text
		w.doc.path = strings.TrimPrefix(w.doc.path, ".")
		return w.doc
	})
}

func (w *writer) maybe(what string) bool { return rapid.Bool().Draw(w.T, what) }

func (w *writer) name() string {
	w.names++
	return fmt.Sprintf("k%d", w.names)
}

// comment is one that can be told from all others.
func (w *writer) comment() string {
	c := fmt.Sprintf("# <%d> it's \"{a: b}\" - ü", len(w.doc.comments))
	w.doc.comments = append(w.doc.comments, c)
	return c
}

// behind is what may stand behind a value on its line.
func (w *writer) behind() string {
	switch rapid.IntRange(0, 3).Draw(w.T, "behind") {
	case 0:
		return " " + w.comment()
	case 1:
		return "\t" + w.comment()
	case 2:
		return "  "
	}
	return ""
}

// between writes comment lines and blank lines.
func (w *writer) between(indent int) {
	for range rapid.IntRange(0, 2).Draw(w.T, "lines") {
		if w.maybe("blank") {
			w.WriteString(w.nl)
			continue
		}
		w.WriteString(strings.Repeat(" ", rapid.IntRange(0, indent).Draw(w.T, "comment indent")) + w.comment() + w.nl)
	}
}

// mapping writes the pairs of a block mapping, one of which leads to the
// marked value.
func (w *writer) mapping(indent, depth int) {
	pad := strings.Repeat(" ", indent)
	before, after := rapid.IntRange(0, 3).Draw(w.T, "before"), rapid.IntRange(0, 3).Draw(w.T, "after")
	for range before {
		w.WriteString(pad)
		w.sibling(indent)
	}
	w.between(indent)
	w.WriteString(pad)
	w.level(indent, depth)
	for range after {
		w.between(indent)
		w.WriteString(pad)
		w.sibling(indent)
	}
}

// level writes the pair that leads on. The cursor is behind the indentation.
func (w *writer) level(indent, depth int) {
	if depth == 0 {
		w.target(indent)
		return
	}
	name := w.name()
	w.doc.path += "." + name
	deeper := indent + w.step
	switch rapid.IntRange(0, 4).Draw(w.T, "level") {
	case 0:
		w.WriteString("? " + w.quoteKey(name) + w.behind() + w.nl + strings.Repeat(" ", indent) + ":" + w.behind() + w.nl)
		w.mapping(deeper, depth-1)
	case 1:
		w.WriteString(w.quoteKey(name) + ": ")
		w.brackets(depth)
		w.WriteString(w.behind() + w.nl)
	case 2:
		w.WriteString(w.quoteKey(name) + ":" + w.behind() + w.nl)
		w.list(indent+rapid.SampledFrom([]int{0, w.step}).Draw(w.T, "list indent"), depth-1)
	case 3:
		w.WriteString(w.quoteKey(name) + ": &" + w.name() + w.behind() + w.nl)
		w.mapping(deeper, depth-1)
	default:
		w.WriteString(w.quoteKey(name) + ":" + w.behind() + w.nl)
		w.between(deeper)
		w.mapping(deeper, depth-1)
	}
}

// list writes items, one of which, named "it", leads on.
func (w *writer) list(indent, depth int) {
	pad := strings.Repeat(" ", indent)
	for range rapid.IntRange(0, 2).Draw(w.T, "items before") {
		w.WriteString(pad + "- {name: other}" + w.behind() + w.nl)
	}
	w.doc.path += "[name=it]"
	w.WriteString(pad + "- name: it" + w.behind() + w.nl)
	w.mapping(indent+2, depth)
	for range rapid.IntRange(0, 2).Draw(w.T, "items after") {
		w.between(indent)
		w.WriteString(pad + "- name: more" + w.behind() + w.nl)
	}
}

// brackets writes a flow mapping that leads to the marked value.
func (w *writer) brackets(depth int) {
	space := func() string {
		if w.maybe("wrap") {
			return w.behind() + w.nl + "      "
		}
		return rapid.SampledFrom([]string{" ", "  "}).Draw(w.T, "space")
	}
	w.WriteString("{" + space())
	for range rapid.IntRange(0, 2).Draw(w.T, "before") {
		w.WriteString(w.name() + ": " + rapid.SampledFrom([]string{"x", "'a, }'", "[1, {b: 2}]", "\"}\\\"\""}).Draw(w.T, "flow sibling") + "," + space())
	}
	if depth > 1 {
		name := w.name()
		w.doc.path += "." + name
		w.WriteString(w.quoteKey(name) + ": ")
		w.brackets(depth - 1)
	} else {
		w.flowTarget()
	}
	for range rapid.IntRange(0, 2).Draw(w.T, "after") {
		w.WriteString(space() + ", " + w.name() + rapid.SampledFrom([]string{": y", "", ": ~", ": [ ]"}).Draw(w.T, "flow sibling"))
	}
	if w.maybe("trailing comma") {
		w.WriteString(" ,")
	}
	w.WriteString(space() + "}")
}

func (w *writer) quoteKey(name string) string {
	return rapid.SampledFrom([]string{name, "'" + name + "'", `"` + name + `"`}).Draw(w.T, "key")
}

func (w *writer) mark(token, value string) {
	w.doc.from = w.Len()
	w.WriteString(token)
	w.doc.to, w.doc.value = w.Len(), value
}

func (w *writer) flowTarget() {
	name := w.name()
	w.doc.path += "." + name
	w.WriteString(w.quoteKey(name) + rapid.SampledFrom([]string{": ", ":  "}).Draw(w.T, "gap"))
	token := rapid.SampledFrom([][2]string{{"old", "old"}, {"'o''ld'", "o'ld"}, {`"o\"ld # x"`, `o"ld # x`}, {"17", "17"}, {"old" + w.nl + "      er", "old er"}}).Draw(w.T, "token")
	w.mark(token[0], token[1])
}

// target writes the marked pair of a block mapping.
func (w *writer) target(indent int) {
	name := w.name()
	w.doc.path += "." + name
	pad := strings.Repeat(" ", indent+w.step)
	w.WriteString(w.quoteKey(name) + ":")
	w.WriteString(rapid.SampledFrom([]string{" ", "   ", "\t", " &" + w.name() + " ", " !!str ", " " + w.comment() + w.nl + pad}).Draw(w.T, "gap"))
	tokens := [][2]string{
		{"old", "old"}, {"http://h:1/#a", "http://h:1/#a"}, {"'o''ld'", "o'ld"}, {`"o\"ld # x"`, `o"ld # x`},
		{"old" + w.nl + pad + "and" + w.nl + w.nl + pad + "older", "old and\nolder"},
		{"'old" + w.nl + pad + "# and'", "old # and"}, {"\"old\\" + w.nl + pad + "er\"", "older"},
	}
	if i := rapid.IntRange(0, len(tokens)+2).Draw(w.T, "token"); i < len(tokens) {
		w.mark(tokens[i][0], tokens[i][1])
		w.WriteString(w.behind() + w.nl)
		return
	}
	header := rapid.SampledFrom([]string{"|", ">", "|-", ">-", "|+"}).Draw(w.T, "header")
	value := "old # no comment\n"
	if strings.HasSuffix(header, "-") {
		value = strings.TrimSuffix(value, "\n")
	}
	w.mark(header, value)
	w.WriteString(w.behind())
	w.doc.body = w.nl + pad + "old # no comment"
	w.WriteString(w.doc.body + w.nl)
}

// sibling writes a pair that must stay as it is.
func (w *writer) sibling(indent int) {
	pad := strings.Repeat(" ", indent+w.step)
	w.WriteString(w.quoteKey(w.name()) + ":")
	switch rapid.IntRange(0, 9).Draw(w.T, "sibling") {
	case 0:
		w.WriteString(" |" + rapid.SampledFrom([]string{"", "-", "+"}).Draw(w.T, "chomp") + w.behind() + w.nl + pad + "text # no comment" + w.nl + w.nl + pad + "  more" + w.nl)
	case 1:
		w.WriteString(" >2" + w.nl + strings.Repeat(" ", indent+2) + "  text" + w.nl)
	case 2:
		name := w.name()
		w.anchors = append(w.anchors, name)
		w.WriteString(" &" + name + " {a: x, b: [1, 2]}" + w.behind() + w.nl)
	case 3:
		if len(w.anchors) == 0 {
			w.WriteString(w.behind() + w.nl)
			return
		}
		w.WriteString(" *" + rapid.SampledFrom(w.anchors).Draw(w.T, "alias") + w.behind() + w.nl)
	case 4:
		w.WriteString(w.behind() + w.nl + pad + "- a" + w.behind() + w.nl + pad + "- - b" + w.nl + pad + "  - c: d" + w.nl)
	case 5:
		if len(w.anchors) == 0 {
			w.WriteString(" ~" + w.nl)
			return
		}
		w.WriteString(w.nl + pad + "<<: *" + rapid.SampledFrom(w.anchors).Draw(w.T, "merge") + w.behind() + w.nl + pad + "c: d" + w.nl)
	case 6:
		w.WriteString(" [a, # <x>" + w.nl + pad + "'b', {c: d}]" + w.behind() + w.nl)
	case 7:
		w.WriteString(" plain" + w.nl + pad + "and more" + w.behind() + w.nl)
	default:
		w.WriteString(rapid.SampledFrom([]string{" 5", " 2026-01-01", " 'q'", ` "#"`, " yes", " {}", " a:b"}).Draw(w.T, "scalar") + w.behind() + w.nl)
	}
}

var newValues = rapid.OneOf(
	rapid.SampledFrom([]string{"new", "", "yes", "null", "1.0", "2026-01-01", "a: b", "a #b", "- a", "{", "'", "\"", "it's", "tab\t", "two\nlines", " lead", "&a", "*a", "ü", "\u2028", "0x1f", "~", "=", "<<", "---"}),
	rapid.String(),
)

// Replacing a value changes the value's own bytes and no other.
func TestSetChangesTheValuesBytesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents().Draw(t, "document")
		value := newValues.Draw(t, "value")
		must(t, doc)
		got, err := yamledit.Apply([]byte(doc.text), yamledit.Set(doc.path, value))
		if err != nil {
			t.Fatalf("%v\n%s", err, doc.text)
		}
		if value == doc.value {
			if string(got) != doc.text {
				t.Fatalf("the same value changed %q", got)
			}
			return
		}
		head, tail := doc.text[:doc.from], strings.Replace(doc.text[doc.to:], doc.body, "", 1)
		if !strings.HasPrefix(string(got), head) || !strings.HasSuffix(string(got), tail) || len(got) < len(head)+len(tail) {
			t.Fatalf("other bytes changed:\n%s\nbecame\n%s", doc.text, got)
		}
		if token := string(got[len(head) : len(got)-len(tail)]); strings.ContainsAny(token, "\r\n") {
			t.Fatalf("the new value %q is more than one line", token)
		}
		root, err := yamledit.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := yamledit.Lookup(root, doc.path); !ok || n.Value != value || n.ShortTag() != "!!str" {
			t.Fatalf("reads as %q", n.Value)
		}
	})
}

// Adding a value beside the marked one only inserts bytes.
func TestSetOfAMissingKeyOnlyInserts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents().Draw(t, "document")
		path := doc.path[:strings.LastIndexAny(doc.path, ".]")+1]
		path = strings.TrimSuffix(path, ".") + rapid.SampledFrom([]string{".fresh", ".fresh.deep", `["odd key"]`, ".list[name=a].b"}).Draw(t, "missing")
		got, err := yamledit.Apply([]byte(doc.text), yamledit.Set(strings.TrimPrefix(path, "."), "new"))
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, doc.text)
		}
		same := 0
		for same < len(doc.text) && got[same] == doc.text[same] {
			same++
		}
		if !strings.HasSuffix(string(got), doc.text[same:]) {
			t.Fatalf("other bytes changed:\n%s\nbecame\n%s", doc.text, got)
		}
	})
}

// Removing a value keeps every comment and every other value; setting it
// again and removing it again ends the same.
func TestRemoveKeepsCommentsAndValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents().Draw(t, "document")
		got, err := yamledit.Apply([]byte(doc.text), yamledit.Remove(doc.path))
		if errors.Is(err, yamledit.ErrUnsupported) && strings.Contains(doc.text, "|+") {
			return // blank lines behind the value would become part of the text before it
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", doc.path, err, doc.text)
		}
		for _, c := range doc.comments {
			if strings.Count(string(got), c) != strings.Count(doc.text, c) {
				t.Fatalf("the comment %s is gone from\n%s\nwhich became\n%s", c, doc.text, got)
			}
		}
		kept := strings.Fields(doc.text[:doc.from] + " " + strings.Replace(doc.text[doc.to:], doc.body, "", 1))
		left := strings.Fields(string(got))
		if len(kept)-len(left) > 6 {
			t.Fatalf("too much is gone:\n%s\nbecame\n%s", doc.text, got)
		}
		back, err := yamledit.Apply(got, yamledit.Set(doc.path, "old"), yamledit.Remove(doc.path))
		if err != nil {
			t.Fatalf("setting it again: %v\n%s", err, got)
		}
		bare := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", ",", "")
		if bare.Replace(string(back)) != bare.Replace(string(got)) {
			t.Fatalf("back and forth:\n%s\nbecame\n%s", got, back)
		}
	})
}

// must checks the generator: the document parses and says what is marked.
func must(t *rapid.T, doc document) {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(doc.text), &n); err != nil {
		t.Fatalf("the generator made no YAML: %v\n%s", err, doc.text)
	}
	root, err := yamledit.Parse([]byte(doc.text))
	if err != nil {
		t.Fatalf("%v\n%s", err, doc.text)
	}
	if n, ok := yamledit.Lookup(root, doc.path); !ok || !strings.HasPrefix(n.Value, strings.TrimRight(doc.value, "\n")) {
		t.Fatalf("%s is not there in\n%s", doc.path, doc.text)
	}
}
