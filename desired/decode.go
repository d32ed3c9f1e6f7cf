package desired

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxMerges bounds merge keys inside merge keys.
const maxMerges = 16

// document is the file: a Host without what only a server fills in.
type document struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

type metadata struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Decode reads a document strictly: unknown keys, wrong types and impossible
// values are problems, up to twenty in the order of the file, each with its
// place. file is the name used in the error, which is always an *Invalid.
// Absent keys and keys without a value stay absent; see Defaults.
func Decode(file string, src []byte) (*Host, error) {
	root, problem := parse(src)
	if problem != nil {
		return nil, &Invalid{File: file, Problems: arrange([]Problem{*problem}, src)}
	}
	d := &decoder{places: map[string]place{}, empty: map[string]bool{}, failed: map[string]bool{}, items: map[string][]string{}}
	var doc document
	d.value(root, reflect.ValueOf(&doc).Elem(), "")
	validate(d, &doc)
	if len(d.problems) > 0 {
		return nil, &Invalid{File: file, Problems: arrange(d.problems, src)}
	}
	return &Host{
		TypeMeta:   metav1.TypeMeta{APIVersion: doc.APIVersion, Kind: doc.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: doc.Metadata.Name, Labels: doc.Metadata.Labels, Annotations: doc.Metadata.Annotations},
		Spec:       doc.Spec,
	}, nil
}

type place struct{ line, column int }

// decoder walks the tree along the types and collects what is wrong.
type decoder struct {
	problems []Problem
	places   map[string]place    // where each field's value stands
	empty    map[string]bool     // keys without a value
	failed   map[string]bool     // fields with a problem: not validated further
	items    map[string][]string // list → the fields of its items
}

// add records a problem at the place of a node, and that its field is done.
func (d *decoder) add(at place, field, message, hint string) {
	d.failed[field] = true
	if len(d.problems) < maxCollected {
		d.problems = append(d.problems, Problem{Line: at.line, Column: at.column, Field: field, Message: message, Hint: hint})
	}
}

func (d *decoder) mismatch(n *yaml.Node, field, expected, hint string) {
	d.add(placeOf(n), field, fmt.Sprintf("expected %s, got %s", expected, describe(n)), hint)
}

// value decodes a node into v, which is a field of the document. Nothing is
// absent.
func (d *decoder) value(n *yaml.Node, v reflect.Value, field string) {
	d.places[field] = placeOf(n)
	if isNull(n) {
		d.empty[field] = true
		return
	}
	if v.Kind() == reflect.Pointer {
		fresh := reflect.New(v.Type().Elem())
		d.value(n, fresh.Elem(), field)
		if !d.failed[field] {
			v.Set(fresh)
		}
		return
	}
	if read := special(v.Type()); read != nil {
		read(d, n, v, field)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, field)
	case reflect.Slice:
		d.list(n, v, field)
	case reflect.Map:
		d.texts(n, v, field)
	default:
		d.scalar(n, v, field)
	}
}

// structure decodes a mapping by the json names of a struct's fields.
func (d *decoder) structure(n *yaml.Node, v reflect.Value, field string) {
	if resolve(n).Kind != yaml.MappingNode {
		d.mismatch(n, field, "a mapping", "")
		return
	}
	for _, e := range d.entries(n, field) {
		name := join(field, e.name)
		if i, ok := index(v.Type())[e.name]; ok {
			d.value(e.value, v.Field(i), name)
			continue
		}
		message, hint := unknownKey(v.Type(), field, e.name)
		d.add(placeOf(e.key), name, message, hint)
	}
}

// list decodes a sequence. Every item has its element, also a wrong one, so
// that the items and their fields stay side by side.
func (d *decoder) list(n *yaml.Node, v reflect.Value, field string) {
	seq := resolve(n)
	if seq.Kind != yaml.SequenceNode {
		d.mismatch(n, field, "a list", "")
		return
	}
	seen := map[string]bool{}
	for i, item := range seq.Content {
		name := fmt.Sprintf("%s[%s]", field, d.label(item, i, seen))
		d.items[field] = append(d.items[field], name)
		element := reflect.New(v.Type().Elem()).Elem()
		if isNull(item) {
			d.mismatch(item, name, kindWord(element.Kind()), "remove the empty item")
		} else {
			d.value(item, element, name)
		}
		v.Set(reflect.Append(v, element))
	}
}

// texts decodes a mapping of free names to text.
func (d *decoder) texts(n *yaml.Node, v reflect.Value, field string) {
	if resolve(n).Kind != yaml.MappingNode {
		d.mismatch(n, field, "a mapping", "")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, e := range d.entries(n, field) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.value(e.value, element, join(field, e.name))
		v.SetMapIndex(reflect.ValueOf(e.name), element)
	}
}

var labelPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.@-]{0,63}$`)

// label names an item by its name or id, where that is one, else by its
// position.
func (d *decoder) label(item *yaml.Node, i int, seen map[string]bool) string {
	if m := resolve(item); m.Kind == yaml.MappingNode {
		for k := 0; k+1 < len(m.Content); k += 2 {
			value := resolve(m.Content[k+1])
			isName := m.Content[k].Value == "name" || m.Content[k].Value == "id"
			if isName && labelPattern.MatchString(value.Value) && !seen[value.Value] {
				seen[value.Value] = true
				return value.Value
			}
		}
	}
	return fmt.Sprint(i)
}

// index maps the json names of a struct's fields to their positions.
func index(t reflect.Type) map[string]int {
	m := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		m[jsonName(t.Field(i))] = i
	}
	return m
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}
