package desired

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// blank shows a value that is there and empty, in a difference, where the
// empty string is a value that is not there.
const blank = `""`

// Diff lists the values in which two documents differ, in the order of the
// document. Fields are paths without "spec."; items of lists go by their name:
// "model.provider", "units[core-gateway].state". A value that is there but
// blank is shown as "". Either document may be nil.
func Diff(a, b *Host) []FieldChange {
	before, after := flatten(a), flatten(b)
	old, fresh := before.values(), after.values()
	var changes []FieldChange
	compare := func(name string) {
		from, wasThere := old[name]
		to, isThere := fresh[name]
		if wasThere != isThere || from != to {
			changes = append(changes, FieldChange{Field: name, From: shown(from, wasThere), To: shown(to, isThere)})
		}
	}
	next := 0                 // position in before
	gone := func(until int) { // tells what only the first document has, up to a position
		for ; next < until; next++ {
			if !has(fresh, before[next].name) {
				compare(before[next].name)
			}
		}
	}
	position := before.positions()
	for _, field := range after {
		i, had := position[field.name]
		if had {
			gone(i)
		}
		compare(field.name)
		if had && i == next { // what was removed right behind it
			for next++; next < len(before) && !has(fresh, before[next].name); {
				gone(next + 1)
			}
		}
	}
	gone(len(before))
	return changes
}

func has(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

// Fields is the flat view of a document, by the names of Diff: every value
// that is there, as text.
func Fields(h *Host) map[string]string { return flatten(h).values() }

func shown(value string, there bool) string {
	if there && value == "" {
		return blank
	}
	return value
}

type flatField struct{ name, value string }

// flat is every value of a document in the order of its types.
type flat []flatField

func flatten(h *Host) flat {
	var f flat
	if h == nil {
		return f
	}
	if h.Name != "" {
		f.add("metadata.name", h.Name)
	}
	f.walk(reflect.ValueOf(h.Spec), "", false)
	return f
}

func (f flat) values() map[string]string {
	m := make(map[string]string, len(f))
	for _, field := range f {
		m[field.name] = field.value
	}
	return m
}

func (f flat) positions() map[string]int {
	m := make(map[string]int, len(f))
	for i, field := range f {
		m[field.name] = i
	}
	return m
}

func (f *flat) add(name, value string) { *f = append(*f, flatField{name, value}) }

// walk adds what is there: what a pointer points to, else what is not zero.
func (f *flat) walk(v reflect.Value, name string, pointed bool) {
	if v.Kind() == reflect.Pointer {
		if !v.IsNil() {
			f.walk(v.Elem(), name, true)
		}
		return
	}
	switch value := v.Interface().(type) {
	case Suspend:
		f.suspend(value, name)
		return
	case metav1.Duration:
		if pointed || value.Duration != 0 {
			f.add(name, value.Duration.String())
		}
		return
	case []Unit:
		for _, unit := range value {
			f.unit(unit, name+"["+unit.Name+"]")
		}
		return
	case []Decision:
		for _, decision := range value {
			f.add(name+"["+decision.ID+"]", string(decision.Status))
		}
		return
	case []Notification:
		for _, n := range value {
			f.add(name+"["+n.Secret+"]", n.Secret)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.walk(v.Field(i), join(name, jsonName(v.Type().Field(i))), false)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			text, _ := json.Marshal(v.Interface()) // []string cannot fail
			f.add(name, string(text))
		}
	default:
		if pointed || !v.IsZero() {
			f.add(name, fmt.Sprint(v.Interface()))
		}
	}
}

func (f *flat) suspend(s Suspend, name string) {
	f.add(name, strconv.FormatBool(s.Active))
	if s.Reason != "" {
		f.add(name+".reason", s.Reason)
	}
	if s.Until != nil {
		f.add(name+".until", s.Until.UTC().Format(time.RFC3339))
	}
}

func (f *flat) unit(u Unit, name string) {
	if u.State == "" && !u.RestartOnConfigChange {
		f.add(name, "listed")
	}
	if u.State != "" {
		f.add(name+".state", string(u.State))
	}
	if u.RestartOnConfigChange {
		f.add(name+".restartOnConfigChange", "true")
	}
}
