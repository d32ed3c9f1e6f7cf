package yamledit_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"corehost/config/yamledit"
)

// seeds are documents in the shapes that people write, and in those that
// parsers trip over.
var seeds = []string{
	"", "\ufeff", "# c\n", "---\n", "---\n...\n", "--- {}\n", "{}", "a: 1",
	"a: 1\nm:\n  p: x  # why\n\n  # more\n  q: [1, 2]\n",
	"m: {p: x, q: 1}\n", "m: {\n  p: 'x', # c\n}\n", "{m: {p, q: }}\n", "{\"m\":{\"p\":\"x\"}}",
	"m:\r\n  p: \"x\"\r\n", "\ufeffm:\n  p: x\n", "m:\tx\t# c\n",
	"m: # c\n", "m: ~\n", "m: null\nz: 1", "m: !!str 5\n", "m: &a\nz: 1\n",
	"m: &a {p: x}\nz: *a\n", "d: &d {p: x}\nm:\n  <<: *d\n  q: 1\n", "d: &d x\nm: {p: *d}\n", "m: {<<: [{p: x}, {q: 1}]}\n",
	"m: |\n  a\n   b\n\n# c\nz: >+2\n   t\n\nq: |-\n  e", "m: a\n  b\n\n  c # d\nz: 1\n", "m: \"a\\\n  b\"\nz: 'x\n\n  y'\n",
	"? m\n: p: x\n? z\n", "? [a, b]\n: 1\nm: 2\n", "\"m\":\n  'p': x\n", "[a: b]: c\nm: 1\n",
	"l:\n- name: a\n  v: 1\n- {name: b}\n-\n- - x\n", "l: [{name: a, v: 1}, name: b]\n", "l:\n    -   name: a # c\n        v: x\n",
	"m:\n# c\n  # d\n  p: # e\n    x # f\n", "m:\n  p: x\u0085  q: 1\n", "m: x\u2028z: 1\n",
	"a: &a [*a]\n", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "m: {p: x}}\n", "m: 1\nm: 2\n", "a: 2026-01-01\nb: .nan\nc: 0x1F\nd: yes\n",
	"%YAML 1.1\n%TAG ! tag:x,2000:\n---\nm: !foo x\n", "- a\n", "x", "m: 'it''s' # '\nz: \"#\"\n", "m: http://x:80/#a\n", "m:\n    p: x\n  # c\nz: 1\n", "a:\n  m:\n   - p\n",
}

var simplePath = regexp.MustCompile(`^[a-z]+(\.[a-z]+)*$`)

func FuzzApply(f *testing.F) {
	for _, s := range seeds {
		for op := range byte(4) {
			f.Add([]byte(s), "m.p", "new", op)
			f.Add([]byte(s), "m", "yes", op)
			f.Add([]byte(s), "l[name=a].v", "a: b #c", op)
			f.Add([]byte(s), "z", "a\nb\u2028'\"", op)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, path, value string, op byte) {
		if len(src) > 1<<12 || strings.Count(path, ".")+strings.Count(path, "[") > 5 {
			return
		}
		edit := yamledit.Set(path, value)
		switch op % 4 {
		case 1:
			edit = yamledit.Remove(path)
		case 2:
			edit = yamledit.Set(path, []string{value, "b"})
		case 3:
			edit = yamledit.Set(path, yamledit.Map{{Key: "k", Value: value}, {Key: "on", Value: true}})
		}
		before := bytes.Clone(src)
		got, err := yamledit.Apply(src, edit)
		if !bytes.Equal(before, src) {
			t.Fatal("the input was written to")
		}
		var e *yamledit.Error
		if err != nil {
			if got != nil || !errors.As(err, &e) || e.Kind == nil || e.Message == "" {
				t.Fatalf("a refusal without a reason: %#v, %q", err, got)
			}
			return
		}
		again, err := yamledit.Apply(got, edit)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("the second time %q became %q, %v", got, again, err)
		}
		compareWithDecoder(t, src, got, path, edit)
	})
}

// compareWithDecoder decodes both files as any reader would and makes the edit
// in the decoded values.
func compareWithDecoder(t *testing.T, src, got []byte, path string, edit yamledit.Edit) {
	var a, b any
	if !simplePath.MatchString(path) || yaml.Unmarshal(src, &a) != nil {
		return
	}
	if err := yaml.Unmarshal(got, &b); err != nil {
		t.Fatalf("%q does not decode: %v", got, err)
	}
	want, ok := edited(a, strings.Split(path, "."), edit)
	if !ok {
		return
	}
	if x, y := fmt.Sprintf("%#v", normal(want)), fmt.Sprintf("%#v", normal(b)); x != y {
		t.Fatalf("%q\nbecame %q:\nwant %s\ngot  %s", src, got, x, y)
	}
}

// edited makes an edit in decoded values; false where a key is no string.
func edited(v any, path []string, edit yamledit.Edit) (any, bool) {
	if len(path) == 0 {
		switch value := edit.Value.(type) {
		case []string:
			return []any{value[0], value[1]}, true
		case yamledit.Map:
			return map[string]any{"k": value[0].Value, "on": true}, true
		}
		return edit.Value, true
	}
	if v == nil {
		if edit.Remove {
			return nil, true
		}
		v = map[string]any{}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	child, there := m[path[0]]
	if edit.Remove && (len(path) == 1 || !there || child == nil) {
		if len(path) == 1 {
			delete(m, path[0])
		}
		return m, true
	}
	child, ok = edited(child, path[1:], edit)
	m[path[0]] = child
	return m, ok
}

// normal makes no difference between a document without content and {}.
func normal(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return nil
	}
	return v
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "m.p")
	}
	f.Fuzz(func(t *testing.T, src []byte, path string) {
		root, err := yamledit.Parse(src)
		var e *yamledit.Error
		if err != nil && (root != nil || !errors.As(err, &e) || e.Line < 0 || e.Column < 0) {
			t.Fatalf("%v, %#v", root, err)
		}
		if lines := bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) + bytes.Count(src, []byte{0x80}) + bytes.Count(src, []byte{0x85}) + 1; err != nil && e.Line > lines {
			t.Fatalf("line %d of %d: %v", e.Line, lines, err)
		}
		yamledit.Lookup(root, path)
	})
}
