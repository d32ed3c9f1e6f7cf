package yamledit_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/config/yamledit"
)

const bom = "\ufeff"

func TestApplySet(t *testing.T) {
	tests := []struct {
		name  string
		src   string
		path  string
		value any
		want  string
	}{
		{"plain", "a: 1\nm:\n  p: old  # why\n", "m.p", "new", "a: 1\nm:\n  p: new  # why\n"},
		{"unchanged", "m: {p: \"old\"}", "m.p", "old", "m: {p: \"old\"}"},
		{"single quotes stay", "p: 'it''s'\n", "p", "o'k", "p: 'o''k'\n"},
		{"double quotes stay", "p: \"a\\\"b\" # c\n", "p", "x", "p: \"x\" # c\n"},
		{"needs quotes: word", "p: x\n", "p", "yes", "p: \"yes\"\n"},
		{"needs quotes: null", "p: x\n", "p", "null", "p: \"null\"\n"},
		{"needs quotes: number", "p: x\n", "p", "1.0", "p: \"1.0\"\n"},
		{"needs quotes: date", "p: x\n", "p", "2026-01-01", "p: \"2026-01-01\"\n"},
		{"needs quotes: comment", "p: x\n", "p", "a #b", "p: \"a #b\"\n"},
		{"needs quotes: empty", "p: x\n", "p", "", "p: \"\"\n"},
		{"string over the same number", "p: 5\n", "p", "5", "p: \"5\"\n"},
		{"line breaks in single quotes", "p: 'x'\n", "p", "a\nb", "p: \"a\\nb\"\n"},
		{"bool", "p: false # c\n", "p", true, "p: true # c\n"},
		{"int", "p: '3'\n", "p", 14, "p: 14\n"},
		{"int already", "p: 0x0e\n", "p", 14, "p: 0x0e\n"},
		{"CRLF", "a: 1\r\np: x\r\n", "p", "v", "a: 1\r\np: v\r\n"},
		{"BOM", bom + "p: x\n", "p", "v", bom + "p: v\n"},
		{"wide characters before", "ключ: {ß: 1, p: x}\n", "ключ.p", "v", "ключ: {ß: 1, p: v}\n"},
		{"tabs behind the colon", "p:\tx\t# c\n", "p", "v", "p:\tv\t# c\n"},
		{"no final newline", "p: x", "p", "v", "p: v"},
		{"markers", "%YAML 1.1\n---\np: x\n...\n", "p", "v", "%YAML 1.1\n---\np: v\n...\n"},
		{"null", "m:\n  p: # none yet\n  q: 1\n", "m.p", "v", "m:\n  p: v # none yet\n  q: 1\n"},
		{"null at the end", "p:", "p", "v", "p: v"},
		{"tilde", "p: ~\n", "p", "v", "p: v\n"},
		{"null in flow", "{p, q: 1}\n", "p", "v", "{p: v, q: 1}\n"},
		{"null with anchor nobody uses", "p: &a\nq: 1\n", "p", "v", "p: &a v\nq: 1\n"},
		{"literal", "p: | # c\n  a\n   b\n\nq: 1\n", "p", "v", "p: v # c\n\nq: 1\n"},
		{"folded keep", "p: >+2\n   a\n\nq: 1\n", "p", "v", "p: v\n\nq: 1\n"},
		{"empty literal", "p: |\n# c\nq: 1\n", "p", "v", "p: v\n# c\nq: 1\n"},
		{"multi-line plain", "p: a\n  b\n\n  c # d\nq: 1\n", "p", "v", "p: v # d\nq: 1\n"},
		{"multi-line quoted", "p: \"a\n  b\"\nq: 1\n", "p", "v", "p: \"v\"\nq: 1\n"},
		{"value on the next line", "p: # c\n  x # d\nq: 1\n", "p", "v", "p: # c\n  v # d\nq: 1\n"},
		{"explicit key", "? p\n: x\nq: 1\n", "p", "v", "? p\n: v\nq: 1\n"},
		{"quoted keys", "\"a.b\":\n  'p q': x\n", `["a.b"]["p q"]`, "v", "\"a.b\":\n  'p q': v\n"},
		{"tag that fits", "p: !!str 5\n", "p", "v", "p: !!str v\n"},
		{"anchor nobody uses", "p: &a x\n", "p", "v", "p: &a v\n"},
		{"alias is overridden in its place", "d: &a x\np: *a # c\n", "p", "v", "d: &a x\np: v # c\n"},
		{"merged is overridden beside it", "d: &a {p: x, q: 1}\nm:\n  <<: *a\n  r: 2\n", "m.p", "v", "d: &a {p: x, q: 1}\nm:\n  <<: *a\n  r: 2\n  p: v\n"},
		{"merged already", "d: &a {p: x}\nm:\n  <<: *a\n", "m.p", "x", "d: &a {p: x}\nm:\n  <<: *a\n"},
		{"item", "units:\n- name: a\n  state: x\n- {name: b, state: x}\n", "units[name=b].state", "v", "units:\n- name: a\n  state: x\n- {name: b, state: v}\n"},
		{"item lacks the key", "units:\n- name: a # one\n- name: b\n", "units[name=a].state", "v", "units:\n- name: a # one\n  state: v\n- name: b\n"},
		{"missing key", "m:\n    q: 1 # c\n\nz: 1\n", "m.p", "v", "m:\n    q: 1 # c\n    p: v\n\nz: 1\n"},
		{"missing mapping, indentation of the file", "m:\n    q: 1\n", "k.o.p", "v", "m:\n    q: 1\nk:\n    o:\n        p: v\n"},
		{"missing key, no final newline", "q: 1", "m.p", "v", "q: 1\nm:\n  p: v"},
		{"missing key, CRLF", "q: 1\r\n", "m.p", "v", "q: 1\r\nm:\r\n  p: v\r\n"},
		{"missing key after literal", "q: |\n  a\n", "p", "v", "q: |\n  a\np: v\n"},
		{"missing key after literal without newline", "q: |\n  a", "p", "v", "p: v\nq: |\n  a"},
		{"missing key after keep", "q: |+\n  a\n\n", "p", "v", "q: |+\n  a\n\np: v\n"},
		{"missing key in flow", "m: {q: 1} # c\n", "m.p", "v", "m: {q: 1, p: v} # c\n"},
		{"missing key in flow with comma", "m: {\n  q: 1, # c\n}\n", "m.p", "v", "m: {\n  q: 1, p: v # c\n}\n"},
		{"missing key in empty flow", "m: {} # c\n", "m.p", "v", "m: # c\n  p: v\n"},
		{"missing key in empty flow in flow", "{m: { }}\n", "m.p", "v", "{m: {p: v }}\n"},
		{"null becomes a mapping", "model: # later\nz: 1\n", "model.p", "v", "model: # later\n  p: v\nz: 1\n"},
		{"tilde becomes a mapping", "model: ~ # later\nz: 1\n", "model.p", "v", "model: # later\n  p: v\nz: 1\n"},
		{"null in flow becomes a mapping", "{model: , z: 1}\n", "model.p", "v", "{model: {p: v} , z: 1}\n"},
		{"missing item, block neighbours", "units:\n  - name: a\n    state: x # c\nz: 1\n", "units[name=b].state", "v", "units:\n  - name: a\n    state: x # c\n  - name: b\n    state: v\nz: 1\n"},
		{"missing item, flow neighbours", "units:\n- {name: a}\n", "units[name=b].state", "v", "units:\n- {name: a}\n- {name: b, state: v}\n"},
		{"missing item, flow list", "units: [{name: a}]\n", "units[name=b].state", "v", "units: [{name: a}, {name: b, state: v}]\n"},
		{"missing item, empty list", "s:\n  units: [] # c\n", "s.units[name=b].state", "v", "s:\n  units: # c\n    - {name: b, state: v}\n"},
		{"missing list", "s:\n  q: 1\n", "s.units[name=b].state", "v", "s:\n  q: 1\n  units:\n    - {name: b, state: v}\n"},
		{"missing list, lists not indented", "l:\n- {a: 1}\nq: 1\n", "units[name=b].state", "v", "l:\n- {a: 1}\nq: 1\nunits:\n- {name: b, state: v}\n"},
		{"wide dash", "l:\n-   name: a\n    b: 1\n", "l[name=c].b", "v", "l:\n-   name: a\n    b: 1\n-   name: c\n    b: v\n"},
		{"list of strings", "c: [make, test] # t\n", "c", []string{"go", "test", "on"}, "c: [go, test, \"on\"] # t\n"},
		{"block list of strings", "c:\n  - make\n  - test # t\nz: 1\n", "c", []string{"go"}, "c:\n  - go # t\nz: 1\n"},
		{"block list emptied", "c:\n- make\n- test # t\nz: 1\n", "c", []string{}, "c: []\n# t\nz: 1\n"},
		{"scalar gives way to a mapping", "s: false  # why\nz: 1\n", "s", yamledit.Map{{Key: "active", Value: true}, {Key: "reason", Value: "on call"}}, "s:  # why\n  active: true\n  reason: on call\nz: 1\n"},
		{"mapping gives way to a scalar", "s:\n  active: true\n  reason: x\nz: 1\n", "s", false, "s: false\nz: 1\n"},
		{"empty item at the end, with a blank", "l:\n- ", "l[name=b].s", "v", "l:\n- \n- {name: b, s: v}"},
		{"whole item", "l:\n- name: a\n- name: b\n", "l[name=b]", yamledit.Map{{Key: "s", Value: "v"}}, "l:\n- name: a\n- {name: b, s: v}\n"},
		{"whole new item", "l: []\n", "l[name=b]", yamledit.Map{{Key: "s", Value: 1}}, "l:\n  - {name: b, s: 1}\n"},
		{"number as the name of an item", "l:\n- id: 7\n", "l[id=7].s", "v", "l:\n- id: 7\n  s: v\n"},
		{"empty", "", "m.p", "v", "m:\n  p: v\n"},
		{"BOM only", bom, "p", "v", bom + "p: v\n"},
		{"comments only", "# c", "p", "v", "# c\np: v\n"},
		{"marker only", "---\n", "p", "v", "---\np: v\n"},
		{"markers only", "# a\n---\n# b\n...\n# c\n", "p", "v", "# a\n---\n# b\np: v\n...\n# c\n"},
		{"root in brackets", "{}\n", "m.p", "v", "{m: {p: v}}\n"},
		{"key behind the dash", "l:\n  - name: a\n", `l[name=a]["x y"]`, "b", "l:\n  - name: a\n    x y: b\n"},
		{"JSON", "{\"m\":{\"p\":\"x\"}}", "m.p", "v", "{\"m\":{\"p\":\"v\"}}"},
		{"key of a merge is a string", "m:\n  q: 1\n", `m["<<"]`, "v", "m:\n  q: 1\n  \"<<\": v\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := yamledit.Apply([]byte(tt.src), yamledit.Set(tt.path, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			again, err := yamledit.Apply(got, yamledit.Set(tt.path, tt.value))
			if err != nil || string(again) != string(got) {
				t.Errorf("the second time: %v\n%s", err, cmp.Diff(string(got), string(again)))
			}
		})
	}
}

