package desired_test

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/desired"
)

func TestTemplateManagesNothingButRetention(t *testing.T) {
	host := decode(t, string(desired.Template("web-1")))
	want := map[string]string{"metadata.name": "web-1", "backup.retention.keepLast": "14"}
	if diff := cmp.Diff(want, desired.Fields(host)); diff != "" {
		t.Error(diff)
	}
}

var commentedKey = regexp.MustCompile(`(?m)^( *)#( *(?:- )?[a-zA-Z]+:)`)

// uncommented takes the "#" away in front of every key, as the text tells.
func uncommented(t *testing.T) string {
	t.Helper()
	lines := strings.SplitAfter(string(desired.Template("h")), "\n")
	for i, line := range lines {
		if m := commentedKey.FindStringSubmatchIndex(line); m != nil && line[m[3]:m[3]+2] != "# " || strings.HasPrefix(strings.TrimSpace(line), "#  ") && m != nil {
			lines[i] = line[:m[3]] + line[m[3]+1:]
		}
	}
	return strings.Join(lines, "")
}

// TestTemplateUncommented: with every key in force the document is valid and
// names every key there is.
func TestTemplateUncommented(t *testing.T) {
	text := uncommented(t)
	decode(t, text)
	for _, key := range keysOf(reflect.TypeFor[desired.Spec]()) {
		if !regexp.MustCompile(`(?m)^ *(- )?` + key + `:`).MatchString(text) {
			t.Errorf("the template does not show %s", key)
		}
	}
}

// keysOf lists the keys of a document by the types; suspend's own stand in the
// comment above it.
func keysOf(typ reflect.Type) []string {
	keys := map[string]bool{}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		switch {
		case typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice:
			walk(typ.Elem())
		case typ.Kind() == reflect.Struct && typ.PkgPath() == reflect.TypeFor[desired.Spec]().PkgPath() && typ != reflect.TypeFor[desired.Suspend]():
			for i := range typ.NumField() {
				name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
				keys[name] = true
				walk(typ.Field(i).Type)
			}
		}
	}
	walk(typ)
	return slices.Sorted(maps.Keys(keys))
}

// TestTemplateShowsTheDefaults: a default the template names is the default.
func TestTemplateShowsTheDefaults(t *testing.T) {
	shown := decode(t, uncommented(t))
	bare := decode(t, head+"spec: {resident: {repository: x}, update: {repository: a/b}}\n")
	desired.Defaults(bare)
	got, want := desired.Fields(shown), desired.Fields(bare)
	for _, field := range []string{"drift", "vault.rotation.maxAge", "vault.rotation.remindBefore", "signatures.minSessions", "signatures.proposeAt",
		"signatures.sweepInterval", "reviews.metaReviewer", "resident.baseBranch", "resident.testCommand", "resident.timeout", "resident.pollInterval", "update.channel"} {
		if got[field] != want[field] || got[field] == "" {
			t.Errorf("%s: the template says %q, the default is %q", field, got[field], want[field])
		}
	}
}

func TestTemplateTakesAnyHostname(t *testing.T) {
	for hostname, want := range map[string]string{
		"Web_1.Example.org": "web-1.example.org", "": "this-host", "ümläut": "ml-ut", "---": "this-host", "null": "this-host", "off": "this-host",
		"10": "host-10", "1e5": "host-1e5", "a: b # c": "a-b-c", strings.Repeat("x", 300): strings.Repeat("x", 200),
	} {
		if got := decode(t, string(desired.Template(hostname))).Name; got != want {
			t.Errorf("%q is named %q, want %q", hostname, got, want)
		}
	}
}

func TestTemplateFitsTheScreen(t *testing.T) {
	for i, line := range strings.Split(string(desired.Template("h")), "\n") {
		if len(line) > 80 {
			t.Errorf("line %d has %d columns", i+1, len(line))
		}
	}
}
