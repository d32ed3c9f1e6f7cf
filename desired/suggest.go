package desired

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unknownKey says that a key is not known in a mapping and what was likely
// meant: a name like it here, or the same name in another place.
func unknownKey(t reflect.Type, field, key string) (message, hint string) {
	message = fmt.Sprintf("unknown key %q", shorten(key))
	if field == "" && key == "status" {
		return "the status is served, never written to the file", "remove it"
	}
	known := slices.Sorted(maps.Keys(index(t)))
	if near, ok := nearest(key, known); ok {
		return message, fmt.Sprintf("did you mean %q?", near)
	}
	for _, other := range paths() {
		if last := other[strings.LastIndexByte(other, '.')+1:]; normal(last) == normal(key) {
			return message, fmt.Sprintf("it belongs to %s", other)
		}
	}
	return message, "known here: " + strings.Join(known, ", ")
}

// paths lists every key of the document as a path; items of lists are [].
func paths() []string {
	var list []string
	var walk func(t reflect.Type, field string)
	walk = func(t reflect.Type, field string) {
		switch {
		case t.Kind() == reflect.Pointer:
			walk(t.Elem(), field)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			walk(t.Elem(), field+"[]")
		case t.Kind() == reflect.Struct && (special(t) == nil || t == reflect.TypeFor[Suspend]()):
			for i := range t.NumField() {
				name := join(field, jsonName(t.Field(i)))
				list = append(list, name)
				walk(t.Field(i).Type, name)
			}
		}
	}
	walk(reflect.TypeFor[document](), "")
	return list
}

// oneOf is the hint for a value that is not in a list.
func oneOf(value string, known ...string) string {
	if near, ok := nearest(value, known); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "it is one of " + strings.Join(known, ", ")
}

// nearest finds the known word that a person most likely meant.
func nearest(word string, known []string) (string, bool) {
	best, bestDistance := "", max(1, min(len(word), 24)/3)+1
	for _, k := range known {
		distance := edits(normal(word), normal(k))
		if distance < bestDistance {
			best, bestDistance = k, distance
		}
	}
	return best, best != ""
}

// normal takes away what conventions differ in: reasoning_effort,
// reasoning-effort and reasoningEffort are one word.
func normal(word string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(word))
}

// edits counts insertions, deletions, replacements and swaps of neighbours
// that turn a into b (optimal string alignment). Long words are cut.
func edits(a, b string) int {
	const longest = 64
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// shorten keeps a message readable whatever stands in the file.
func shorten(s string) string {
	const longest = 64
	runes := []rune(s)
	if len(runes) <= longest {
		return s
	}
	return string(runes[:longest]) + "…"
}