func TestApplyRemove(t *testing.T) {
	tests := []struct {
		name, src, path, want string
	}{
		{"middle", "a: 1\np: x\nb: 2\n", "p", "a: 1\nb: 2\n"},
		{"absent", "a: 1\n", "p.q", "a: 1\n"},
		{"comments stay", "m:\n  # before\n  p: x  # behind\n  # after\n  q: 1\n", "m.p", "m:\n  # before\n  # behind\n  # after\n  q: 1\n"},
		{"last key leaves the mapping", "agent: # c\n  # before\n  p: x # behind\nz: 1\n", "agent.p", "agent: {} # c\n  # before\n  # behind\nz: 1\n"},
		{"last key of an anchored mapping", "agent: &a # c\n  p: x\nz: 1\n", "agent.p", "agent: &a {} # c\nz: 1\n"},
		{"last key of the document", "# a\np: x\n# b\n", "p", "# a\n# b\n"},
		{"only key behind a dash", "l:\n- p: x\n- q: 1\n", "l[p=x].p", "l:\n- {}\n- q: 1\n"},
		{"first key behind a dash", "l:\n- p: x\n  q: 1\n", "l[q=1].p", "l:\n- q: 1\n"},
		{"first key behind a dash, comment", "l:\n- p: x # c\n  q: 1\n", "l[q=1].p", "l:\n- # c\n  q: 1\n"},
		{"no final newline", "a: 1\np: x", "p", "a: 1\n"},
		{"CRLF", "a: 1\r\np: x\r\nb: 1\r\n", "p", "a: 1\r\nb: 1\r\n"},
		{"flow first", "{p: x, q: 1}\n", "p", "{q: 1}\n"},
		{"flow last", "{q: 1, p: x}\n", "p", "{q: 1}\n"},
		{"flow only", "m: {p: x} # c\n", "m.p", "m: {} # c\n"},
		{"flow lines", "{\n  q: 1, # one\n  p: x # two\n}\n", "p", "{\n  q: 1 # one\n  # two\n}\n"},
		{"flow lines with comma", "{\n  p: x, # one\n  q: 1,\n}\n", "p", "{\n  # one\n  q: 1,\n}\n"},
		{"literal", "p: |\n  a\n\n  b\n\nq: 1\n", "p", "\nq: 1\n"},
		{"explicit", "? p\n: x\n? q\n: 1\n", "p", "? q\n: 1\n"},
		{"comment between key and value", "a: 1\np: # c\n  x # d\nq: 1\n", "p", "a: 1\n# c\n  # d\nq: 1\n"},
		{"null", "a: 1\np: # c\nq: 1\n", "p", "a: 1\n# c\nq: 1\n"},
		{"mapping", "a: 1\np: # c\n  x: 1\n  y: 2 # d\nq: 1\n", "p", "a: 1\n# d\nq: 1\n"},
		{"item", "l:\n  - name: a\n    b: 1\n  # about b\n  - name: b\n", "l[name=a]", "l:\n  # about b\n  - name: b\n"},
		{"only item", "l: # c\n  - name: a\nz: 1\n", "l[name=a]", "l: [] # c\nz: 1\n"},
		{"only key behind a dash, comment inside", "l:\n- p: # c\n    x # d\n- q: 1\n", "l[p=x].p", "l:\n- {} # c\n    # d\n- q: 1\n"},
		{"comments in a block scalar's pair", "a:\n  p: &x # c\n   | # d\n     text\nq: 1\n", "a.p", "a: {}\n  # c\n   # d\nq: 1\n"},
		{"last key before an end marker", "# a\np: x # b\n...\n", "p", "# a\n{} # b\n...\n"},
		{"override goes, base stays", "d: &d {q: 1}\nm:\n  <<: *d\n  p: x\n", "m.p", "d: &d {q: 1}\nm:\n  <<: *d\n"},
		{"alias", "d: &d x\np: *d\nq: 1\n", "p", "d: &d x\nq: 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := yamledit.Apply([]byte(tt.src), yamledit.Remove(tt.path))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestApplyNest(t *testing.T) {
	tests := []struct {
		name, src, want string
	}{
		{"plain", "model: x  # mine\nz: 1\n", "model:\n  default: x  # mine\nz: 1\n"},
		{"indentation of the file", "a:\n    b: 1\nmodel: 'x'", "a:\n    b: 1\nmodel:\n    default: 'x'"},
		{"flow", "{model: x, z: 1}", "{model: {default: x}, z: 1}"},
		{"JSON", "{\"model\":\"x\"}", "{\"model\": {default: \"x\"}}"},
		{"literal", "model: |-\n  x\nz: 1\n", "model: {default: x}\nz: 1\n"},
		{"anchor goes with its value", "model: &m x\nz: *m\n", "model:\n  default: &m x\nz: *m\n"},
		{"alias", "z: &m x\nmodel: *m\n", "z: &m x\nmodel:\n  default: *m\n"},
		{"null", "model:\n", "model:\n"},
		{"mapping", "model: {a: 1}\n", "model: {a: 1}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := yamledit.Apply([]byte(tt.src), yamledit.Nest("model", "default"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	set := yamledit.Set
	tests := []struct {
		name         string
		src          string
		edit         yamledit.Edit
		kind         error
		line, column int
	}{
		{"shared value", "m:\n  p: &a x\nq: *a\n", set("m.p", "v"), yamledit.ErrShared, 2, 6},
		{"value in a shared mapping", "m: &a\n  p: x\nq: *a\n", set("m.p", "v"), yamledit.ErrShared, 1, 4},
		{"value in a merged mapping", "m: &a\n  p: x\nq:\n  <<: *a\n", set("m.p", "v"), yamledit.ErrShared, 1, 4},
		{"mapping from an alias", "m: &a\n  p: x\nq: *a\n", set("q.p", "v"), yamledit.ErrShared, 3, 4},
		{"mapping from a merge", "m: &a {n: {p: x}}\nq:\n  <<: *a\n", set("q.n.p", "v"), yamledit.ErrShared, 3, 3},
		{"item from an alias", "l:\n  - &a {name: a}\nm:\n  - *a\n", set("m[name=a].p", "v"), yamledit.ErrShared, 4, 5},
		{"remove what is merged", "m: &a {p: x}\nq:\n  <<: *a\n", yamledit.Remove("q.p"), yamledit.ErrShared, 3, 3},
		{"remove what would come back", "m: &a {p: x}\nq:\n  <<: *a\n  p: v\n", yamledit.Remove("q.p"), yamledit.ErrShared, 4, 6},
		{"remove the anchor of an alias", "m: {p: &a x}\nq: *a\n", yamledit.Remove("m"), yamledit.ErrShared, 1, 8},
		{"scalar in the way", "m: x\n", set("m.p", "v"), yamledit.ErrUnsupported, 1, 4},
		{"list in the way", "m: [x]\n", set("m.p", "v"), yamledit.ErrUnsupported, 1, 4},
		{"two items", "l: [{n: a}, {n: a}]\n", set("l[n=a].p", "v"), yamledit.ErrUnsupported, 1, 13},
		{"comments in the list", "c:\n  - a # why\n  - b\n", set("c", []string{"x"}), yamledit.ErrUnsupported, 2, 3},
		{"tag that does not fit", "p: !!int 5\n", set("p", "v"), yamledit.ErrUnsupported, 1, 4},
		{"item as a text", "l: [{n: a}]\n", set("l[n=a]", "x"), yamledit.ErrUnsupported, 0, 0},
		{"bad path", "p: x\n", set("p..q", "v"), yamledit.ErrUnsupported, 0, 0},
		{"bad type", "p: x\n", set("p", 1.5), yamledit.ErrUnsupported, 0, 0},
		{"does not parse", "p: [x\n", set("p", "v"), yamledit.ErrSyntax, 1, 5},
		{"duplicate key", "m:\n  p: 1\n  \"p\": 2\n", set("m.q", "v"), yamledit.ErrDuplicate, 3, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := yamledit.Apply([]byte(tt.src), tt.edit)
			var e *yamledit.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a *yamledit.Error", err)
			}
			if !errors.Is(err, tt.kind) || e.Line != tt.line || e.Column != tt.column {
				t.Errorf("got %v (%v), want %v at %d:%d", err, e.Kind, tt.kind, tt.line, tt.column)
			}
		})
	}
}
