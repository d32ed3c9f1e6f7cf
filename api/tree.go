package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"corehost/config/yamledit"
)

// listKeys are the members by which the entries of a list of mappings are
// told apart, as yamledit's paths name them.
var listKeys = []string{"name", "id", "secret"}

// tree is a document as plain maps, lists and scalars.
func tree(text []byte) (map[string]any, error) {
	root, err := yamledit.Parse(text)
	if err != nil || root == nil {
		return map[string]any{}, err
	}
	out := map[string]any{}
	if err := root.Decode(&out); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	return out, nil
}

// changes lists the edits that turn one mapping into another, in the order of
// the keys.
func changes(path string, from, to map[string]any) []yamledit.Edit {
	var edits []yamledit.Edit
	keys := slices.Sorted(maps.Keys(to))
	for _, key := range keys {
		edits = append(edits, change(join(path, key), from[key], to[key])...)
	}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if _, kept := to[key]; !kept {
			edits = append(edits, yamledit.Remove(join(path, key)))
		}
	}
	return edits
}

func change(path string, from, to any) []yamledit.Edit {
	if reflect.DeepEqual(from, to) {
		return nil
	}
	switch to := to.(type) {
	case map[string]any:
		before, _ := from.(map[string]any)
		return changes(path, before, to)
	case []any:
		if entries, key, ok := keyed(to); ok {
			before, _, _ := keyed(items(from))
			return entryChanges(path, key, before, entries)
		}
		return []yamledit.Edit{yamledit.Set(path, texts(to))}
	case nil:
		return []yamledit.Edit{yamledit.Remove(path)}
	default:
		return []yamledit.Edit{yamledit.Set(path, to)}
	}
}

func entryChanges(path, key string, from, to map[string]map[string]any) []yamledit.Edit {
	var edits []yamledit.Edit
	for _, name := range slices.Sorted(maps.Keys(to)) {
		at := fmt.Sprintf("%s[%s=%s]", path, key, name)
		before := from[name]
		if before == nil {
			before = map[string]any{key: name}
		}
		edits = append(edits, changes(at, before, to[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if _, kept := to[name]; !kept {
			edits = append(edits, yamledit.Remove(fmt.Sprintf("%s[%s=%s]", path, key, name)))
		}
	}
	return edits
}

// keyed is a list of mappings by the member that names each of them.
func keyed(list []any) (map[string]map[string]any, string, bool) {
	for _, key := range listKeys {
		out := map[string]map[string]any{}
		for _, item := range list {
			entry, ok := item.(map[string]any)
			if !ok {
				return nil, "", false
			}
			if name, ok := entry[key].(string); ok {
				out[name] = entry
			}
		}
		if len(out) == len(list) && len(list) > 0 {
			return out, key, true
		}
	}
	return nil, "", false
}

func items(v any) []any { list, _ := v.([]any); return list }

func texts(list []any) []string {
	out := make([]string, 0, len(list))
	for _, item := range list {
		out = append(out, fmt.Sprint(item))
	}
	return out
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
